"use client";

import Menu from "lucide-react/icons/menu";
import { useRef } from "react";
import { SiteNav } from "#components/site/site-nav.tsx";
import { IconButton } from "#components/ui/icon-button.tsx";

const ID = "site-menu";

/**
 * The bar's links on small screens. The browser's own popover: it opens without our scripts, closes by Escape and by a
 * press beside it, and gives the focus back.
 */
export function SiteMenu() {
  const menu = useRef<HTMLDivElement>(null);
  return (
    <>
      <IconButton label="Menu" className="site-menu-button" popoverTarget={ID}>
        <Menu aria-hidden="true" />
      </IconButton>
      <div ref={menu} id={ID} popover="auto" className="site-menu">
        {/* The frame stays when the page changes, and the menu would stay with it. */}
        <SiteNav className="site-menu-links" onFollow={() => menu.current?.hidePopover()} />
      </div>
    </>
  );
}
