"use client";

import { Command } from "cmdk";
import FileText from "lucide-react/icons/file-text";
import GalleryHorizontalEnd from "lucide-react/icons/gallery-horizontal-end";
import History from "lucide-react/icons/history";
import KeyRound from "lucide-react/icons/key-round";
import Keyboard from "lucide-react/icons/keyboard";
import LogOut from "lucide-react/icons/log-out";
import Monitor from "lucide-react/icons/monitor";
import Moon from "lucide-react/icons/moon";
import RefreshCw from "lucide-react/icons/refresh-cw";
import Sun from "lucide-react/icons/sun";
import Webhook from "lucide-react/icons/webhook";
import { useRouter } from "next/navigation";
import { useEffect, useRef } from "react";
import { useCredits } from "#components/credits/credits.tsx";
import { useLogout } from "#components/identity/logout-button.tsx";
import { SITE_PAGES } from "#components/site/pages.ts";
import { cn } from "#components/ui/cn.ts";
import { Kbd } from "#components/ui/kbd.tsx";
import { setTheme } from "#components/ui/theme-choice.ts";
import { CREDITS_HISTORY_PATH, WEBHOOKS_PATH } from "#lib/core/paths.ts";
import { HISTORY_TEXTS } from "#lib/features/credits/constants.ts";
import { REVIEW_PATH } from "#lib/features/pins/constants.ts";
import type { CommandView } from "./commands.tsx";
import { type NavFacts, navEntries } from "./nav-entries.ts";

/** Actions of the palette, other than opening a page. */
type ActionName = "lightTheme" | "darkTheme" | "systemTheme" | "readBalance" | "showShortcuts" | "logOut";

type Shown = {
  label: string;
  Icon: typeof Sun;
  /** Other search terms. */
  aliases?: readonly string[];
  keys?: readonly string[];
};

type PaletteEntry = Shown &
  ({ kind: "link"; href: string } | { kind: "action"; action: ActionName; keepsOpen?: boolean });

type PaletteGroup = { title: string; entries: readonly PaletteEntry[] };

const ACTIONS: readonly PaletteEntry[] = [
  { kind: "action", action: "readBalance", label: "Refresh credit balance", Icon: RefreshCw },
  { kind: "action", action: "lightTheme", label: "Theme: light", Icon: Sun, aliases: ["day", "appearance"] },
  { kind: "action", action: "darkTheme", label: "Theme: dark", Icon: Moon, aliases: ["night", "appearance"] },
  { kind: "action", action: "systemTheme", label: "Theme: system", Icon: Monitor, aliases: ["appearance"] },
  {
    kind: "action",
    action: "showShortcuts",
    label: "Keyboard shortcuts",
    Icon: Keyboard,
    keys: ["?"],
    aliases: ["help", "keys"],
    keepsOpen: true,
  },
  { kind: "action", action: "logOut", label: "Logout", Icon: LogOut, aliases: ["sign out", "log out", "leave"] },
];

/** A screen that is not in the sidebar. */
const REVIEW: PaletteEntry = {
  kind: "link",
  label: "Review Drafts",
  href: REVIEW_PATH,
  Icon: GalleryHorizontalEnd,
  aliases: ["drafts", "approve", "reject"],
};

/** Not in the sidebar either; Settings links to it. */
const HISTORY: PaletteEntry = {
  kind: "link",
  label: HISTORY_TEXTS.title,
  href: CREDITS_HISTORY_PATH,
  Icon: History,
  aliases: ["statement", "ledger", "spent", "refunds"],
};

const API_KEYS: PaletteEntry = {
  kind: "link",
  label: "API Keys",
  href: "/app/settings/api-keys",
  Icon: KeyRound,
  aliases: ["developers", "tokens", "scripts", "integrations"],
};

const WEBHOOKS: PaletteEntry = {
  kind: "link",
  label: "Webhooks",
  href: WEBHOOKS_PATH,
  Icon: Webhook,
  aliases: ["developers", "integrations", "events", "zapier"],
};

/** The palette's entries: the sidebar's screens, actions, and the public pages. */
function paletteGroups(facts: NavFacts): readonly PaletteGroup[] {
  const screens = navEntries(facts).map(
    ({ letter, ...entry }): PaletteEntry => ({ kind: "link", ...entry, ...(letter && { keys: ["g", letter] }) }),
  );
  const pages = SITE_PAGES.map(
    ({ path, label }): PaletteEntry => ({ kind: "link", label, href: path, Icon: FileText }),
  );
  return [
    { title: "Screens", entries: [...screens, REVIEW, HISTORY, API_KEYS, WEBHOOKS] },
    { title: "Actions", entries: ACTIONS },
    { title: "Pages", entries: pages },
  ];
}

