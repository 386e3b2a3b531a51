/** A public page as shown in menus. See page-copy.ts for its title and description. */
export type SitePage = {
  path: `/${string}`;
  label: string;
  /** Column in the footer; null when it is not in the footer. */
  column: "product" | "company" | null;
  /** Whether the page is also in the header. */
  isInHeader: boolean;
};

/** The public pages in the header, the footer and the command palette, in this order. */
export const SITE_PAGES: readonly SitePage[] = [
  { path: "/", label: "Home", column: null, isInHeader: false },
  { path: "/features", label: "Features", column: "product", isInHeader: true },
  { path: "/pricing", label: "Pricing", column: "product", isInHeader: true },
  { path: "/blog", label: "Blog", column: "product", isInHeader: true },
  { path: "/faqs", label: "FAQs", column: "product", isInHeader: true },
  { path: "/developers", label: "Developers", column: "product", isInHeader: false },
  { path: "/status", label: "Status", column: "product", isInHeader: false },
  { path: "/about-us", label: "About us", column: "company", isInHeader: false },
  { path: "/contact-us", label: "Contact us", column: "company", isInHeader: false },
  { path: "/terms-of-service", label: "Terms of service", column: "company", isInHeader: false },
  { path: "/privacy-policy", label: "Privacy policy", column: "company", isInHeader: false },
  { path: "/refund-policy", label: "Refund policy", column: "company", isInHeader: false },
];

/** The pages in the header. */
export const HEADER_PAGES = SITE_PAGES.filter(({ isInHeader }) => isInHeader);

/** Returns the pages of a footer column. */
export function columnPages(column: NonNullable<SitePage["column"]>): readonly SitePage[] {
  return SITE_PAGES.filter((page) => page.column === column);
}
