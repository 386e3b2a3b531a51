import GalleryVerticalEnd from "lucide-react/icons/gallery-vertical-end";
import Images from "lucide-react/icons/images";
import LayoutGrid from "lucide-react/icons/layout-grid";
import Sparkles from "lucide-react/icons/sparkles";

export type NavEntry = { href: string; label: string; Icon: typeof Images };
export type NavGroup = { title: string | null; entries: readonly NavEntry[] };

type CreatorFacts = { creatorPath: string; creatorLabel: string };

/** The sidebar's entries. An entry arrives with the screen it leads to. */
export function navGroups({ creatorPath, creatorLabel }: CreatorFacts): readonly NavGroup[] {
  return [
    { title: null, entries: [{ href: "/app", label: "Pinterest Accounts", Icon: LayoutGrid }] },
    { title: "Make", entries: [{ href: creatorPath, label: creatorLabel, Icon: Sparkles }] },
    {
      title: "Publish",
      entries: [
        { href: "/app/generated-posts", label: "Generated Posts", Icon: Images },
        { href: "/app/board-manager", label: "Board Manager", Icon: GalleryVerticalEnd },
      ],
    },
  ];
}
