import FlaskConical from "lucide-react/icons/flask-conical";
import { CreditPanel } from "#components/credits/credits.tsx";
import { LogoutButton } from "#components/identity/logout-button.tsx";
import { SIDEBAR_ITEM, SIDEBAR_LABEL } from "#components/shared/sidebar-item.ts";
import { Logo } from "#components/site/logo.tsx";
import type { ProductFacts } from "#components/site/structured-data.tsx";
import { cn } from "#components/ui/cn.ts";
import { ThemeToggle } from "#components/ui/theme-toggle.tsx";
import { SearchButton } from "./commands.tsx";
import { FooterNav, SidebarNav } from "./sidebar-nav.tsx";

const NAMES: Readonly<Record<string, string>> = {
  pinterest: "Pinterest",
  openai: "OpenAI",
  google: "Google",
  paddle: "Paddle",
  email: "email",
  inngest: "Inngest",
};

/** Names the services that are local stand-ins, so that a test setup is not mistaken for production. */
function SandboxBadge({ services }: { services: readonly string[] }) {
  if (services.length === 0) return null;
  const names = services.map((service) => NAMES[service] ?? service).join(", ");
  return (
    <div
      className={cn(
        "group/side relative flex items-start gap-[9px] rounded-[10px] border border-dashed border-line-2 px-3 py-[9px]",
        "text-xs/[1.4] text-ink-2 [&>svg]:mt-0.5 [&>svg]:size-[15px] [&>svg]:flex-none [&>svg]:stroke-[1.8]",
        "[&_b]:block [&_b]:font-semibold xl:[&_b]:text-ink max-md:[&_b]:text-ink",
        "md:max-xl:min-h-11 md:max-xl:w-11 md:max-xl:items-center md:max-xl:justify-center md:max-xl:p-0",
        "md:max-xl:[&>svg]:mt-0",
      )}
      data-slot="sandbox-badge"
      role="note"
    >
      <FlaskConical aria-hidden="true" />
      <span className={SIDEBAR_LABEL}>
        <b>Sandbox</b> <span>{names}</span>
      </span>
    </div>
  );
}

export type SidebarContentProps = {
  product: ProductFacts;
  /** Services replaced by local stand-ins; empty in production. */
  sandboxServices: readonly string[];
  planName: string;
  isFreePlan: boolean;
  /** New pages of watched sites. */
  newPages: number;
};

/** The content of the sidebar and of the drawer. */
export function SidebarContent({ product, sandboxServices, planName, isFreePlan, newPages }: SidebarContentProps) {
  return (
    <>
      <Logo
        name={product.name}
        href="/app"
        className="pt-1 pb-1.5 px-2.5 self-start md:max-xl:p-1.5 md:max-xl:self-center"
        nameClassName="md:max-xl:hidden"
      />
      <SearchButton />
      <SidebarNav
        creatorPath={product.creatorPath}
        creatorLabel={product.creatorLabel}
        isFreePlan={isFreePlan}
        newPages={newPages}
      >
        <SandboxBadge services={sandboxServices} />
      </SidebarNav>
      <div className="grid gap-3 md:max-xl:justify-items-center">
        <CreditPanel planName={planName} />
        <FooterNav />
        <div className="flex items-center gap-2 md:max-xl:grid md:max-xl:justify-items-center md:max-xl:gap-2.5">
          <LogoutButton className={SIDEBAR_ITEM} />
          <ThemeToggle
            className={cn(
              "md:max-xl:flex-col",
              "[@media(min-width:_768px)_and_(max-width:_1199px)_and_(max-height:_1050px)]:hidden",
            )}
          />
        </div>
      </div>
    </>
  );
}
