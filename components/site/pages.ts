/** A public page as menus show it. Its title and description for search engines stand elsewhere. */
export type SitePage = {
  path: `/${string}`;
  label: string;
  /** The footer's column; null: in no column. */
  column: "product" | "company" | null;
  /** Also in the bar above every public page (R-NAV-01). */
  isInHeader: boolean;
};

/**
 * The public pages that menus lead to: header, footer and command palette show them in this order.
 * An entry arrives with its page, so that no link leads nowhere.
 */
export const SITE_PAGES: readonly SitePage[] = [
  { path: "/", label: "Home", column: null, isInHeader: false },
  { path: "/features", label: "Features", column: "product", isInHeader: true },
  { path: "/pricing", label: "Pricing", column: "product", isInHeader: true },
  { path: "/blog", label: "Blog", column: "product", isInHeader: true },
  { path: "/faqs", label: "FAQs", column: "product", isInHeader: true },
  { path: "/status", label: "Status", column: "product", isInHeader: false },
  { path: "/about-us", label: "About us", column: "company", isInHeader: false },
  { path: "/contact-us", label: "Contact us", column: "company", isInHeader: false },
  { path: "/terms-of-service", label: "Terms of service", column: "company", isInHeader: false },
  { path: "/privacy-policy", label: "Privacy policy", column: "company", isInHeader: false },
  { path: "/refund-policy", label: "Refund policy", column: "company", isInHeader: false },
];

/** The pages of the bar above every public page. */
export const HEADER_PAGES = SITE_PAGES.filter(({ isInHeader }) => isInHeader);

/** The pages of one of the footer's columns. */
export function columnPages(column: NonNullable<SitePage["column"]>): readonly SitePage[] {
  return SITE_PAGES.filter((page) => page.column === column);
}
