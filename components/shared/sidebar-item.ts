import { cn } from "#components/ui/cn.ts";

/** Classes of a sidebar item. From 768 to 1199 px the sidebar is collapsed and shows icons only. */
export const SIDEBAR_ITEM = cn(
  "group/side relative flex min-h-9.5 w-full items-center gap-[11px] rounded-[8px] px-2.5 text-left leading-[1.2]",
  "font-medium text-ink-2 transition-[background] duration-(--dur-hover) ease-out hover:bg-hover",
  "focus-visible:rounded-[8px] focus-visible:-outline-offset-2",
  "aria-[current]:bg-accent-tint aria-[current]:font-semibold aria-[current]:text-accent-ink",
  "[&>svg]:size-[17px] [&>svg]:flex-none [&>svg]:stroke-[1.7] [&>svg]:text-ink-3",
  "aria-[current]:[&>svg]:stroke-2 aria-[current]:[&>svg]:text-accent-ink",
  "max-md:min-h-11 md:max-xl:min-h-11 md:max-xl:w-11 md:max-xl:justify-center md:max-xl:px-0",
  "[@media(min-width:1200px)_and_(max-height:1100px)]:min-h-8.5",
);

/** Classes of an item's label. In the collapsed sidebar it is a tooltip, shown on hover and focus. */
export const SIDEBAR_LABEL = cn(
  "md:max-xl:pointer-events-none md:max-xl:absolute md:max-xl:top-1/2 md:max-xl:left-[calc(100%+10px)]",
  "md:max-xl:w-max md:max-xl:max-w-60 md:max-xl:rounded-[8px] md:max-xl:bg-band md:max-xl:px-[11px]",
  "md:max-xl:py-[7px] md:max-xl:text-xs/[1.3] md:max-xl:font-medium md:max-xl:text-band-ink md:max-xl:opacity-0",
  "md:max-xl:-translate-x-1 md:max-xl:-translate-y-1/2",
  "md:max-xl:transition-[opacity,translate] md:max-xl:duration-(--dur-hover) md:max-xl:ease-out",
  "md:max-xl:group-hover/side:translate-x-0 md:max-xl:group-hover/side:opacity-100",
  "md:max-xl:group-focus-visible/side:translate-x-0 md:max-xl:group-focus-visible/side:opacity-100",
);
