"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Banner, type BannerTone } from "#components/ui/banner.tsx";
import { Button } from "#components/ui/button.tsx";
import { useNotice } from "#components/ui/notice.tsx";
import { actionValue, callAction } from "#lib/client/api.ts";
import { useLiveRows } from "#lib/client/live-cache.ts";
import { setKnown } from "#lib/client/query-client.ts";
import { queryKeys } from "#lib/client/query-keys.ts";
import { SECOND_MS } from "#lib/core/time.ts";
import { TEXTS } from "#lib/features/links/constants.ts";
import { hasLinkConcern } from "#lib/features/links/policy.ts";
import { readPostAction, recheckLinkAction } from "#lib/features/pins/actions.ts";
import type { PostWire } from "#lib/features/pins/schema.ts";

const WATCH_MS = 5 * SECOND_MS;

const linkOf = ({ id, url }: PostWire): string => `${id} ${url}`;

/** Whether another look was asked for that has not been taken yet. */
const isAwaited = (post: PostWire, askedFor: string | null): boolean => askedFor === linkOf(post) && post.link_checking;

interface LinkNews {
  /** The pin as it is known now. */
  post: PostWire;
  isChecking: boolean;
  /** Another look was asked for since the link is what it is. */
  hasAsked: boolean;
  checkAgain: () => Promise<void>;
}

/**
 * What is found behind a pin's link, and asking for another look (R-SRV-08). What the stream tells is shown at once;
 * whoever waits for a look and hears nothing asks every few seconds.
 */
const useLinkNews = (given: PostWire): LinkNews => {
  const notice = useNotice();
  const client = useQueryClient();
  const [askedFor, setAskedFor] = useState<string | null>(null);
  const [isSending, setSending] = useState(false);
  // What is given anew is newer than all that was told of what was given before.
  const queryKey = [...queryKeys.pin(given.id), given];
  const { data: post } = useQuery({
    queryKey,
    queryFn: async () => (await actionValue(readPostAction({ pinId: given.id }))).post,
    initialData: given,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnMount: false,
    refetchInterval: ({ state }) => (state.data && isAwaited(state.data, askedFor) ? WATCH_MS : false),
  });
  const hasAsked = askedFor === linkOf(post);
  const isWaiting = isAwaited(post, askedFor);
  const checkAgain = async () => {
    setSending(true);
    const answer = await callAction(recheckLinkAction({ pinId: given.id }));
    setSending(false);
    if (!answer.ok) return notice.error(answer.text);
    setAskedFor(linkOf(answer.value));
    setKnown(client, queryKey, answer.value);
  };
  return { post, isChecking: isSending || isWaiting, hasAsked, checkAgain };
};

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
  const rows = useLiveRows<PostWire>(queryKeys.postRows);
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
