import { cn } from "#components/ui/cn.ts";

/* What the header that needs scripts, the one that does not, and the footer share. */

export const SITE_BAR = "site-width flex h-19 items-center gap-5 max-md:h-16 max-md:gap-1.5";

/** The popover that holds the bar's links on small screens. */
export const SITE_MENU = cn(
  "absolute inset-x-3 top-15 bottom-auto m-0 w-auto rounded-card border border-line-2 bg-raised p-2 text-ink",
  "shadow-pop md:hidden [&_a:hover]:bg-hover",
);

export const FOOTER_LINK = "inline-block py-0.5 wrap-anywhere hover:text-ink hover:underline hover:underline-offset-3";

/** On a page that is not there: the board with an empty place, and the words beside it. */
export const LOST = cn(
  "site-width grid grid-cols-[minmax(0,420px)_minmax(0,1fr)] items-center gap-[clamp(40px,6vw,96px)]",
  "py-[clamp(24px,4vw,56px)] max-lg:grid-cols-[1fr]",
);

/** The place of a pin that is not there. */
export const LOST_OUTLINE =
  "relative block w-55 rounded-pin border-[1.5px] border-dashed border-control aspect-(--pin-ratio) max-lg:w-31";