/** Returns the handler of each action. */
const useActions = (onOpen: (view: CommandView) => void): Record<ActionName, () => void> => {
  const { reload } = useCredits();
  const { logOut } = useLogout();
  return {
    lightTheme: () => setTheme("light"),
    darkTheme: () => setTheme("dark"),
    systemTheme: () => setTheme("system"),
    readBalance: reload,
    showShortcuts: () => onOpen("shortcuts"),
    logOut: () => void logOut(),
  };
};

export type CommandPaletteProps = { nav: NavFacts; onClose: () => void; onOpen: (view: CommandView) => void };

/** Searches screens, actions and pages (⌘K or Ctrl+K). */
export function CommandPalette({ nav, onClose, onOpen }: CommandPaletteProps) {
  const field = useRef<HTMLInputElement>(null);
  const router = useRouter();
  const actions = useActions(onOpen);

  // The dialog focuses its field on open, but this field may load after that.
  useEffect(() => {
    const dialog = field.current?.closest("[role=dialog]");
    if (dialog?.contains(document.activeElement)) field.current?.focus();
  }, []);

  function select(entry: PaletteEntry): void {
    if (entry.kind === "link" || !entry.keepsOpen) onClose();
    if (entry.kind === "link") router.push(entry.href);
    else actions[entry.action]();
  }

  return (
    <Command label="Screens and actions" loop vimBindings={false}>
      <Command.Input
        ref={field}
        placeholder="Search screens and actions"
        className={cn(
          "flex-none w-full h-15 py-0 px-5.5 bg-transparent text-[1.0625rem] text-ink border-b border-line",
          "focus-visible:outline-none focus-visible:rounded-none",
          "focus-visible:shadow-[inset_0_-2px_0_var(--focus)] placeholder:text-ink-3",
          "placeholder:opacity-100",
        )}
      />
      <Command.List
        className="min-h-0 pt-1.5 pb-2.5 px-2 overflow-y-auto overscroll-contain [scroll-padding-block:34px_10px]"
        label="Screens and actions"
      >
        <Command.Empty className="py-10 px-5 text-center text-sm text-ink-3">No results.</Command.Empty>
        {paletteGroups(nav).map(({ title, entries }) => (
          <Command.Group
            key={title}
            heading={title}
            className={cn(
              "[&>[cmdk-group-heading]]:pt-3 [&>[cmdk-group-heading]]:pb-1.5 [&>[cmdk-group-heading]]:px-3.5",
              "[&>[cmdk-group-heading]]:font-sans [&>[cmdk-group-heading]]:text-xs/[1.2]",
              "[&>[cmdk-group-heading]]:font-medium [&>[cmdk-group-heading]]:text-ink-3",
            )}
          >
            {entries.map((entry) => (
              <Command.Item
                key={entry.label}
                value={entry.label}
                keywords={[title, ...(entry.aliases ?? [])]}
                className={cn(
                  "flex items-center gap-3 min-h-10.5 py-0 px-3.5 rounded-control text-ui/[1.3] text-ink-2",
                  "cursor-pointer aria-selected:bg-accent-tint aria-selected:text-accent-ink max-md:min-h-11.5",
                  "[&>svg]:size-[17px] [&>svg]:flex-none [&>svg]:stroke-[1.7] [&>svg]:text-ink-3",
                  "aria-selected:[&>svg]:text-accent-ink",
                )}
                onSelect={() => select(entry)}
              >
                <entry.Icon aria-hidden="true" />
                <span className="min-w-0 flex-1 truncate">{entry.label}</span>
                {/* Touch devices have no keyboard shortcuts to show. */}
                {entry.keys && <Kbd keys={entry.keys} className="[@media(hover:none)]:hidden" />}
              </Command.Item>
            ))}
          </Command.Group>
        ))}
      </Command.List>
      <p
        className={cn(
          "flex items-center gap-[7px] py-[11px] px-5.5 text-xs text-ink-3 border-t",
          "border-line max-md:hidden",
        )}
        aria-hidden="true"
      >
        <Kbd keys={["↑", "↓"]} /> move
        <Kbd keys={["Enter"]} className="ml-2.5" /> select
        <Kbd keys={["Esc"]} className="ml-2.5" /> close
      </p>
    </Command>
  );
}
