import type { Metadata } from "next";
import { SettingsScreen } from "#components/identity/settings/settings-screen.tsx";
import { toIso } from "#lib/core/time.ts";
import { listHeld } from "#lib/features/billing/list-held.ts";
import { listPayments } from "#lib/features/billing/list-payments.ts";
import { toPayments, toSubscriptionWire } from "#lib/features/billing/present.ts";
import { readSubscription } from "#lib/features/billing/read-subscription.ts";
import { findMutedMails } from "#lib/features/digests/queries.ts";
import { listLogins } from "#lib/features/identity/list-logins.ts";
import { toUserWire } from "#lib/features/identity/present.ts";
import { findEmailChange } from "#lib/features/identity/queries.ts";
import { pageContext, requireUser } from "#lib/server/actor.ts";

export const metadata: Metadata = { title: "Settings" };

export default async function SettingsPage() {
  const user = await requireUser();
  const ctx = await pageContext(user);
  const [logins, pending, mutedMails, subscription, held, payments] = await Promise.all([
    listLogins(ctx),
    findEmailChange(ctx),
    findMutedMails(ctx),
    readSubscription(ctx),
    listHeld(ctx),
    listPayments(ctx, {}),
  ]);
  return (
    <SettingsScreen
      user={toUserWire(user)}
      subscription={toSubscriptionWire(subscription)}
      held={held}
      payments={toPayments(payments)}
      pendingEmail={pending?.email ?? null}
      mutedMails={mutedMails}
      logins={logins.map(({ id, device, createdAt, lastUsedAt, isCurrent }) => ({
        id,
        device,
        createdAt: toIso(createdAt),
        lastUsedAt: toIso(lastUsedAt),
        isCurrent,
      }))}
      timeZone={user.timeZone}
      chosenTimeZone={user.chosenTimeZone}
    />
  );
}
