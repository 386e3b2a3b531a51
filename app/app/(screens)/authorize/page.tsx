import type { Metadata } from "next";
import { ConnectAppScreen } from "#components/api-keys/connect-app-screen.tsx";
import { readAuthorization } from "#lib/features/oauth/authorization.ts";
import { readQuery } from "#lib/features/oauth/schema.ts";
import { listConfirmationMethods } from "#lib/features/sign-in/second-step.ts";
import { pageContext, requireUser } from "#lib/server/actor.ts";

export const metadata: Metadata = { title: "Connect an app", referrer: "no-referrer" };

type AuthorizePageProps = { searchParams: Promise<Record<string, string | string[] | undefined>> };

/** The authorization endpoint of OAuth. */
export default async function AuthorizePage({ searchParams }: AuthorizePageProps) {
  const user = await requireUser();
  const ctx = await pageContext(user);
  const query = readQuery(await searchParams);
  const [authorization, confirmationMethods] = await Promise.all([
    readAuthorization(ctx, query),
    listConfirmationMethods(ctx),
  ]);
  return (
    <ConnectAppScreen
      authorization={authorization}
      query={query}
      email={user.email}
      confirmationMethods={confirmationMethods}
    />
  );
}
