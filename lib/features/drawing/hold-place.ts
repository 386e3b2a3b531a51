import "server-only";
import { randomUUID } from "node:crypto";
import type { Ctx } from "#lib/context.ts";
import type { Ear } from "#lib/core/bell.ts";
import { messageOf } from "#lib/core/errors.ts";
import { askPlace, type Claim } from "./ask-place.ts";
import { ABANDON_MS, AGAIN_SECONDS, RENEW_MS, WAIT_MS } from "./constants.ts";
import { pauseDrawing } from "./pause-drawing.ts";
import { findPause } from "./queries.ts";
import { releasePlace } from "./release-place.ts";
import { renewPlace } from "./renew-place.ts";

/** A place to draw, as its holder sees it. */
export interface Place {
  /** Aborted when the lease could not be renewed in time: the call to the model must end then. */
  signal: AbortSignal;
  /** The model has answered: the place goes to the next one, the lease stays until the work is done. */
  handOn(): Promise<void>;
}

/** What the holder's work came to; `paused`: the provider refused for now and asked for a wait. */
export type Drawing<R> = { kind: "done"; result: R } | { kind: "paused"; waitMs: number };

/** `isTaken`: another call waits or draws for the same, and has shown that it lives. */
export type Held<R> = { kind: "done"; result: R } | { kind: "no_place"; afterSeconds: number; isTaken: boolean };

type Turn = { kind: "mine" } | { kind: "none" } | { kind: "taken"; freeMs: number };

/** Waits for a turn, for a minute at most. None when another call draws the same, or the time is over. */
const awaitTurn = async (ctx: Ctx, claim: Claim, ear: Ear, untilMs: number): Promise<Turn> => {
  for (;;) {
    const asked = await askPlace(ctx, claim);
    if (asked.kind === "taken") return asked;
    if (asked.kind === "granted") return { kind: "mine" };
    const leftMs = untilMs - performance.now();
    if (leftMs <= asked.pauseMs || ctx.stopping.aborted) return { kind: "none" };
    // Woken is given a place; the renewal says whether it still is.
    const hasRung = await ear.wait(Math.min(asked.againMs, leftMs), ctx.stopping);
    if (hasRung && (await renewPlace(ctx, claim))) return { kind: "mine" };
  }
};

/** Keeps a lease alive while work goes on; `lost` is aborted in time when that fails. */
const keepLease = (ctx: Ctx, claim: Claim): { lost: AbortSignal; end(): void } => {
  const lost = new AbortController();
  const abandon = () => lost.abort(new Error("The lease of a place to draw could not be renewed."));
  let deadline = setTimeout(abandon, ABANDON_MS);
  const renew = async () => {
    const askedMs = performance.now();
    try {
      if (!(await renewPlace(ctx, claim))) return abandon();
      clearTimeout(deadline);
      if (!hasEnded) deadline = setTimeout(abandon, ABANDON_MS - (performance.now() - askedMs));
    } catch (error) {
      // The next renewal may come through; the deadline stands.
      ctx.log.set({ lease_problem: messageOf(error) });
    }
  };
  let hasEnded = false;
  const timer = setInterval(() => void renew(), RENEW_MS);
  return {
    lost: lost.signal,
    end: () => {
      hasEnded = true;
      clearInterval(timer);
      clearTimeout(deadline);
    },
  };
};

/** A place that cannot be given back now comes free by itself when its lease ends. */
const release = async (ctx: Ctx, claim: Claim, keepsLease: boolean): Promise<void> => {
  try {
    await releasePlace(ctx, { ...claim, keepsLease });
  } catch (error) {
    ctx.log.set({ place_problem: messageOf(error) });
  }
};

const workIn = async <R>(ctx: Ctx, claim: Claim, work: (place: Place) => Promise<Drawing<R>>): Promise<Drawing<R>> => {
  const lease = keepLease(ctx, claim);
  try {
    return await work({ signal: lease.lost, handOn: () => release(ctx, claim, true) });
  } finally {
    lease.end();
  }
};

/**
 * Waits for a place to draw and works in it (docs/decisions/0008). However the work ends, the place is handed on.
 * A pause that the provider asks for holds everybody; the work is done again after it, which counts as no try.
 */
export const holdPlace = async <R>(
  ctx: Ctx,
  wanted: Omit<Claim, "waiter">,
  work: (place: Place) => Promise<Drawing<R>>,
): Promise<Held<R>> => {
  const claim = { ...wanted, waiter: randomUUID() };
  const ear = ctx.bell.listen(claim.waiter);
  const sinceMs = performance.now();
  try {
    let turn = await awaitTurn(ctx, claim, ear, sinceMs + WAIT_MS);
    while (turn.kind === "mine") {
      ctx.log.set({ line_ms: Math.round(performance.now() - sinceMs) });
      const drawing = await workIn(ctx, claim, work);
      if (drawing.kind === "done") return drawing;
      await pauseDrawing(ctx, { ...claim, waitMs: drawing.waitMs });
      turn = await awaitTurn(ctx, claim, ear, sinceMs + WAIT_MS);
    }
    const isTaken = turn.kind === "taken";
    // A living call renews what it holds: who comes at its end finds that out, or a dead one's thing free.
    const waitMs = turn.kind === "taken" ? turn.freeMs : (await findPause(ctx)).waitMs;
    return { kind: "no_place", afterSeconds: Math.max(AGAIN_SECONDS, Math.ceil(waitMs / 1_000)), isTaken };
  } finally {
    ear.close();
    await release(ctx, claim, false);
  }
};
