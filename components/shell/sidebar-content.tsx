import { CreditPanel } from "#components/credits/credit-panel.tsx";
import { LogoutButton } from "#components/identity/logout-button.tsx";
import { SandboxBadge } from "#components/shell/sandbox-badge.tsx";
import { SearchButton } from "#components/shell/search-button.tsx";
import { FootNav, SidebarNav } from "#components/shell/sidebar-nav.tsx";
import { Logo } from "#components/site/logo.tsx";
import type { ProductFacts } from "#components/site/product-facts.ts";
import { ThemeToggle } from "#components/ui/theme-toggle.tsx";

export type SidebarContentProps = {
  product: ProductFacts;
  /** Services that are played by a local stand-in; empty in production. */
  sandboxServices: readonly string[];
  planName: string;
  isFreePlan: boolean;
};

/** What the sidebar and the drawer of small screens hold. */
export function SidebarContent({ product, sandboxServices, planName, isFreePlan }: SidebarContentProps) {
  return (
    <>
      <Logo name={product.name} href="/app" className="side-logo" />
      <SearchButton />
      <SidebarNav creatorPath={product.creatorPath} creatorLabel={product.creatorLabel} isFreePlan={isFreePlan} />
      <div className="side-end">
        <SandboxBadge services={sandboxServices} />
        <CreditPanel planName={planName} />
        <FootNav />
        <div className="side-foot">
          <LogoutButton className="side-item" />
          <ThemeToggle className="side-theme" />
        </div>
      </div>
    </>
  );
}
