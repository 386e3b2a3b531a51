import { cn } from "#components/ui/cn.ts";

/* Classes shared by both headers, the footer and the error pages. */

export const SITE_BAR = "site-width flex h-19 items-center gap-5 max-md:h-16 max-md:gap-1.5";

/** The menu of the header on small screens. */
export const SITE_MENU = cn(
  "absolute inset-x-3 top-15 bottom-auto m-0 w-auto rounded-card border border-line-2 bg-raised p-2 text-ink",
  "shadow-pop md:hidden [&_a:hover]:bg-hover",
);

export const FOOTER_LINK = "inline-block py-0.5 wrap-anywhere hover:text-ink hover:underline hover:underline-offset-3";

/** Layout of the error pages: an empty board beside the text. */
export const ERROR_LAYOUT = cn(
  "site-width grid grid-cols-[minmax(0,420px)_minmax(0,1fr)] items-center gap-[clamp(40px,6vw,96px)]",
  "py-[clamp(24px,4vw,56px)] max-lg:grid-cols-[1fr]",
);

/** The outline of a missing pin. */
export const EMPTY_PIN =
  "relative block w-55 rounded-pin border-[1.5px] border-dashed border-control aspect-(--pin-ratio) max-lg:w-31";
