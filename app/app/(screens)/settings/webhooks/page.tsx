import type { Metadata } from "next";
import { WebhooksScreen } from "#components/webhooks/webhooks-screen.tsx";
import { listConfirmationMethods } from "#lib/features/sign-in/second-step.ts";
import { listEndpoints } from "#lib/features/webhooks/endpoints.ts";
import { pageContext, requireUser } from "#lib/server/actor.ts";

export const metadata: Metadata = { title: "Webhooks" };

export default async function WebhooksPage() {
  const user = await requireUser();
  const ctx = await pageContext(user);
  const [first, confirmationMethods] = await Promise.all([listEndpoints(ctx), listConfirmationMethods(ctx)]);
  return <WebhooksScreen first={first} confirmationMethods={confirmationMethods} timeZone={user.timeZone} />;
}
