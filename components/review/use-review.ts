"use client";

import { type RefObject, useMemo, useRef, useState } from "react";
import { useNotice } from "#components/ui/notice.tsx";
import { callAction } from "#lib/client/api.ts";
import { useLiveRows } from "#lib/client/live-cache.ts";
import { queryKeys } from "#lib/client/query-keys.ts";
import { recordReviewAction } from "#lib/features/pins/actions.ts";
import type { Review } from "#lib/features/pins/constants.ts";
import type { PinWire } from "#lib/features/pins/schema.ts";

type Choice = Review | null;
type Step = { id: string; at: number; before: Choice };

/** State of a review: the current draft, the choices and their undo. */
export interface ReviewDeck {
  pins: readonly PinWire[];
  /** Index of the current draft; equals the number of drafts when the review is done. */
  at: number;
  pin: PinWire | null;
  /** False once it was scheduled or deleted elsewhere. */
  isDraft: (pin: PinWire) => boolean;
  choiceOf: (id: string) => Choice;
  counts: { approved: number; rejected: number; open: number };
  canUndo: boolean;
  /** Whether choices are still being saved. */
  isSaving: boolean;
  go: (at: number) => void;
  /** Records the choice for the current draft and goes to the next. */
  decide: (review: Review) => void;
  undo: () => void;
  /** Shows an edited draft. */
  replace: (pin: PinWire) => void;
}

/** The drafts with edits and live updates applied. Deleted ones keep their position. */
const useCurrentDrafts = (first: readonly PinWire[]) => {
  const [edited, setEdited] = useState<ReadonlyMap<string, PinWire>>(new Map());
  const rows = useLiveRows<PinWire>(queryKeys.pinRows);
  const pins = useMemo(
    () => first.map((pin) => rows.get(pin.id)?.value ?? edited.get(pin.id) ?? pin),
    [first, rows, edited],
  );
  return {
    pins,
    isDraft: ({ id, status }: PinWire) => status === "draft" && rows.get(id)?.value !== null,
    replace: (pin: PinWire) => setEdited((before) => new Map(before).set(pin.id, pin)),
  };
};

const firstOpen = (pins: readonly PinWire[]): number => {
  const at = pins.findIndex(({ review }) => review === null);
  return at < 0 ? pins.length : at;
};

/** Shows choices at once and saves them in order, so that the last one wins. */
const useChoices = (first: readonly PinWire[]) => {
  const queue = useRef(Promise.resolve());
  const [pending, setPending] = useState(0);
  const [choices, setChoices] = useState<ReadonlyMap<string, Choice>>(
    () => new Map(first.map(({ id, review }) => [id, review])),
  );
  const setChoice = (id: string, choice: Choice) => setChoices((before) => new Map(before).set(id, choice));
  const save = (pinId: string, review: Choice): Promise<string | null> => {
    setChoice(pinId, review);
    setPending((count) => count + 1);
    const answered = queue.current.then(() => callAction(recordReviewAction({ pinId, review })));
    queue.current = answered.then(() => setPending((count) => count - 1));
    return answered.then((answer) => (answer.ok ? null : answer.text));
  };
  return { choiceOf: (id: string): Choice => choices.get(id) ?? null, setChoice, save, isSaving: pending > 0 };
};

/**
 * Runs a review. A choice that the server rejects is reverted and its draft shown again, unless the user is editing
 * another one.
 */
export const useReview = (first: readonly PinWire[], isEditing: RefObject<boolean>): ReviewDeck => {
  const notice = useNotice();
  const { pins, isDraft, replace } = useCurrentDrafts(first);
  const { choiceOf, setChoice, save, isSaving } = useChoices(first);
  const [at, setAt] = useState(() => firstOpen(first));
  const [past, setPast] = useState<readonly Step[]>([]);
  // Deleted and scheduled drafts have no choice left to undo.
  const undoable = past.findLast(({ id }) => pins.some((one) => one.id === id && isDraft(one)));
  const pin = pins[at] ?? null;
  const drafts = pins.filter(isDraft);
  const count = (choice: Choice) => drafts.filter(({ id }) => choiceOf(id) === choice).length;
  const change = async (step: Step, review: Choice) => {
    const problem = await save(step.id, review);
    if (problem === null) return;
    setChoice(step.id, step.before);
    setPast((steps) => steps.filter((one) => one !== step));
    if (!isEditing.current) setAt(step.at);
    notice.error(problem);
  };

  return {
    pins,
    at,
    pin,
    isDraft,
    choiceOf,
    counts: { approved: count("approved"), rejected: count("rejected"), open: count(null) },
    canUndo: undoable !== undefined,
    isSaving,
    replace,
    go: (to) => setAt(Math.max(0, Math.min(pins.length, to))),
    decide: (review) => {
      if (!pin || !isDraft(pin)) return;
      const step = { id: pin.id, at, before: choiceOf(pin.id) };
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
