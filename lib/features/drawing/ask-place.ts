import "server-only";
import { eq, sql } from "drizzle-orm";
import { drawingPlaces } from "#db/schema/drawing.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { LEASE_MS, LOOK_LEAST_MS, LOOK_MS, PRESENT_MS } from "./constants.ts";
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
 * `taken`: another call waits or draws for the same; should it be dead, the thing is free after `freeMs`. `waiting`: to
 * be asked again after `againMs`; nobody is given a place before `pauseMs` are over.
 */
export type Asked =
  | { kind: "granted" }
  | { kind: "taken"; freeMs: number }
  | { kind: "waiting"; againMs: number; pauseMs: number };

type Stand = { kind: "leased" } | { kind: "waiting" } | { kind: "taken"; freeMs: number };

const { leasedUntil, presentUntil } = drawingPlaces;
const heldUntil = sql`coalesce(${leasedUntil}, ${presentUntil})`;

/** Milliseconds until a call that gives no sign of life any more has lost what it holds. */
const findFreeMs = async (tx: Ctx, { reference }: Claim): Promise<number> => {
  const [other] = await tx.db
    .select({ ms: sql<number>`ceil(extract(epoch from ${heldUntil} - clock_timestamp()) * 1000)::int` })
    .from(drawingPlaces)
    .where(eq(drawingPlaces.reference, reference));
  return Math.max(0, other?.ms ?? 0);
};

const stand = async (tx: Ctx, claim: Claim): Promise<Stand> => {
  await tx.db.delete(drawingPlaces).where(sql`${heldUntil} <= clock_timestamp()`);
  const [mine] = await tx.db
    .insert(drawingPlaces)
    .values({ ...claim, presentUntil: fromNow(PRESENT_MS) })
    .onConflictDoUpdate({
      target: drawingPlaces.reference,
      // A lease that is found late has run for a while: its holder has the whole of it from now.
      set: {
        presentUntil: fromNow(PRESENT_MS),
        leasedUntil: sql`case when ${leasedUntil} is not null then ${fromNow(LEASE_MS)} end`,
      },
      setWhere: eq(drawingPlaces.waiter, claim.waiter),
    })
    .returning({ leasedUntil });
  if (!mine) return { kind: "taken", freeMs: await findFreeMs(tx, claim) };
  return { kind: mine.leasedUntil ? "leased" : "waiting" };
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
  if (state.kind === "taken") return state;
  if (state.kind === "leased" || granted.includes(claim.waiter)) return { kind: "granted" };
  // Not all at the same moment: each of them gives the next places for everybody.
  const leastMs = LOOK_LEAST_MS * (1 + Math.random());
  return { kind: "waiting", pauseMs, againMs: pauseMs > 0 ? Math.min(Math.max(pauseMs, leastMs), LOOK_MS) : LOOK_MS };
};
