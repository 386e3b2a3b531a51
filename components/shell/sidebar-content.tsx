import FlaskConical from "lucide-react/icons/flask-conical";
import { CreditPanel } from "#components/credits/credits.tsx";
import { LogoutButton } from "#components/identity/logout-button.tsx";
import { Logo } from "#components/site/logo.tsx";
import type { ProductFacts } from "#components/site/structured-data.tsx";
import { ThemeToggle } from "#components/ui/theme-toggle.tsx";
import { SearchButton } from "./commands.tsx";
import { FootNav, SidebarNav } from "./sidebar-nav.tsx";

const NAMES: Readonly<Record<string, string>> = {
  pinterest: "Pinterest",
  openai: "OpenAI",
  paddle: "Paddle",
  mail: "mail",
  inngest: "Inngest",
};

/** Says which services are played by a local stand-in, on every screen, so that nobody takes a trial for the real thing. */
function SandboxBadge({ services }: { services: readonly string[] }) {
  if (services.length === 0) return null;
  const names = services.map((service) => NAMES[service] ?? service).join(", ");
  return (
    <div className="sandbox-badge" role="note">
      <FlaskConical aria-hidden="true" />
      <span className="nav-text">
        <b>Sandbox</b> <span className="sandbox-names">{names}</span>
      </span>
    </div>
  );
}

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
