import Link from "next/link";
import { cn } from "#components/ui/cn.ts";
import { ThemeToggle } from "#components/ui/theme-toggle.tsx";
import { SUPPORT_HOURS } from "#lib/core/support.ts";
import { LazyAdConsent } from "./lazy-ad-consent.tsx";
import { Logo } from "./logo.tsx";
import { columnPages, type SitePage } from "./pages.ts";
import { FOOTER_LINK } from "./site-style.ts";
import type { ProductFacts } from "./structured-data.tsx";

const footerTitleClass = "mb-2.5 font-sans text-sm/[1.4] font-semibold text-ink";

type FooterColumnProps = { title: string; column: NonNullable<SitePage["column"]> };

/** Links to a group of public pages. */
function FooterColumn({ title, column }: FooterColumnProps) {
  const pages = columnPages(column);
  if (pages.length === 0) return null;
  return (
    <nav aria-label={title}>
      <h2 className={footerTitleClass}>{title}</h2>
      <ul className="grid gap-1">
        {pages.map(({ path, label }) => (
          <li key={path}>
            <Link className={FOOTER_LINK} href={path}>
              {label}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

type SiteFooterProps = { product: ProductFacts; year: number };

/** The footer, with links and contact details. */
export function SiteFooter({ product, year }: SiteFooterProps) {
  const addressLines = product.postalAddress.split(/,\s*|\n/).filter(Boolean);
  return (
    <footer
      className={cn(
        "w-full max-w-[calc(var(--site-max)_+_2_*_var(--gutter))] mx-auto pt-16 pb-10 px-(--gutter)",
        "text-sm text-ink-2",
      )}
    >
      <div
        className={cn(
          "grid grid-cols-[1.5fr] grid-flow-col auto-cols-fr gap-10 pb-12",
          "max-lg:grid-cols-3 max-lg:grid-flow-row max-lg:gap-y-8 max-lg:gap-x-6 max-md:grid-cols-[1fr_1fr]",
          "max-lg:[&>:first-child]:col-span-full",
        )}
      >
        <div>
          <Logo name={product.name} href="/" />
          <address className="mt-4 leading-relaxed not-italic">
            {addressLines.map((line) => (
              <span key={line} className="block">
                {line}
              </span>
            ))}
          </address>
        </div>
        <FooterColumn title="Product" column="product" />
        <FooterColumn title="Company" column="company" />
        <div>
          <h2 className={footerTitleClass}>Support</h2>
          <ul className="grid gap-1">
            <li>
              <a className={cn(FOOTER_LINK, "num")} href={`tel:${product.supportPhone.replace(/[^+\d]/g, "")}`}>
                {product.supportPhone}
              </a>
            </li>
            <li>
              <a className={FOOTER_LINK} href={`mailto:${product.supportEmail}`}>
                {product.supportEmail}
              </a>
            </li>
            <li>{SUPPORT_HOURS}</li>
          </ul>
          <h2 className={cn(footerTitleClass, "mt-7")}>Theme</h2>
          <ThemeToggle />
        </div>
      </div>
      <div className="flex flex-wrap justify-between gap-y-2 gap-x-5 pt-5 text-ink-3 border-t border-line">
        <span>{product.name} works with Pinterest but isn’t made or endorsed by Pinterest.</span>
        {product.adPixelId && <LazyAdConsent productName={product.name} />}
        <span className="num">
          © {year} {product.name}
        </span>
      </div>
    </footer>
  );
}
