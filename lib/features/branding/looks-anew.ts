import "server-only";
import type { Showing } from "#lib/features/pins/schema.ts";
import type { PictureDescription } from "#lib/integrations/pictures/port.ts";

/** What changes with a pin's picture besides: how it looks, and what was said in a review, of another picture (D9). */
export const looksAnew = ({
  likeness,
  placeholder,
}: PictureDescription): Pick<Showing, "likeness" | "placeholder" | "review" | "reviewedAt"> => ({
  likeness,
  placeholder,
  review: null,
  reviewedAt: null,
});
