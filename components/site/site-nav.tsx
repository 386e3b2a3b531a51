"use client";

import Link from "next/link";
import { usePathname } from "next/navigation";
import { type MouseEvent, useLayoutEffect } from "react";
import { getToken, onTokenChange } from "#lib/client/browser-storage.ts";
import type { SitePage } from "./pages.ts";
import { SITE_LINK } from "./site-link.ts";

/** Returns `page` for the page itself and `true` for pages below it. */
function currentOf(path: string, href: string): "page" | "true" | undefined {
  if (path === href) return "page";
  return path.startsWith(`${href}/`) ? "true" : undefined;
}

type SiteNavProps = {
  /** Passed by the server, so that the full list of pages is not sent to the browser. */
  pages: readonly Pick<SitePage, "path" | "label">[];
  className?: string;
};

/** The layout stays on navigation, so an open menu must be closed. */
function closeMenu(event: MouseEvent<HTMLElement>): void {
  event.currentTarget.closest<HTMLElement>("[popover]")?.hidePopover();
}

/** The links of the header, in the bar or in its menu. */
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

/** Updates the root's `data-session` when the user logs in or out in any tab. */
export function SessionSync() {
  useLayoutEffect(() => {
    const update = (): void => {
      const { dataset } = document.documentElement;
      if (getToken() === null) delete dataset.session;
      else dataset.session = "stored";
    };
    update();
    return onTokenChange(update);
  }, []);
  return null;
}
