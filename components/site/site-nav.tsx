"use client";

import Link from "next/link";
import { usePathname } from "next/navigation";
import { HEADER_PAGES } from "#components/site/pages.ts";

type SiteNavProps = {
  className: string;
  /** Called when one of the links is followed. */
  onFollow?: () => void;
};

/** `page` for the page itself, `true` for what stands below it. */
function currentOf(path: string, href: string): "page" | "true" | undefined {
  if (path === href) return "page";
  return path.startsWith(`${href}/`) ? "true" : undefined;
}

/** Features, Pricing, Blog, FAQs (R-NAV-01). */
export function SiteNav({ className, onFollow }: SiteNavProps) {
  const path = usePathname();
  return (
    <nav aria-label="Main" className={className}>
      <ul>
        {HEADER_PAGES.map(({ path: href, label }) => (
          <li key={href}>
            <Link href={href} className="site-link" aria-current={currentOf(path, href)} onClick={onFollow}>
              {label}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
