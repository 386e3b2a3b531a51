"use client";

import Menu from "lucide-react/icons/menu";
import Link from "next/link";
import { usePathname } from "next/navigation";
import { useLayoutEffect, useRef } from "react";
import { IconButton } from "#components/ui/icon-button.tsx";
import { getToken, onTokenChange } from "#lib/client/browser-storage.ts";
import { SITE_LINK, SITE_MENU } from "./frame.ts";
import { HEADER_PAGES } from "./pages.ts";

type SiteNavProps = {
  className?: string;
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
            <Link href={href} className={SITE_LINK} aria-current={currentOf(path, href)} onClick={onFollow}>
              {label}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

const ID = "site-menu";

/**
 * The bar's links on small screens. The browser's own popover: it opens without our scripts, closes by Escape and by a
 * press beside it, and gives the focus back.
 */
export function SiteMenu() {
  const menu = useRef<HTMLDivElement>(null);
  return (
    <>
      <IconButton label="Menu" className="md:hidden" popoverTarget={ID}>
        <Menu aria-hidden="true" />
      </IconButton>
      <div ref={menu} id={ID} popover="auto" className={SITE_MENU}>
        {/* The frame stays when the page changes, and the menu would stay with it. */}
        <SiteNav onFollow={() => menu.current?.hidePopover()} />
      </div>
    </>
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
