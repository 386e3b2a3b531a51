import "server-only";
import { and, asc, count, eq, sql } from "drizzle-orm";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import { pins } from "#db/schema/pins.ts";
import { publishAttempts } from "#db/schema/publishing.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { requireUserId } from "#lib/core/errors.ts";
import { eraseTokens } from "#lib/features/accounts/access-tokens.ts";
import { requireOwnedAccount } from "#lib/features/accounts/queries.ts";
import { deleteMetrics } from "#lib/features/analytics/stored-metrics.ts";
import { toPin } from "#lib/features/pins/queries.ts";
import { applyDecision } from "./attempts.ts";
import { decideOnRemoval } from "./policy.ts";
import { lockScheduledPin } from "./queries.ts";
import type { DisconnectedAccountWire } from "./schema.ts";

interface QueueDepth {
  /** Scheduled pins: due now; due but held by their account (reconnect or pause); due later. */
  due: number;
  held: number;
  waiting: number;
  /** How long the oldest due pin has been due, in seconds; 0 without any. */
  oldestDueSeconds: number;
  /** Open attempts: recorded; called without an answer; called with an unknown outcome. */
  armed: number;
  calling: number;
  unclear: number;
}

const COUNTED_MAX = 100_000;

const countPins = (ctx: Ctx) =>
  ctx.db.execute<Pick<QueueDepth, "due" | "held" | "waiting" | "oldestDueSeconds">>(sql`
    select count(*) filter (where is_due and not is_held)::int as due,
      count(*) filter (where is_due and is_held)::int as held,
      count(*) filter (where not is_due)::int as waiting,
      coalesce(extract(epoch from now() - min(scheduled_at) filter (where is_due and not is_held)), 0)
        ::float as "oldestDueSeconds"
    from (
      select p.scheduled_at, p.scheduled_at <= now() as is_due,
        a.status <> 'connected' or coalesce(a.paused_until > now(), false) as is_held
      from ${pins} p join ${pinterestAccounts} a on a.id = p.account_id
      where p.status = 'scheduled' order by p.wake_at limit ${COUNTED_MAX}) scheduled`);

const countAttempts = (ctx: Ctx) =>
  ctx.db.execute<Pick<QueueDepth, "armed" | "calling" | "unclear">>(sql`
    select count(*) filter (where state = 'armed')::int as armed,
      count(*) filter (where state = 'calling' and called_at is not null and answered_at is null)::int as calling,
      count(*) filter (where state = 'calling' and (called_at is null or answered_at is not null))::int as unclear
    from (select state, called_at, answered_at from ${publishAttempts} where state <> 'settled' limit ${COUNTED_MAX}) open`);

export const countQueue = async (ctx: Ctx): Promise<QueueDepth> => {
  const [[scheduled], [open]] = await Promise.all([countPins(ctx), countAttempts(ctx)]);
  if (!scheduled || !open) throw new Error("A count without a grouping has one row.");
  return { ...scheduled, ...open };
};

/** The user's accounts to reconnect, oldest first, with their waiting pins. @throws AppError `unauthenticated` */
export const findDisconnectedAccounts = async (ctx: Ctx): Promise<DisconnectedAccountWire[]> => {
  const { id, username, connectedAt } = pinterestAccounts;
  // A literal, to match the partial index on scheduled pins.
  const isWaiting = and(eq(pins.accountId, id), eq(pins.status, sql`'scheduled'`));
  const isLost = and(
    eq(pinterestAccounts.userId, requireUserId(ctx)),
    eq(pinterestAccounts.status, "reconnect_needed"),
  );
  return ctx.db
    .select({ id, username, waiting_pins: count(pins.id) })
    .from(pinterestAccounts)
    .leftJoin(pins, isWaiting)
    .where(isLost)
    .groupBy(id)
    .orderBy(asc(connectedAt), asc(id));
};

/** A pin stays scheduled until its call's outcome is known or the lease ends. @throws AppError `not_found` */
export const removeAccount = async (ctx: Ctx, input: { accountId: string }): Promise<void> => {
  const account = await requireOwnedAccount(ctx, input.accountId);
  await inTransaction(ctx, async (tx) => {
    // Locks the account first: anyone scheduling pins meanwhile waits, then finds it removed.
    await eraseTokens(tx, { accountId: account.id });
    await deleteMetrics(tx, { accountIds: [account.id] });
    const rows = await tx.db
      .select()
      .from(pins)
      .where(and(eq(pins.accountId, account.id), eq(pins.status, "scheduled")))
      .orderBy(pins.id);
    for (const { id: pinId, scheduleGeneration } of rows.map(toPin)) {
      const locked = await lockScheduledPin(tx, { pinId, scheduleGeneration });
      const decision = locked && decideOnRemoval(locked.open, tx.now());
      if (decision) await applyDecision(tx, { pinId, attemptId: locked.open?.id ?? null }, decision);
    }
    tx.log.set({ account_id: account.id, pins_touched: rows.length });
  });
};
