import { cn } from "#components/ui/cn.ts";

/** A link in the header. It has its own file because every page loads it. */
export const SITE_LINK = cn(
  "flex min-h-11 items-center rounded-control px-3.5 text-ui font-medium text-ink-2",
  "transition-[color] duration-(--dur-hover) ease-out hover:text-ink",
  "focus-visible:rounded-control focus-visible:-outline-offset-2",
  "aria-[current]:font-semibold aria-[current]:text-accent-ink",
);
