import type { ReactNode } from "react";
import { PreloadFonts } from "#components/fonts/preload-fonts.tsx";
import { AppShell } from "#components/shell/app-shell.tsx";
import { ExtractorProvider } from "#components/videos/extractor-context.tsx";
import { PLANS } from "#lib/features/billing/plans.ts";
import { readBalance } from "#lib/features/credits/statement.ts";
import { findDisconnectedAccounts } from "#lib/features/publishing/queue.ts";
import { findStart } from "#lib/features/realtime/events.ts";
import { countOwnProposals } from "#lib/features/sites/proposals.ts";
import { pageContext, requireUser } from "#lib/server/actor.ts";
import { product, sandboxServices } from "#lib/server/product.ts";

export default async function ScreensLayout({ children }: { children: ReactNode }) {
  const user = await requireUser();
  const ctx = await pageContext(user);
  const [live, balance, disconnectedAccounts, newPages] = await Promise.all([
    findStart(ctx, { userId: user.id, after: null }),
    readBalance(ctx),
    findDisconnectedAccounts(ctx),
    countOwnProposals(ctx),
  ]);
  return (
    <AppShell
      product={product()}
      sandboxServices={sandboxServices()}
      planName={PLANS[user.plan].name}
      isFreePlan={user.plan === "free"}
      initialCredits={balance.availableCredits}
      isAllowanceTaken={balance.isAllowanceTaken}
      livePosition={live.position}
      disconnectedAccounts={disconnectedAccounts}
      newPages={newPages}
      unverifiedEmail={user.emailVerified ? undefined : user.email}
      browserTimeZone={user.chosenTimeZone === null ? user.timeZone : null}
    >
      <PreloadFonts names={["newsreader-title"]} />
      <ExtractorProvider>{children}</ExtractorProvider>
    </AppShell>
  );
}
