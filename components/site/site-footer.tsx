import { AdChoice } from "#components/site/ad-choice.tsx";
import { FooterColumn } from "#components/site/footer-column.tsx";
import { Logo } from "#components/site/logo.tsx";
import { type ProductFacts, SUPPORT_HOURS } from "#components/site/product-facts.ts";
import { ThemeToggle } from "#components/ui/theme-toggle.tsx";

type SiteFooterProps = { product: ProductFacts; year: number };

/** The ways through the site, and address, phone, e-mail and hours (R-GEN-05, R-GEN-06). */
export function SiteFooter({ product, year }: SiteFooterProps) {
  const addressLines = product.postalAddress.split(/,\s*|\n/).filter(Boolean);
  return (
    <footer className="site-footer">
      <div className="site-footer-columns">
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
          <h2 className="site-footer-title">Support</h2>
          <ul className="grid gap-1">
            <li>
              <a className="footer-link num" href={`tel:${product.supportPhone.replace(/[^+\d]/g, "")}`}>
                {product.supportPhone}
              </a>
            </li>
            <li>
              <a className="footer-link" href={`mailto:${product.supportEmail}`}>
                {product.supportEmail}
              </a>
            </li>
            <li>{SUPPORT_HOURS}</li>
          </ul>
          <h2 className="site-footer-title mt-7">Theme</h2>
          <ThemeToggle />
        </div>
      </div>
      <div className="site-footer-fine">
        <span>{product.name} works with Pinterest. It is not made or endorsed by Pinterest.</span>
        {product.adPixelId && <AdChoice />}
        <span className="num">
          © {year} {product.name}
        </span>
      </div>
    </footer>
  );
}
