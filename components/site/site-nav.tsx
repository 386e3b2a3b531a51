"use client";

import Link from "next/link";
import { usePathname } from "next/navigation";
import { type MouseEvent, useLayoutEffect } from "react";
import { getToken, onTokenChange } from "#lib/client/browser-storage.ts";
import type { SitePage } from "./pages.ts";
import { SITE_LINK } from "./site-link.ts";

/** `page` for the page itself, `true` for what stands below it. */
function currentOf(path: string, href: string): "page" | "true" | undefined {
  if (path === href) return "page";
  return path.startsWith(`${href}/`) ? "true" : undefined;
}

type SiteNavProps = {
  /** The server hands them over: the browser needs no more of the site's pages. */
  pages: readonly Pick<SitePage, "path" | "label">[];
  className?: string;
};

/** The frame stays when the page changes, and an open menu would stay with it. */
function closeMenu(event: MouseEvent<HTMLElement>): void {
  event.currentTarget.closest<HTMLElement>("[popover]")?.hidePopover();
}

/** Features, Pricing, Blog, FAQs (R-NAV-01), in the bar or in its menu. */
export function SiteNav({ pages, className }: SiteNavProps) {
  const path = usePathname();
  return (
    <nav aria-label="Main" className={className}>
      <ul>
        {pages.map(({ path: href, label }) => (
          <li key={href}>
            <Link href={href} className={SITE_LINK} aria-current={currentOf(path, href)} onClick={closeMenu}>
              {label}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** Keeps the root's `data-session` true to the stored token after the first paint: on logging in and out, in any tab. */
export function SessionMark() {
  useLayoutEffect(() => {
    const mark = (): void => {
      const { dataset } = document.documentElement;
      if (getToken() === null) delete dataset.session;
      else dataset.session = "stored";
    };
    mark();
    return onTokenChange(mark);
  }, []);
  return null;
}
