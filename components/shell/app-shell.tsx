import type { ReactNode } from "react";
import { LostAccounts } from "#components/accounts/lost-accounts.tsx";
import { CreditChip, CreditsProvider } from "#components/credits/credits.tsx";
import { Protected } from "#components/identity/protected.tsx";
import { VerifyBanner } from "#components/identity/verify-banner.tsx";
import { LiveStream } from "#components/realtime/live-stream.tsx";
import { ServerState } from "#components/shared/server-state.tsx";
import { TimeZone } from "#components/shared/time-zone.tsx";
import { CommandsProvider } from "#components/shell/commands.tsx";
import { Drawer } from "#components/shell/drawer.tsx";
import { SidebarContent } from "#components/shell/sidebar-content.tsx";
import { Logo } from "#components/site/logo.tsx";
import type { ProductFacts } from "#components/site/structured-data.tsx";
import { Toaster } from "#components/ui/toaster.tsx";
import type { LostAccountWire } from "#lib/features/publishing/schema.ts";

type AppShellProps = {
  product: ProductFacts;
  sandboxServices: readonly string[];
  planName: string;
  isFreePlan: boolean;
  initialCredits: number;
  /** Where the live stream stood when the page was painted. */
  livePosition: number;
  /** Accounts that must be connected again, as the page was painted. */
  lostAccounts: readonly LostAccountWire[];
  /** Set while the user's address is not confirmed. */
  unverifiedEmail: string | undefined;
  /** The zone in which the page was painted for this browser; null when the user chose one that stays. */
  browserTimeZone: string | null;
  children: ReactNode;
};

/** Sidebar from 1200 px, rail from 768, top bar with a drawer below. Everything in it waits for the auth check. */
export function AppShell(props: AppShellProps) {
  const {
    product,
    sandboxServices,
    planName,
    isFreePlan,
    initialCredits,
    livePosition,
    lostAccounts,
    unverifiedEmail,
    browserTimeZone,
    children,
  } = props;
  const content = { product, sandboxServices, planName, isFreePlan };
  return (
    <ServerState>
      <Protected>
        <CreditsProvider initialCredits={initialCredits}>
          <CommandsProvider nav={{ creatorPath: product.creatorPath, creatorLabel: product.creatorLabel, isFreePlan }}>
            <a className="skip-link" href="#main">
              Skip to content
            </a>
            <header className="top-bar">
              <Logo name={product.name} href="/app" className="mr-auto" />
              <CreditChip />
              <Drawer {...content} />
            </header>
            <div className="app-frame">
              <aside className="side" aria-label="Sidebar">
                <div className="side-inner">
                  <SidebarContent {...content} />
                </div>
              </aside>
              <main id="main" tabIndex={-1} className="app-main">
                <div className="app-width">
                  <LostAccounts initial={lostAccounts} />
                  {unverifiedEmail && <VerifyBanner email={unverifiedEmail} />}
                  <TimeZone known={browserTimeZone}>{children}</TimeZone>
                </div>
              </main>
            </div>
            <LiveStream position={livePosition} />
            <Toaster />
          </CommandsProvider>
        </CreditsProvider>
      </Protected>
    </ServerState>
  );
}
