import Menu from "lucide-react/icons/menu";
import { HEADER_PAGES } from "#components/site/pages.ts";
import { IconButton } from "#components/ui/icon-button.tsx";
import { LOGO, Mark } from "./mark.tsx";
import { SITE_LINK } from "./site-link.ts";
import { SITE_BAR, SITE_MENU } from "./site-style.ts";

const MENU_ID = "plain-menu";

function PlainNav({ className }: { className?: string }) {
  return (
    <nav aria-label="Main" className={className}>
      <ul>
        {HEADER_PAGES.map(({ path, label }) => (
          <li key={path}>
            <a href={path} className={SITE_LINK}>
              {label}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** The public header for pages without scripts, with plain links and a native popover as the menu. */
export function PlainHeader({ name }: { name: string }) {
  return (
    <header className={SITE_BAR}>
      <a href="/" className={LOGO} aria-label={`${name}, home`}>
        <Mark className="size-6 flex-none text-accent-ink" />
        <span className="max-[22.5rem]:hidden" aria-hidden="true">
          {name}
        </span>
      </a>
      <PlainNav className="ml-4 max-md:hidden [&>ul]:flex" />
      <IconButton label="Menu" className="md:hidden ml-auto" popoverTarget={MENU_ID}>
        <Menu aria-hidden="true" />
      </IconButton>
      <div id={MENU_ID} popover="auto" className={SITE_MENU}>
        <PlainNav />
      </div>
    </header>
  );
}
