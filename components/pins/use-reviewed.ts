"use client";

import { useEffect, useEffectEvent } from "react";
import { flushSync } from "react-dom";
import { useNotice } from "#components/ui/notice.tsx";
import { callAction } from "#lib/client/call-action.ts";
import { editQuery } from "#lib/client/edit-query.ts";
import { listReviewedAction } from "#lib/features/pins/actions.ts";
import { REVIEWS, type Review } from "#lib/features/pins/constants.ts";
import type { PostWire } from "#lib/features/pins/schema.ts";

const focusBar = (): void => document.querySelector<HTMLElement>(".schedule-bar")?.focus({ preventScroll: true });

/** Chooses the drafts of which a review said something, where the address asks for that; once, so a reload does not. */
export const useReviewed = (accountId: string | null, choose: (posts: readonly PostWire[]) => void): void => {
  const notice = useNotice();
  const read = useEffectEvent(async (review: Review) => {
    if (!accountId) return;
    const answer = await callAction(listReviewedAction({ accountId, review }));
    if (!answer.ok) return notice.error(answer.text);
    flushSync(() => choose(answer.value.posts));
    // The button that led here is gone: what was asked for is the bar of what is chosen now.
    if (document.activeElement === document.body) focusBar();
  });
  useEffect(() => {
    const asked = new URLSearchParams(location.search).get("choose");
    const review = REVIEWS.find((word) => word === asked);
    if (!review) return;
    editQuery((search) => search.delete("choose"));
    read(review);
  }, []);
};
