import GalleryVerticalEnd from "lucide-react/icons/gallery-vertical-end";
import Images from "lucide-react/icons/images";
import LayoutGrid from "lucide-react/icons/layout-grid";
import LifeBuoy from "lucide-react/icons/life-buoy";
import Settings from "lucide-react/icons/settings";
import Sparkles from "lucide-react/icons/sparkles";

export type NavEntry = {
  href: string;
  label: string;
  Icon: typeof Images;
  /** With `g` before it, this letter leads here. */
  letter?: string;
};
export type NavGroup = { title: string | null; entries: readonly NavEntry[] };

export type CreatorFacts = { creatorPath: string; creatorLabel: string };

/** The sidebar's screens. An entry arrives with the screen it leads to. */
export function navGroups({ creatorPath, creatorLabel }: CreatorFacts): readonly NavGroup[] {
  return [
    { title: null, entries: [{ href: "/app", label: "Pinterest Accounts", Icon: LayoutGrid, letter: "a" }] },
    { title: "Make", entries: [{ href: creatorPath, label: creatorLabel, Icon: Sparkles, letter: "c" }] },
    {
      title: "Publish",
      entries: [
        { href: "/app/generated-posts", label: "Generated Posts", Icon: Images, letter: "p" },
        { href: "/app/board-manager", label: "Board Manager", Icon: GalleryVerticalEnd, letter: "b" },
      ],
    },
  ];
}

/** Below the balance: settings and help (R-NAV-05). */
export const FOOT_ENTRIES: readonly NavEntry[] = [
  { href: "/app/settings", label: "Settings", Icon: Settings, letter: "s" },
  { href: "/contact-us", label: "Help Center", Icon: LifeBuoy },
];

/** Every entry of the sidebar, in its order. */
export function navEntries(creator: CreatorFacts): readonly NavEntry[] {
  return [...navGroups(creator).flatMap(({ entries }) => entries), ...FOOT_ENTRIES];
}
