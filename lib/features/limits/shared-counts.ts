import "server-only";
import { eq, sql } from "drizzle-orm";
import { rateLimits } from "#db/schema/limits.ts";
import type { Ctx } from "#lib/context.ts";
import { signText } from "#lib/core/crypto.ts";
import { SECOND_MS } from "#lib/core/time.ts";
import { FAILURES_FORGOTTEN_MS, FREE_FAILURES, SIGN_IN_WAIT_MAX_MS } from "./constants.ts";

const keyOf = (ctx: Ctx, name: string, subject: string): string =>
  `${name}:${signText(ctx.settings.tokenSecret, `limit:${name}:${subject}`)}`;

const seconds = (ms: number) => sql`make_interval(secs => ${ms / SECOND_MS})`;

interface SharedCount {
  /** Calls in the current window, including this one, over all processes. */
  calls: number;
  endsInMs: number;
}

/** Counts a call in one statement, so that concurrent calls of any process get different numbers. */
export const countShared = async (
  ctx: Ctx,
  { name, subject, windowMs, weight = 1 }: { name: string; subject: string; windowMs: number; weight?: number },
): Promise<SharedCount> => {
  const [row] = await ctx.db.execute<{ calls: number; endsInMs: number }>(sql`
    insert into ${rateLimits} as counted (key, calls, ends_at)
    values (${keyOf(ctx, name, subject)}, ${weight}, now() + ${seconds(windowMs)})
    on conflict (key) do update set
      calls = case when counted.ends_at <= now() then 0 else counted.calls end + excluded.calls,
      ends_at = case when counted.ends_at <= now() then excluded.ends_at else counted.ends_at end
    returning calls, (extract(epoch from ends_at - now()) * 1000)::float8 as "endsInMs"`);
  if (!row) throw new Error("An upsert returns its row.");
  return { calls: Number(row.calls), endsInMs: Number(row.endsInMs) };
};

const FAILURES = "sign-in";

/**
 * Takes a turn to try a password for this email, counted as a failure until `forgetFailures`. Turns are shared by all
 * addresses and processes, and apply to unknown emails too. @returns how long to wait for one, in ms; 0: it is taken
 */
export const takeSignInTurn = async (ctx: Ctx, emailKey: string): Promise<number> => {
  const key = keyOf(ctx, FAILURES, emailKey);
  // A concurrent free turn may end after this statement's now(), so free turns aren't decided by time.
  const failures = sql`case when tried.ends_at < now() - ${seconds(FAILURES_FORGOTTEN_MS)} then 1 else tried.calls + 1 end`;
  const taken = await ctx.db.execute(sql`
    insert into ${rateLimits} as tried (key, calls, ends_at) values (${key}, 1, now())
    on conflict (key) do update set calls = ${failures},
      ends_at = now() + make_interval(secs => case when ${failures} <= ${FREE_FAILURES} then 0
        else least(${SIGN_IN_WAIT_MAX_MS / SECOND_MS}, power(2, least(tried.calls - ${FREE_FAILURES}, 20))) end)
    where tried.calls <= ${FREE_FAILURES} or tried.ends_at <= now() returning calls`);
  if (taken.length > 0) return 0;
  const [row] = await ctx.db.execute<{ ms: number }>(
    sql`select (extract(epoch from ends_at - now()) * 1000)::float8 as ms from ${rateLimits} where key = ${key}`,
  );
  return Math.max(1, Number(row?.ms ?? 0));
};

/** After a right password, or a new one by email. */
export const forgetFailures = async (ctx: Ctx, emailKey: string): Promise<void> => {
  await ctx.db.delete(rateLimits).where(eq(rateLimits.key, keyOf(ctx, FAILURES, emailKey)));
};
