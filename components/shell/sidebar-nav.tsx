"use client";

import Link from "next/link";
import { usePathname } from "next/navigation";
import { navGroups } from "#components/shell/nav-entries.ts";

type SidebarNavProps = { creatorPath: string; creatorLabel: string };

function withoutTrailingSlash(path: string): string {
  return path.length > 1 ? path.replace(/\/+$/, "") : path;
}

/** The screens of the protected area. On the rail the words become tooltips and stay the accessible names. */
export function SidebarNav(creator: SidebarNavProps) {
  const path = withoutTrailingSlash(usePathname());
  return (
    <nav className="side-nav" aria-label="Main">
      {navGroups(creator).map(({ title, entries }) => (
        <div key={title ?? "home"} className="grid gap-px">
          {title && <p className="side-group">{title}</p>}
          <ul className="grid gap-px">
            {entries.map(({ href, label, Icon }) => (
              <li key={href}>
                <Link href={href} className="side-item" aria-current={path === href ? "page" : undefined}>
                  <Icon aria-hidden="true" />
                  <span className="nav-text">{label}</span>
                </Link>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}
