"use client";

import { useEffect, useState } from "react";
import { useNotice } from "#components/ui/notice.tsx";
import { callAction } from "#lib/client/call-action.ts";
import { useStream } from "#lib/client/use-stream.ts";
import { SECOND_MS } from "#lib/core/time.ts";
import { readPostAction, recheckLinkAction } from "#lib/features/pins/actions.ts";
import type { PostWire } from "#lib/features/pins/schema.ts";

const WATCH_MS = 5 * SECOND_MS;

export interface LinkNews {
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
export const useLinkNews = (given: PostWire): LinkNews => {
  const notice = useNotice();
  const [news, setNews] = useState<{ given: PostWire; post: PostWire } | null>(null);
  const [askedFor, setAskedFor] = useState<string | null>(null);
  const [isSending, setSending] = useState(false);
  const post = news?.given === given ? news.post : given;
  const hasAsked = askedFor === `${post.id} ${post.url}`;
  const isWaiting = hasAsked && post.link_checking;
  useStream((heard) => {
    if (heard.kind === "post" && heard.data.id === given.id) setNews({ given, post: heard.data });
  });
  useEffect(() => {
    if (!isWaiting) return;
    const timer = setInterval(async () => {
      const answer = await callAction(readPostAction({ pinId: given.id }));
      if (answer.ok) setNews({ given, post: answer.value.post });
    }, WATCH_MS);
    return () => clearInterval(timer);
  }, [isWaiting, given]);
  const checkAgain = async () => {
    setSending(true);
    const answer = await callAction(recheckLinkAction({ pinId: given.id }));
    setSending(false);
    if (!answer.ok) return notice.error(answer.text);
    setAskedFor(`${answer.value.id} ${answer.value.url}`);
    setNews({ given, post: answer.value });
  };
  return { post, isChecking: isSending || isWaiting, hasAsked, checkAgain };
};
