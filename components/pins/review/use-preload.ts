"use client";

import { useEffect } from "react";
import { thumbnailSet } from "#lib/features/pins/policy.ts";
import type { PostWire } from "#lib/features/pins/schema.ts";

/** Pictures that are fetched before they are shown. */
const AHEAD = 3;

/** As wide as a review draws the picture. */
export const REVIEW_SIZES = "(min-width: 768px) 380px, 74vw";

/** Fetches the pictures behind the one that is shown, as the same candidates of `srcset` that will be shown. */
export const usePreload = (posts: readonly PostWire[], at: number): void => {
  useEffect(() => {
    for (const { image_url } of posts.slice(at + 1, at + 1 + AHEAD)) {
      const image = new Image();
      image.sizes = REVIEW_SIZES;
      image.srcset = thumbnailSet(image_url) ?? "";
      image.src = image_url;
    }
  }, [posts, at]);
};
