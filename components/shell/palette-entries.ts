import FileText from "lucide-react/icons/file-text";
import GalleryHorizontalEnd from "lucide-react/icons/gallery-horizontal-end";
import History from "lucide-react/icons/history";
import Keyboard from "lucide-react/icons/keyboard";
import LogOut from "lucide-react/icons/log-out";
import Monitor from "lucide-react/icons/monitor";
import Moon from "lucide-react/icons/moon";
import RefreshCw from "lucide-react/icons/refresh-cw";
import Sun from "lucide-react/icons/sun";
import { type NavFacts, navEntries } from "#components/shell/nav-entries.ts";
import { SITE_PAGES } from "#components/site/pages.ts";
import { CREDITS_HISTORY_PATH } from "#lib/core/paths.ts";
import { HISTORY_TEXTS } from "#lib/features/credits/constants.ts";
import { REVIEW_PATH } from "#lib/features/pins/constants.ts";

/** What the palette can do without going anywhere. */
export type ActionName = "lightTheme" | "darkTheme" | "systemTheme" | "readBalance" | "showShortcuts" | "logOut";

type Shown = {
  label: string;
  Icon: typeof Sun;
  /** Other words under which it is found. */
  words?: readonly string[];
  keys?: readonly string[];
};

export type PaletteEntry = Shown &
  ({ kind: "link"; href: string } | { kind: "action"; action: ActionName; keepsOpen?: boolean });

export type PaletteGroup = { title: string; entries: readonly PaletteEntry[] };

const ACTIONS: readonly PaletteEntry[] = [
  { kind: "action", action: "readBalance", label: "Read the credit balance again", Icon: RefreshCw },
  { kind: "action", action: "lightTheme", label: "Theme: light", Icon: Sun, words: ["day", "appearance"] },
  { kind: "action", action: "darkTheme", label: "Theme: dark", Icon: Moon, words: ["night", "appearance"] },
  { kind: "action", action: "systemTheme", label: "Theme: as the device", Icon: Monitor, words: ["appearance"] },
  {
    kind: "action",
    action: "showShortcuts",
    label: "Keyboard shortcuts",
    Icon: Keyboard,
    keys: ["?"],
    words: ["help", "keys"],
    keepsOpen: true,
  },
  { kind: "action", action: "logOut", label: "Logout", Icon: LogOut, words: ["sign out", "log out", "leave"] },
];

/** A screen that is no entry of the sidebar: it is a way through the drafts. */
const REVIEW: PaletteEntry = {
  kind: "link",
  label: "Quick review",
  href: REVIEW_PATH,
  Icon: GalleryHorizontalEnd,
  words: ["drafts", "approve", "reject"],
};

/** Neither is the story of the credits: Settings leads there. */
const HISTORY: PaletteEntry = {
  kind: "link",
  label: HISTORY_TEXTS.title,
  href: CREDITS_HISTORY_PATH,
  Icon: History,
  words: ["statement", "ledger", "spent", "refunds"],
};

/** What the command palette offers: the sidebar's screens, what can be done at once, and the public pages. */
export function paletteGroups(facts: NavFacts): readonly PaletteGroup[] {
  const screens = navEntries(facts).map(
    ({ letter, ...entry }): PaletteEntry => ({ kind: "link", ...entry, ...(letter && { keys: ["g", letter] }) }),
  );
  const pages = SITE_PAGES.map(
    ({ path, label }): PaletteEntry => ({ kind: "link", label, href: path, Icon: FileText }),
  );
  return [
    { title: "Screens", entries: [...screens, REVIEW, HISTORY] },
    { title: "Actions", entries: ACTIONS },
    { title: "Pages", entries: pages },
  ];
}
