"use client";

import { useState } from "react";
import { useSessionEnd } from "#components/shared/session.ts";
import { useNotice } from "#components/ui/notice.tsx";
import { showToast } from "#components/ui/toaster.tsx";
import { useStableCallback } from "#components/ui/use-stable-callback.ts";
import { api, describeFailure } from "#lib/client/api.ts";
import type { MovedWire } from "#lib/features/calendar/schema.ts";
import { doneText, type MovePlan, type PinMove } from "./move-plan.ts";

type Pending = ReadonlyMap<string, string | null>;

const UNREACHED = "We couldn't reach the server. Check the calendar, then try again.";

/** Sends moves. They show at once, and return when the server refuses them. `reload` is called after each. */
export const useMoves = (reload: () => Promise<void>) => {
  const [pending, setPending] = useState<Pending>(new Map());
  const notice = useNotice();
  const { isSessionFailure } = useSessionEnd();

  const send = async (moves: readonly PinMove[]): Promise<boolean> => {
    setPending((before) => new Map([...before, ...moves.map(({ id, to }) => [id, to] as const)]));
    const body = { moves: moves.map(({ id, from, to }) => ({ post_id: id, from, to })) };
    let isDone = true;
    try {
      await api.post<MovedWire>("/api/users/pinterest/move-pins/", body);
    } catch (error) {
      isDone = false;
      if (!isSessionFailure(error)) notice.error(describeFailure(error, UNREACHED));
    }
    await reload();
    // A later move of the same pin stays.
    setPending(
      (before) => new Map([...before].filter(([id, to]) => !moves.some((one) => one.id === id && one.to === to))),
    );
    return isDone;
  };

  /** @returns whether the pins were moved. */
  const move = useStableCallback(async (plan: MovePlan, zone: string): Promise<boolean> => {
    if (plan.problem !== null) {
      notice.error(plan.problem);
      return false;
    }
    if (plan.moves.length === 0) return true;
    if (!(await send(plan.moves))) return false;
    const back = plan.moves.map(({ id, from, to }) => ({ id, from: to, to: from }));
    const undo = async () => {
      if (await send(back)) showToast("Undone", { hasCheck: true });
    };
    showToast(doneText(plan, zone), { hasCheck: true, onUndo: () => void undo() });
    return true;
  });
  return { pending, move };
};
