import Bookmark from "lucide-react/icons/bookmark";
import ChartLine from "lucide-react/icons/chart-line";
import CircleArrowUp from "lucide-react/icons/circle-arrow-up";
import Clapperboard from "lucide-react/icons/clapperboard";
import Coins from "lucide-react/icons/coins";
import GalleryVerticalEnd from "lucide-react/icons/gallery-vertical-end";
import ImagePlus from "lucide-react/icons/image-plus";
import Images from "lucide-react/icons/images";
import LayoutGrid from "lucide-react/icons/layout-grid";
import LifeBuoy from "lucide-react/icons/life-buoy";
import Palette from "lucide-react/icons/palette";
import Settings from "lucide-react/icons/settings";
import Sparkles from "lucide-react/icons/sparkles";

export type NavEntry = {
  href: string;
  label: string;
  Icon: typeof Images;
  /** With `g` before it, this letter leads here. */
  letter?: string;
  /** Other words under which the palette finds it. */
  words?: readonly string[];
};
export type NavGroup = { title: string | null; entries: readonly NavEntry[] };

export type CreatorFacts = { creatorPath: string; creatorLabel: string };

/** What the entries depend on. */
export type NavFacts = CreatorFacts & { isFreePlan: boolean };

const BUY: NavEntry = {
  href: "/app/buy-credits",
  label: "Buy Credits",
  Icon: Coins,
  letter: "u",
  words: ["more credits", "packs"],
};

const UPGRADE: NavEntry = { href: "/pricing", label: "Upgrade to Premium", Icon: CircleArrowUp, words: ["plans"] };

/** The sidebar's screens. An entry arrives with the screen it leads to. */
export function navGroups({ creatorPath, creatorLabel, isFreePlan }: NavFacts): readonly NavGroup[] {
  return [
    { title: null, entries: [{ href: "/app", label: "Pinterest Accounts", Icon: LayoutGrid, letter: "a" }] },
    {
      title: "Make",
      entries: [
        { href: creatorPath, label: creatorLabel, Icon: Sparkles, letter: "c" },
        { href: "/app/create-pin", label: "Manual Pin Creation", Icon: ImagePlus, letter: "m" },
        {
          href: "/app/brand",
          label: "Brand Kit",
          Icon: Palette,
          letter: "k",
          words: ["colours", "fonts", "logo", "templates"],
        },
      ],
    },
    {
      title: "Publish",
      entries: [
        { href: "/app/generated-posts", label: "Generated Posts", Icon: Images, letter: "p" },
        { href: "/app/board-manager", label: "Board Manager", Icon: GalleryVerticalEnd, letter: "b" },
        {
          href: "/app/analytics",
          label: "Analytics",
          Icon: ChartLine,
          letter: "n",
          words: ["results", "figures", "impressions", "clicks", "saves"],
        },
      ],
    },
    {
      title: "Research",
      entries: [
        {
          href: "/app/videos",
          label: "Videos",
          Icon: Clapperboard,
          letter: "v",
          words: ["extractor", "extract", "tiktok", "html"],
        },
        { href: "/app/saved-videos", label: "Saved Videos", Icon: Bookmark, letter: "t", words: ["tiktok", "ideas"] },
      ],
    },
    // Only who has the free plan can be led to a larger one from here (R-NAV-07, R-NAV-09).
    { title: "Account", entries: isFreePlan ? [BUY, UPGRADE] : [BUY] },
  ];
}

/** Below the balance: settings and help (R-NAV-05). */
export const FOOT_ENTRIES: readonly NavEntry[] = [
  { href: "/app/settings", label: "Settings", Icon: Settings, letter: "s" },
  { href: "/contact-us", label: "Help Center", Icon: LifeBuoy },
];

/** Every entry of the sidebar, in its order. */
export function navEntries(facts: NavFacts): readonly NavEntry[] {
  return [...navGroups(facts).flatMap(({ entries }) => entries), ...FOOT_ENTRIES];
}
