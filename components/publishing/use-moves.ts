"use client";

import { useMemo, useRef, useState } from "react";
import { useSessionEnd } from "#components/shared/session.ts";
import { useNotice } from "#components/ui/notice.tsx";
import { showToast } from "#components/ui/toaster.tsx";
import { useStableCallback } from "#components/ui/use-stable-callback.ts";
import { api, describeFailure } from "#lib/client/api.ts";
import type { MovedWire } from "#lib/features/calendar/schema.ts";
import { doneText, type MovePlan, type PinMove, withoutMoves } from "./move-plan.ts";

/** Moves that were made, until the pins are loaded again. */
interface Sent {
  moves: readonly PinMove[];
  /** Whether they were accepted. */
  answered: Promise<boolean>;
}

const UNREACHED = "We couldn't reach the server. Check the calendar, then try again.";

/** What is left of moves once earlier ones of the same pins are answered: they start from where the pins then are. */
const afterEarlier = async (moves: readonly PinMove[], sent: readonly Sent[]): Promise<readonly PinMove[]> => {
  const ids = new Set(moves.map(({ id }) => id));
  let left = moves;
  for (const earlier of sent.filter((one) => one.moves.some(({ id }) => ids.has(id))).toReversed()) {
    if (!(await earlier.answered)) left = withoutMoves(left, earlier.moves);
  }
  return left;
};

/** Sends moves. They show at once, and return when the server refuses them. `reload` is called after each. */
export const useMoves = (reload: () => Promise<void>) => {
  const [shown, setShown] = useState<readonly Sent[]>([]);
  const current = useRef(shown);
  const notice = useNotice();
  const { isSessionFailure } = useSessionEnd();

  const show = (sent: readonly Sent[]) => {
    current.current = sent;
    setShown(sent);
  };

  const post = async (moves: readonly PinMove[], isUndo: boolean): Promise<boolean> => {
    if (moves.length === 0) return true;
    const body = { moves: moves.map(({ id, from, to }) => ({ post_id: id, from, to })), is_undo: isUndo };
    try {
      await api.post<MovedWire>("/api/users/pinterest/move-pins/", body);
      return true;
    } catch (error) {
      if (!isSessionFailure(error)) notice.error(describeFailure(error, UNREACHED));
      return false;
    }
  };

  /** @returns what was moved; null when it was refused. */
  const send = async (moves: readonly PinMove[], isUndo = false): Promise<readonly PinMove[] | null> => {
    const left = afterEarlier(moves, current.current);
    const sent: Sent = { moves, answered: left.then((own) => post(own, isUndo)) };
    show([...current.current, sent]);
    const isDone = await sent.answered;
    await reload();
    show(current.current.filter((one) => one !== sent));
    return isDone ? left : null;
  };

  /** @returns whether the pins were moved. */
  const move = useStableCallback(async (plan: MovePlan, zone: string): Promise<boolean> => {
    if (plan.problem !== null) {
      notice.error(plan.problem);
      return false;
    }
    if (plan.moves.length === 0) return true;
    const moves = await send(plan.moves);
    if (!moves || moves.length === 0) return moves !== null;
    const back = moves.map(({ id, from, to }) => ({ id, from: to, to: from }));
    const undo = async () => {
      if (await send(back, true)) showToast("Undone", { hasCheck: true });
    };
    showToast(doneText({ ...plan, moves }, zone), { hasCheck: true, onUndo: () => void undo() });
    return true;
  });

  /** The times that pins get, or null for drafts. */
  const pending = useMemo(
    () => new Map(shown.flatMap(({ moves }) => moves.map(({ id, to }) => [id, to] as const))),
    [shown],
  );
  return { pending, move };
};
