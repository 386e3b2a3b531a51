"use client";

import { useLinkNews } from "#components/pins/use-link-news.ts";
import { Banner, type BannerTone } from "#components/ui/banner.tsx";
import { Button } from "#components/ui/button.tsx";
import { TEXTS } from "#lib/features/links/constants.ts";
import { hasLinkConcern } from "#lib/features/links/policy.ts";
import type { PostWire } from "#lib/features/pins/schema.ts";

const toneOf = ({ link_state, link_warning }: PostWire, isChecking: boolean): BannerTone => {
  if (hasLinkConcern(link_state)) return "low";
  return link_warning === null && !isChecking ? "success" : "plain";
};

/**
 * A pin's link warning with a way to have the link looked at again, for whoever mended the page (R-SRV-08). Nothing is
 * shown of a link that nothing stands against, unless somebody asked. The button keeps the focus whatever is found.
 */
export function LinkCheck({ post: given }: { post: PostWire }) {
  const { post, isChecking, hasAsked, checkAgain } = useLinkNews(given);
  const isShown = post.url !== null && post.status !== "published" && (post.link_warning !== null || hasAsked);
  return (
    <div role="status" className="contents">
      {isShown && (
        <Banner
          tone={toneOf(post, isChecking)}
          action={
            <Button
              size="sm"
              isBusy={isChecking}
              busyLabel="Checking"
              onClick={checkAgain}
              className="shrink-0 max-md:min-h-11"
            >
              Check again
            </Button>
          }
        >
          {post.link_warning ?? (isChecking ? TEXTS.looking : TEXTS.fine)}
        </Banner>
      )}
    </div>
  );
}
