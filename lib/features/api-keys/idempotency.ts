import "server-only";
import { and, asc, eq, isNotNull, sql } from "drizzle-orm";
import { apiWrites } from "#db/schema/api-keys.ts";
import type { Ctx } from "#lib/context.ts";
import { randomToken } from "#lib/core/crypto.ts";
import { AppError, requireUserId } from "#lib/core/errors.ts";
import { SECOND_MS } from "#lib/core/time.ts";
import { WRITE_KEPT_MS, WRITE_LEASE_MS } from "./constants.ts";

export interface WriteAnswer {
  status: number;
  /** JSON */
  body: string;
}

interface Write {
  key: string;
  digest: string;
}

/** `writeKey` is the same for all runs of one write, and another one when the key is used again after a day. */
type Claim =
  // `isFirst`: no earlier run can have done the work.
  { kind: "run"; lease: string; writeKey: string; isFirst: boolean } | { kind: "repeat"; answer: WriteAnswer };

const ago = (ms: number) => sql`now() - make_interval(secs => ${ms / SECOND_MS})`;
const leaseEnd = sql`now() + make_interval(secs => ${WRITE_LEASE_MS / SECOND_MS})`;

/**
 * Decides whether a write with an idempotency key runs. One whose process died runs again once its lease has ended: its
 * use case must not do its work twice. @throws AppError `key_reused`, `write_in_progress`
 */
export const claimWrite = async (ctx: Ctx, { key, digest }: Write): Promise<Claim> => {
  const userId = requireUserId(ctx);
  const lease = randomToken(16);
  const isOld = sql`${apiWrites.createdAt} < ${ago(WRITE_KEPT_MS)}`;
  const isAbandoned = sql`${apiWrites.status} is null and ${apiWrites.leasedUntil} < now() and ${apiWrites.digest} = ${digest}`;
  const claimed = await ctx.db
    .insert(apiWrites)
    .values({ userId, key, digest, lease, leasedUntil: leaseEnd })
    .onConflictDoUpdate({
      target: [apiWrites.userId, apiWrites.key],
      set: {
        ...{ digest, lease, leasedUntil: leaseEnd, status: null, bodySealed: null },
        createdAt: sql`case when ${isOld} then now() else ${apiWrites.createdAt} end`,
      },
      setWhere: sql`(${isOld}) or (${isAbandoned})`,
    })
    .returning({
      createdAt: apiWrites.createdAt,
      isFirst: sql<boolean>`${apiWrites.createdAt} = now()::timestamptz(3)`,
    });
  const [run] = claimed;
  if (run) return { kind: "run", lease, writeKey: `${run.createdAt.getTime()}:${key}`, isFirst: run.isFirst };
  const [earlier] = await ctx.db
    .select()
    .from(apiWrites)
    .where(and(eq(apiWrites.userId, userId), eq(apiWrites.key, key)));
  if (earlier && earlier.digest !== digest) throw new AppError("key_reused");
  // Gone: another request released it just now.
  if (!earlier?.bodySealed || earlier.status === null)
    throw new AppError("write_in_progress", { retryAfterSeconds: 2 });
  return { kind: "repeat", answer: { status: earlier.status, body: ctx.sealer.open(earlier.bodySealed) } };
};

const isHeld = (ctx: Ctx, key: string, lease: string) =>
  and(eq(apiWrites.userId, requireUserId(ctx)), eq(apiWrites.key, key), eq(apiWrites.lease, lease));

export const keepAnswer = async (
  ctx: Ctx,
  { key, lease, answer }: { key: string; lease: string; answer: WriteAnswer },
): Promise<void> => {
  await ctx.db
    .update(apiWrites)
    .set({ status: answer.status, bodySealed: ctx.sealer.seal(answer.body) })
    .where(isHeld(ctx, key, lease));
};

/**
 * After an error, so that the client can repeat the request. `mayBeDone`: this run or an earlier one failed on our side,
 * perhaps after the work was committed, so the repetition counts as the same write.
 */
export const releaseWrite = async (
  ctx: Ctx,
  { key, lease, mayBeDone }: { key: string; lease: string; mayBeDone: boolean },
): Promise<void> => {
  const held = isHeld(ctx, key, lease);
  if (mayBeDone)
    await ctx.db
      .update(apiWrites)
      .set({ leasedUntil: new Date(0) })
      .where(held);
  else await ctx.db.delete(apiWrites).where(held);
};

const RESEALED_AT_ONCE = 500;

/** Re-encrypts kept answers with the first key. @returns how many, and how many could not be read */
export const resealAnswers = async ({ db, sealer }: Ctx): Promise<{ resealed: number; unreadable: number }> => {
  const { userId, key, bodySealed } = apiWrites;
  const counts = { resealed: 0, unreadable: 0 };
  let last = { userId: "", key: "" };
  for (;;) {
    const rows = await db
      .select({ userId, key, bodySealed })
      .from(apiWrites)
      .where(and(isNotNull(bodySealed), sql`(${userId}, ${key}) > (${last.userId}, ${last.key})`))
      .orderBy(asc(userId), asc(key))
      .limit(RESEALED_AT_ONCE);
    for (const row of rows) {
      last = row;
      const sealed = row.bodySealed ?? "";
      if (sealer.isCurrent(sealed)) continue;
      counts[sealer.canOpen(sealed) ? "resealed" : "unreadable"] += 1;
      if (!sealer.canOpen(sealed)) continue;
      const isSame = and(eq(userId, row.userId), eq(key, row.key), eq(bodySealed, sealed));
      await db
        .update(apiWrites)
        .set({ bodySealed: sealer.seal(sealer.open(sealed)) })
        .where(isSame);
    }
    if (rows.length < RESEALED_AT_ONCE) return counts;
  }
};
