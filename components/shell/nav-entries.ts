import Bookmark from "lucide-react/icons/bookmark";
import CalendarDays from "lucide-react/icons/calendar-days";
import ChartLine from "lucide-react/icons/chart-line";
import CircleArrowUp from "lucide-react/icons/circle-arrow-up";
import Clapperboard from "lucide-react/icons/clapperboard";
import Coins from "lucide-react/icons/coins";
import GalleryVerticalEnd from "lucide-react/icons/gallery-vertical-end";
import Globe from "lucide-react/icons/globe";
import ImagePlus from "lucide-react/icons/image-plus";
import Images from "lucide-react/icons/images";
import LayoutGrid from "lucide-react/icons/layout-grid";
import LifeBuoy from "lucide-react/icons/life-buoy";
import Palette from "lucide-react/icons/palette";
import Settings from "lucide-react/icons/settings";
import Sparkles from "lucide-react/icons/sparkles";
import TrendingUp from "lucide-react/icons/trending-up";
import { GENERATED_POSTS_PATH } from "#lib/core/paths.ts";

export type NavEntry = {
  href: string;
  label: string;
  Icon: typeof Images;
  /** Pressed after `g`, this letter opens the screen. */
  letter?: string;
  /** Other search terms in the command palette. */
  aliases?: readonly string[];
};
type NavGroup = { title: string | null; entries: readonly NavEntry[] };

type CreatorFacts = { creatorPath: string; creatorLabel: string };

export type NavFacts = CreatorFacts & { isFreePlan: boolean };

const BUY: NavEntry = {
  href: "/app/buy-credits",
  label: "Buy Credits",
  Icon: Coins,
  letter: "u",
  aliases: ["more credits", "packs"],
};

export const PAGES_PATH = "/app/pages";

const PAGES: NavEntry = {
  href: PAGES_PATH,
  label: "From Your Site",
  Icon: Globe,
  letter: "w",
  aliases: ["feed", "rss", "sitemap", "shop", "blog", "website", "pages"],
};

const KEYWORDS: NavEntry = {
  href: "/app/keywords",
  label: "Keywords",
  Icon: TrendingUp,
  letter: "r",
  aliases: ["trends", "search", "research", "season", "lists"],
};

const UPGRADE: NavEntry = { href: "/pricing", label: "Upgrade to Premium", Icon: CircleArrowUp, aliases: ["plans"] };

/** The sidebar's screens, in groups. */
export function navGroups({ creatorPath, creatorLabel, isFreePlan }: NavFacts): readonly NavGroup[] {
  return [
    { title: null, entries: [{ href: "/app", label: "Pinterest Accounts", Icon: LayoutGrid, letter: "a" }] },
    {
      title: "Create",
      entries: [
        { href: creatorPath, label: creatorLabel, Icon: Sparkles, letter: "c" },
        PAGES,
        { href: "/app/create-pin", label: "Manual Pin Creation", Icon: ImagePlus, letter: "m" },
        {
          href: "/app/brand",
          label: "Brand Kit",
          Icon: Palette,
          letter: "k",
          aliases: ["colors", "fonts", "logo", "templates"],
        },
      ],
    },
    {
      title: "Publish",
      entries: [
        { href: GENERATED_POSTS_PATH, label: "Generated Posts", Icon: Images, letter: "p" },
        {
          href: "/app/calendar",
          label: "Calendar",
          Icon: CalendarDays,
          letter: "d",
          aliases: ["plan", "month", "week", "slots", "drag"],
        },
        { href: "/app/board-manager", label: "Board Manager", Icon: GalleryVerticalEnd, letter: "b" },
        {
          href: "/app/analytics",
          label: "Analytics",
          Icon: ChartLine,
          letter: "n",
          aliases: ["metrics", "results", "impressions", "clicks", "saves"],
        },
      ],
    },
    {
      title: "Research",
      entries: [
        KEYWORDS,
        {
          href: "/app/videos",
          label: "Videos",
          Icon: Clapperboard,
          letter: "v",
          aliases: ["extractor", "extract", "tiktok", "html"],
        },
        { href: "/app/saved-videos", label: "Saved Videos", Icon: Bookmark, letter: "t", aliases: ["tiktok", "ideas"] },
      ],
    },
    // Only users on the free plan get the upgrade link.
    { title: "Account", entries: isFreePlan ? [BUY, UPGRADE] : [BUY] },
  ];
}

/** Entries below the balance. */
export const FOOTER_ENTRIES: readonly NavEntry[] = [
  { href: "/app/settings", label: "Settings", Icon: Settings, letter: "s" },
  { href: "/contact-us", label: "Help Center", Icon: LifeBuoy },
];

/** All entries of the sidebar, in order. */
export function navEntries(facts: NavFacts): readonly NavEntry[] {
  return [...navGroups(facts).flatMap(({ entries }) => entries), ...FOOTER_ENTRIES];
}
