import type { Metadata } from "next";
import { ApiKeysScreen } from "#components/api-keys/api-keys-screen.tsx";
import { listUses } from "#lib/features/api-keys/authentication.ts";
import { listKeys } from "#lib/features/api-keys/keys.ts";
import { listConfirmationMethods } from "#lib/features/sign-in/second-step.ts";
import { pageContext, requireUser } from "#lib/server/actor.ts";

export const metadata: Metadata = { title: "API Keys" };

export default async function ApiKeysPage() {
  const user = await requireUser();
  const ctx = await pageContext(user);
  const [keys, uses, confirmationMethods] = await Promise.all([
    listKeys(ctx),
    listUses(ctx),
    listConfirmationMethods(ctx),
  ]);
  return <ApiKeysScreen keys={keys} uses={uses} confirmationMethods={confirmationMethods} timeZone={user.timeZone} />;
}
