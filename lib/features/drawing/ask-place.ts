import "server-only";
import { eq, sql } from "drizzle-orm";
import { drawingPlaces } from "#db/schema/drawing.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { LOOK_MS, PRESENT_MS } from "./constants.ts";
import { grantPlaces } from "./grant-places.ts";
import { fromNow, lockLine } from "./queries.ts";

/** A call that wants to draw: for what and whom, and since when that waits. `waiter` names the call itself. */
export interface Claim {
  reference: string;
  userId: string;
  askedAt: Date;
  waiter: string;
}

/**
 * `taken`: another call waits or draws for the same. `waiting`: to be asked again after `againMs`; nobody is given a
 * place before `pauseMs` are over.
 */
export type Asked = { kind: "granted" } | { kind: "taken" } | { kind: "waiting"; againMs: number; pauseMs: number };

const stand = async (tx: Ctx, claim: Claim): Promise<"leased" | "waiting" | "taken"> => {
  await tx.db
    .delete(drawingPlaces)
    .where(sql`coalesce(${drawingPlaces.leasedUntil}, ${drawingPlaces.presentUntil}) <= clock_timestamp()`);
  const [mine] = await tx.db
    .insert(drawingPlaces)
    .values({ ...claim, presentUntil: fromNow(PRESENT_MS) })
    .onConflictDoUpdate({
      target: drawingPlaces.reference,
      set: { presentUntil: fromNow(PRESENT_MS) },
      setWhere: eq(drawingPlaces.waiter, claim.waiter),
    })
    .returning({ leasedUntil: drawingPlaces.leasedUntil });
  if (!mine) return "taken";
  return mine.leasedUntil ? "leased" : "waiting";
};

/**
 * Stands in line for a place to draw, or says that one still does (docs/decisions/0008). At most
 * OPENAI_IMAGE_CONCURRENCY places are given at a time over all processes, and one lease per reference.
 */
export const askPlace = async (ctx: Ctx, claim: Claim): Promise<Asked> => {
  const { state, granted, pauseMs } = await inTransaction(ctx, async (tx) => {
    await lockLine(tx);
    return { state: await stand(tx, claim), ...(await grantPlaces(tx)) };
  });
  for (const waiter of granted) ctx.bell.ring(waiter);
  if (state === "taken") return { kind: "taken" };
  if (state === "leased" || granted.includes(claim.waiter)) return { kind: "granted" };
  return { kind: "waiting", pauseMs, againMs: pauseMs > 0 ? Math.min(pauseMs, LOOK_MS) : LOOK_MS };
};
