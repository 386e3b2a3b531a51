"use client";

import { useMemo, useRef, useState } from "react";
import { useSessionEnd } from "#components/shared/session.ts";
import { useNotice } from "#components/ui/notice.tsx";
import { showToast } from "#components/ui/toaster.tsx";
import { useStableCallback } from "#components/ui/use-stable-callback.ts";
import { api, describeFailure } from "#lib/client/api.ts";
import type { MovedWire } from "#lib/features/calendar/schema.ts";
import { doneText, type MovePlan, type PinMove, withoutMoves } from "./move-plan.ts";
import { readPaceNote } from "./use-pace-warnings.ts";

/** Moves that were made, until the pins are loaded again. */
interface Sent {
  moves: readonly PinMove[];
  /** What was left of them after earlier ones, and whether it was accepted. */
  answered: Promise<{ left: readonly PinMove[]; isAccepted: boolean }>;
}

const UNREACHED = "We couldn't reach the server. Reload the page to see what was moved, then try again.";

/**
 * Waits for earlier moves of the same pins. @returns the moves that still apply from where the pins ended up; only a
 * pin's newest earlier move matters, because it started where the ones before it left the pin
 */
const afterEarlier = async (moves: readonly PinMove[], sent: readonly Sent[]): Promise<readonly PinMove[]> => {
  const newest = new Map(sent.flatMap((one) => one.moves.map(({ id }) => [id, one] as const)));
  const refused: PinMove[] = [];
  for (const earlier of new Set(moves.flatMap(({ id }) => newest.get(id) ?? []))) {
    const { left, isAccepted } = await earlier.answered;
    if (!isAccepted) refused.push(...left.filter(({ id }) => newest.get(id) === earlier));
  }
  return withoutMoves(moves, refused);
};

/** `slots`: refused when another pin took one of the slots in the meantime. */
type How = "move" | "undo" | "slots";

/** Sends moves to the server, and says why it refuses them. @returns whether it accepted them */
const usePost = () => {
  const notice = useNotice();
  const { isSessionFailure } = useSessionEnd();
  return async (moves: readonly PinMove[], how: How): Promise<boolean> => {
    if (moves.length === 0) return true;
    const body = {
      moves: moves.map(({ id, from, to }) => ({ post_id: id, from, to })),
      is_undo: how === "undo",
      ...(how === "slots" && { into_free_slots: true }),
    };
    try {
      await api.post<MovedWire>("/api/users/pinterest/move-pins/", body);
      return true;
    } catch (error) {
      if (!isSessionFailure(error)) notice.error(describeFailure(error, UNREACHED));
      return false;
    }
  };
};

/** Sends moves. They show at once, and return when the server refuses them. `reload` is called after each. */
export const useMoves = (reload: () => Promise<void>) => {
  const [shown, setShown] = useState<readonly Sent[]>([]);
  const current = useRef(shown);
  const notice = useNotice();
  const post = usePost();

  const show = (sent: readonly Sent[]) => {
    current.current = sent;
    setShown(sent);
  };

  /** @returns what was moved; null when it was refused. */
  const send = async (moves: readonly PinMove[], how: How): Promise<readonly PinMove[] | null> => {
    const earlier = current.current;
    const answer = async () => {
      const left = await afterEarlier(moves, earlier);
      return { left, isAccepted: await post(left, how) };
    };
    const sent: Sent = { moves, answered: answer() };
    show([...earlier, sent]);
    const { left, isAccepted } = await sent.answered;
    await reload();
    show(current.current.filter((one) => one !== sent));
    return isAccepted ? left : null;
  };

  /** @returns whether the pins were moved. */
  const move = useStableCallback(async (plan: MovePlan, zone: string): Promise<boolean> => {
    if (plan.problem !== null) {
      notice.error(plan.problem);
      return false;
    }
    if (plan.moves.length === 0) return true;
    const timed = plan.moves.flatMap(({ id, to }) => (to === null ? [] : { id, at: to }));
    const known = plan.pace === undefined ? readPaceNote(timed) : plan.pace;
    const [moves, pace] = await Promise.all([send(plan.moves, plan.requiresFreeSlots ? "slots" : "move"), known]);
    if (!moves || moves.length === 0) return moves !== null;
    const back = moves.map(({ id, from, to }) => ({ id, from: to, to: from }));
    const undo = async () => {
      if (await send(back, "undo")) showToast("Undone", { hasCheck: true });
    };
    // A time that has passed can't be scheduled again.
    const canUndo = back.every(({ to }) => to === null || Date.parse(to) > Date.now());
    const note = [plan.note, pace].filter(Boolean).join(" ") || null;
    showToast(doneText({ moves, note }, zone), { hasCheck: true, ...(canUndo && { onUndo: () => void undo() }) });
    return true;
  });

  /** The times that pins get, or null for drafts. */
  const pending = useMemo(
    () => new Map(shown.flatMap(({ moves }) => moves.map(({ id, to }) => [id, to] as const))),
    [shown],
  );
  return { pending, move };
};
