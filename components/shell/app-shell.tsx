import type { ReactNode } from "react";
import { DisconnectedAccounts } from "#components/accounts/disconnected-accounts.tsx";
import { CreditChip, CreditsProvider } from "#components/credits/credits.tsx";
import { ServiceNotice } from "#components/health/service-notice.tsx";
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
import { cn } from "#components/ui/cn.ts";
import { Toaster } from "#components/ui/toaster.tsx";
import type { DisconnectedAccountWire } from "#lib/features/publishing/schema.ts";

type AppShellProps = {
  product: ProductFacts;
  sandboxServices: readonly string[];
  planName: string;
  isFreePlan: boolean;
  initialCredits: number;
  isAllowanceTaken?: boolean;
  /** Position of the live stream when the page was rendered. */
  livePosition: number;
  /** Accounts that had to be reconnected when the page was rendered. */
  disconnectedAccounts: readonly DisconnectedAccountWire[];
  /** New pages of watched sites when the page was rendered. */
  newPages?: number;
  /** Set until the user has confirmed this address. */
  unverifiedEmail: string | undefined;
  /** The zone that the server rendered for this browser; null when the user chose a fixed zone. */
  browserTimeZone: string | null;
  children: ReactNode;
};

/** Sidebar from 1200 px, collapsed from 768 px, top bar with a drawer below that. Inert until the auth check passes. */
export function AppShell(props: AppShellProps) {
  const {
    product,
    sandboxServices,
    planName,
    isFreePlan,
    initialCredits,
    isAllowanceTaken = false,
    livePosition,
    disconnectedAccounts,
    newPages = 0,
    unverifiedEmail,
    browserTimeZone,
    children,
  } = props;
  const content = { product, sandboxServices, planName, isFreePlan, newPages };
  return (
    <ServerState>
      <Protected>
        <CreditsProvider initialCredits={initialCredits} isAllowanceTaken={isAllowanceTaken}>
          <CommandsProvider nav={{ creatorPath: product.creatorPath, creatorLabel: product.creatorLabel, isFreePlan }}>
            <a className="skip-link" href="#main">
              Skip to content
            </a>
            <header
              className={cn(
                "hidden",
                "max-md:sticky max-md:top-0 max-md:z-(--z-sticky) max-md:flex max-md:items-center max-md:gap-2.5",
                "max-md:h-(--topbar) max-md:py-0 max-md:px-4 max-md:bg-page max-md:border-b max-md:border-line",
              )}
            >
              <Logo name={product.name} href="/app" className="mr-auto" />
              <CreditChip />
              <Drawer {...content} />
            </header>
            <div
              className={cn(
                "grid grid-cols-[var(--sidebar)_minmax(0,1fr)] min-h-dvh",
                "md:max-xl:grid-cols-[var(--sidebar-rail)_minmax(0,1fr)] max-md:block",
              )}
            >
              <aside
                className="border-r border-line md:max-xl:relative md:max-xl:z-(--z-sticky) max-md:hidden"
                aria-label="Sidebar"
              >
                <div
                  className={cn(
                    "sticky top-0 flex flex-col gap-4 h-dvh pt-5 pb-4 px-3.5 text-ui xl:overflow-y-auto",
                    "md:max-xl:items-center md:max-xl:py-4.5 md:max-xl:px-3",
                    "[@media(min-width:_1200px)_and_(max-height:_1100px)]:gap-[11px]",
                    "[@media(min-width:_1200px)_and_(max-height:_1100px)]:pt-4",
                    "[@media(min-width:_1200px)_and_(max-height:_1100px)]:pb-3",
                  )}
                >
                  <SidebarContent {...content} />
                </div>
              </aside>
              <main
                id="main"
                tabIndex={-1}
                className="min-w-0 pt-10 pb-18 px-[clamp(20px,3vw,44px)] outline-none max-md:pt-6 max-md:pb-12 max-md:px-5"
              >
                <div className="max-w-(--content-max) mx-auto">
                  <ServiceNotice />
                  <DisconnectedAccounts initial={disconnectedAccounts} />
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
