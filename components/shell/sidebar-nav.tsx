"use client";

import Link from "next/link";
import { usePathname } from "next/navigation";
import { type ReactNode, useLayoutEffect, useRef } from "react";
import { SIDEBAR_ITEM, SIDEBAR_LABEL } from "#components/shared/sidebar-item.ts";
import { FOOTER_ENTRIES, type NavEntry, type NavFacts, navGroups, PAGES_PATH } from "#components/shell/nav-entries.ts";
import { NewPagesBadge } from "#components/sites/new-pages.tsx";
import { cn } from "#components/ui/cn.ts";

function withoutTrailingSlash(path: string): string {
  return path.length > 1 ? path.replace(/\/+$/, "") : path;
}

type EntriesProps = { entries: readonly NavEntry[]; newPages?: number };

function Entries({ entries, newPages }: EntriesProps) {
  const path = withoutTrailingSlash(usePathname());
  return (
    <ul className="grid gap-px">
      {entries.map(({ href, label, Icon }) => (
        <li key={href}>
          <Link href={href} className={SIDEBAR_ITEM} aria-current={path === href ? "page" : undefined}>
            <Icon aria-hidden="true" />
            <span className={SIDEBAR_LABEL}>{label}</span>
            {href === PAGES_PATH && newPages !== undefined && <NewPagesBadge initial={newPages} />}
          </Link>
        </li>
      ))}
    </ul>
  );
}

/** Scrolls only this list: `scrollIntoView` would scroll the page, too. */
function showCurrent(list: HTMLElement | null) {
  const link = list?.querySelector<HTMLElement>("[aria-current]");
  if (!list || !link) return;
  const bottom = link.offsetTop + link.offsetHeight;
  if (bottom > list.scrollTop + list.clientHeight) list.scrollTop = bottom - list.clientHeight;
  if (link.offsetTop < list.scrollTop) list.scrollTop = link.offsetTop;
}

type SidebarNavProps = NavFacts & {
  newPages: number;
  /** Shown below the links and scrolled with them. */
  children?: ReactNode;
};

/** Links to the screens. In the collapsed sidebar the labels are tooltips and still the accessible names. */
export function SidebarNav({ newPages, children, ...facts }: SidebarNavProps) {
  const path = usePathname();
  const list = useRef<HTMLDivElement>(null);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new path has another current link
  useLayoutEffect(() => showCurrent(list.current), [path]);

  return (
    <div
      ref={list}
      className={cn(
        "relative flex flex-1 flex-col justify-between gap-4 md:overflow-y-auto",
        "xl:min-h-40 xl:[scrollbar-width:thin] md:max-xl:min-h-11 md:max-xl:items-center",
        // Tooltips to the right of the collapsed list would be clipped, so it reaches there, out of the mouse's way.
        "md:max-xl:-mr-64 md:max-xl:self-stretch md:max-xl:pr-64 md:max-xl:[scrollbar-width:none]",
        "md:max-xl:pointer-events-none md:max-xl:*:pointer-events-auto",
      )}
    >
      <nav className="grid gap-px" aria-label="Main">
        {navGroups(facts).map(({ title, entries }) => (
          <div
            key={title ?? "home"}
            className={cn(
              "grid gap-px md:max-xl:not-first:mt-[9px] md:max-xl:not-first:border-t",
              "md:max-xl:not-first:border-line md:max-xl:not-first:pt-[9px]",
            )}
          >
            {title && (
              <p
                className={cn(
                  "pt-[15px] pb-[7px] px-2.5 font-sans text-xs/none font-medium text-ink-3 md:max-xl:hidden",
                  "[@media(min-width:_1200px)_and_(max-height:_1100px)]:pt-2.5",
                  "[@media(min-width:_1200px)_and_(max-height:_1100px)]:pb-[5px]",
                )}
              >
                {title}
              </p>
            )}
            <Entries entries={entries} newPages={newPages} />
          </div>
        ))}
      </nav>
      {children}
    </div>
  );
}

/** Links to Settings and the Help Center. */
export function FooterNav() {
  if (FOOTER_ENTRIES.length === 0) return null;
  return (
    <nav aria-label="Settings and help">
      <Entries entries={FOOTER_ENTRIES} />
    </nav>
  );
}
