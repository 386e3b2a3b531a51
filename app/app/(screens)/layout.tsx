import type { ReactNode } from "react";
import { AppShell } from "#components/shell/app-shell.tsx";
import { readBalance } from "#lib/features/credits/read-balance.ts";
import { PLANS } from "#lib/features/identity/constants.ts";
import { findStart } from "#lib/features/live/find-start.ts";
import { pageContext, requireUser } from "#lib/server/actor.ts";
import { product, sandboxServices } from "#lib/server/product.ts";

export default async function ScreensLayout({ children }: { children: ReactNode }) {
  const user = await requireUser();
  const ctx = await pageContext(user);
  const [live, balance] = await Promise.all([findStart(ctx, { userId: user.id, after: null }), readBalance(ctx)]);
  return (
    <AppShell
      product={product()}
      sandboxServices={sandboxServices()}
      planName={PLANS[user.plan].name}
      initialCredits={balance.availableCredits}
      livePosition={live.position}
      unverifiedEmail={user.emailVerified ? undefined : user.email}
      browserTimeZone={user.chosenTimeZone === null ? user.timeZone : null}
    >
      {children}
    </AppShell>
  );
}
