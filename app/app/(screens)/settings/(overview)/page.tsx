import type { Metadata } from "next";
import { SettingsScreen } from "#components/settings/settings-screen.tsx";
import { toIso, toIsoOrNull } from "#lib/core/time.ts";
import { listHeldSubscriptions } from "#lib/features/billing/held-payments.ts";
import { listPayments } from "#lib/features/billing/payment-history.ts";
import { readSubscription } from "#lib/features/billing/queries.ts";
import { toPayments, toSubscriptionWire } from "#lib/features/billing/serializers.ts";
import { findEmailChange, toUserWire } from "#lib/features/identity/queries.ts";
import { listSecurityEvents } from "#lib/features/identity/security-log.ts";
import { listLogins } from "#lib/features/identity/sessions.ts";
import { findMutedEmails } from "#lib/features/notifications/queries.ts";
import { readPaces } from "#lib/features/planning/paces.ts";
import { readTwoStep } from "#lib/features/sign-in/authenticator.ts";
import { findGoogleEmail } from "#lib/features/sign-in/google.ts";
import { listPasskeys } from "#lib/features/sign-in/passkeys.ts";
import { listConfirmationMethods } from "#lib/features/sign-in/second-step.ts";
import { pageContext, requireUser } from "#lib/server/actor.ts";
import { product } from "#lib/server/product.ts";

export const metadata: Metadata = { title: "Settings" };

export default async function SettingsPage() {
  const user = await requireUser();
  const ctx = await pageContext(user);
  const [twoStep, passkeys, googleEmail, paces] = await Promise.all([
    readTwoStep(ctx),
    listPasskeys(ctx),
    findGoogleEmail(ctx),
    readPaces(ctx),
  ]);
  const [logins, events, confirmationMethods, pending, mutedEmails, subscription, held, payments] = await Promise.all([
    listLogins(ctx),
    listSecurityEvents(ctx),
    listConfirmationMethods(ctx),
    findEmailChange(ctx),
    findMutedEmails(ctx),
    readSubscription(ctx),
    listHeldSubscriptions(ctx),
    listPayments(ctx, {}),
  ]);
  return (
    <SettingsScreen
      user={toUserWire(user)}
      subscription={toSubscriptionWire(subscription)}
      held={held}
      payments={toPayments(payments)}
      pendingEmail={pending?.email ?? null}
      mutedEmails={mutedEmails}
      logins={logins.map(({ id, device, createdAt, lastUsedAt, isCurrent }) => ({
        id,
        device,
        createdAt: toIso(createdAt),
        lastUsedAt: toIso(lastUsedAt),
        isCurrent,
      }))}
      google={product().hasGoogle || googleEmail !== null ? { email: googleEmail } : null}
      twoStep={{ onSince: toIsoOrNull(twoStep.onSince), recoveryCodesLeft: twoStep.recoveryCodesLeft }}
      passkeys={passkeys.map(({ id, name, createdAt, lastUsedAt }) => ({
        id,
        name,
        createdAt: toIso(createdAt),
        lastUsedAt: toIsoOrNull(lastUsedAt),
      }))}
      securityEvents={events.map((event) => ({ ...event, createdAt: toIso(event.createdAt) }))}
      confirmationMethods={confirmationMethods}
      paces={paces}
      timeZone={user.timeZone}
      chosenTimeZone={user.chosenTimeZone}
    />
  );
}
