"use client";

import { Banner } from "#components/ui/banner.tsx";
import { useLiveRows } from "#lib/client/use-stream.ts";
import { hasLinkConcern } from "#lib/features/links/policy.ts";
import type { PostWire } from "#lib/features/pins/schema.ts";

/** More are named on their cards. */
const SHOWN_MAX = 5;

type Concern = { url: string; warning: string; pins: number };

/** Each link once, with how many of the pins lead there. */
const concernsOf = (posts: readonly PostWire[]): Concern[] => {
  const found = new Map<string, Concern>();
  for (const { url, link_state, link_warning } of posts) {
    if (url === null || link_warning === null || !hasLinkConcern(link_state)) continue;
    found.set(url, { url, warning: link_warning, pins: (found.get(url)?.pins ?? 0) + 1 });
  }
  return [...found.values()];
};

/**
 * Links of pins that were just made which somebody should look at; they come in as they are checked (R-SRV-08). It is
 * there before the pins are: a link may be checked before the call that made its pin is answered.
 */
export function CreatedLinks({ posts }: { posts: readonly PostWire[] }) {
  const { rows } = useLiveRows<PostWire>((news) => {
    if (news.kind === "post") return { id: news.data.id, value: news.data };
    return news.kind === "post_removed" ? { id: news.data.id, value: null } : null;
  });
  const present = posts.flatMap((post) => (rows.has(post.id) ? (rows.get(post.id)?.value ?? []) : post));
  const concerns = concernsOf(present);
  const hidden = concerns.length - SHOWN_MAX;
  return (
    <div role="status" className="contents">
      {concerns.length > 0 && (
        <Banner tone="low" className="mb-5">
          <p className="font-semibold">
            {concerns.length === 1 ? "A link to look at" : `${concerns.length} links to look at`} before publishing
          </p>
          <ul className="mt-1 grid gap-1">
            {concerns.slice(0, SHOWN_MAX).map(({ url, warning, pins }) => (
              <li key={url}>
                <span className="font-medium">{url}</span>
                {pins > 1 && ` (${pins} pins)`}: {warning}
              </li>
            ))}
          </ul>
          {hidden > 0 && <p className="mt-1">And {hidden} more; their drafts say so in Generated Posts.</p>}
        </Banner>
      )}
    </div>
  );
}
