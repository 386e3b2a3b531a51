import { CreditPanel } from "#components/credits/credit-panel.tsx";
import { LogoutButton } from "#components/identity/logout-button.tsx";
import { SandboxBadge } from "#components/shell/sandbox-badge.tsx";
import { SidebarNav } from "#components/shell/sidebar-nav.tsx";
import { Logo } from "#components/site/logo.tsx";
import type { ProductFacts } from "#components/site/product-facts.ts";
import type { ThemeChoice } from "#components/ui/theme-choice.ts";
import { ThemeToggle } from "#components/ui/theme-toggle.tsx";

export type SidebarContentProps = { product: ProductFacts; planName: string; theme: ThemeChoice };

/** What the sidebar and the drawer of small screens hold. */
export function SidebarContent({ product, planName, theme }: SidebarContentProps) {
  return (
    <>
      <Logo name={product.name} href="/app" className="side-logo" />
      <SidebarNav creatorPath={product.creatorPath} creatorLabel={product.creatorLabel} />
      <div className="side-end">
        <SandboxBadge services={product.sandboxServices} />
        <CreditPanel planName={planName} />
        <div className="side-foot">
          <LogoutButton className="side-item" />
          <ThemeToggle initial={theme} className="side-theme" />
        </div>
      </div>
    </>
  );
}
