"use client";

import { type RefObject, useMemo, useRef, useState } from "react";
import { useNotice } from "#components/ui/notice.tsx";
import { callAction } from "#lib/client/api.ts";
import { useLiveRows } from "#lib/client/live-cache.ts";
import { queryKeys } from "#lib/client/query-keys.ts";
import { recordReviewAction } from "#lib/features/pins/actions.ts";
import type { Review } from "#lib/features/pins/constants.ts";
import type { PostWire } from "#lib/features/pins/schema.ts";

type Choice = Review | null;
type Step = { id: string; at: number; before: Choice };

/** Drafts one by one (D9): which is shown, what was said of each, and the way back. */
export interface ReviewDeck {
  posts: readonly PostWire[];
  /** The place of the one that is shown, from 0; behind the last one the review is over. */
  at: number;
  post: PostWire | null;
  /** Whether something can be said of it: it may have been scheduled or deleted elsewhere since. */
  isDraft: (post: PostWire) => boolean;
  choiceOf: (id: string) => Choice;
  counts: { approved: number; rejected: number; open: number };
  canUndo: boolean;
  /** Choices that the server has not answered yet. */
  isSaving: boolean;
  go: (at: number) => void;
  /** Records what is said of the one that is shown, and goes on. */
  decide: (review: Review) => void;
  undo: () => void;
  /** A draft as it has become by an edit. */
  replace: (post: PostWire) => void;
}

/** Drafts as they are now: as edited here, or as the live stream tells it. What has been deleted keeps its place. */
const usePresent = (first: readonly PostWire[]) => {
  const [edited, setEdited] = useState<ReadonlyMap<string, PostWire>>(new Map());
  const rows = useLiveRows<PostWire>(queryKeys.postRows);
  const posts = useMemo(
    () => first.map((post) => rows.get(post.id)?.value ?? edited.get(post.id) ?? post),
    [first, rows, edited],
  );
  return {
    posts,
    isDraft: ({ id, status }: PostWire) => status === "draft" && rows.get(id)?.value !== null,
    replace: (post: PostWire) => setEdited((before) => new Map(before).set(post.id, post)),
  };
};

const firstOpen = (posts: readonly PostWire[]): number => {
  const at = posts.findIndex(({ review }) => review === null);
  return at < 0 ? posts.length : at;
};

/** What was said of each draft: shown at once, and sent in order, so that the last word is the one that is recorded. */
const useChoices = (first: readonly PostWire[]) => {
  const queue = useRef(Promise.resolve());
  const [unanswered, setUnanswered] = useState(0);
  const [said, setSaid] = useState<ReadonlyMap<string, Choice>>(
    () => new Map(first.map(({ id, review }) => [id, review])),
  );
  const say = (id: string, choice: Choice) => setSaid((before) => new Map(before).set(id, choice));
  const record = (pinId: string, review: Choice): Promise<string | null> => {
    say(pinId, review);
    setUnanswered((count) => count + 1);
    const answered = queue.current.then(() => callAction(recordReviewAction({ pinId, review })));
    queue.current = answered.then(() => setUnanswered((count) => count - 1));
    return answered.then((answer) => (answer.ok ? null : answer.text));
  };
  return { choiceOf: (id: string): Choice => said.get(id) ?? null, say, record, isSaving: unanswered > 0 };
};

/**
 * Keeps a review. Choices show at once; one that the server refuses is taken back, and its draft shown again, unless
 * the one that is shown by now is held: words are being typed into it.
 */
export const useReview = (first: readonly PostWire[], isHeld: RefObject<boolean>): ReviewDeck => {
  const notice = useNotice();
  const { posts, isDraft, replace } = usePresent(first);
  const { choiceOf, say, record, isSaving } = useChoices(first);
  const [at, setAt] = useState(() => firstOpen(first));
  const [past, setPast] = useState<readonly Step[]>([]);
  // What has been deleted or scheduled since has no choice any more that could be taken back.
  const undoable = past.findLast(({ id }) => posts.some((one) => one.id === id && isDraft(one)));
  const post = posts[at] ?? null;
  const drafts = posts.filter(isDraft);
  const count = (choice: Choice) => drafts.filter(({ id }) => choiceOf(id) === choice).length;
  const change = async (step: Step, review: Choice) => {
    const refusal = await record(step.id, review);
    if (refusal === null) return;
    say(step.id, step.before);
    setPast((steps) => steps.filter((one) => one !== step));
    if (!isHeld.current) setAt(step.at);
    notice.error(refusal);
  };

  return {
    posts,
    at,
    post,
    isDraft,
    choiceOf,
    counts: { approved: count("approved"), rejected: count("rejected"), open: count(null) },
    canUndo: undoable !== undefined,
    isSaving,
    replace,
    go: (to) => setAt(Math.max(0, Math.min(posts.length, to))),
    decide: (review) => {
      if (!post || !isDraft(post)) return;
      const step = { id: post.id, at, before: choiceOf(post.id) };
      setPast((steps) => [...steps, step]);
      setAt(at + 1);
      change(step, review);
    },
    undo: () => {
      if (!undoable) return;
      setPast((steps) => steps.filter((one) => one !== undoable));
      setAt(undoable.at);
      change({ ...undoable, before: choiceOf(undoable.id) }, undoable.before);
    },
  };
};
