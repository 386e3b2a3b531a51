import "server-only";
import { sql } from "drizzle-orm";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import { pins } from "#db/schema/pins.ts";
import { publishAttempts } from "#db/schema/publishing.ts";
import type { Ctx } from "#lib/context.ts";

/** The queue of publishing over all processes, as the database has it. */
export interface QueueDepth {
  /** Scheduled pins: due now; due, but their account waits (reconnect or pause); due later. */
  due: number;
  held: number;
  waiting: number;
  /** How long the first of the due ones has been due, in seconds; 0 without any. */
  oldestDueSeconds: number;
  /** Open attempts: written down; called and not answered; called, and the outcome is not known. */
  armed: number;
  calling: number;
  unclear: number;
}

/** Counts end here, so that asking costs a bounded time; the next due come first. What is due, the database says. */
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

/** Counts what waits to be published and what is on its way (for the metrics); two indexed, bounded reads. */
export const countQueue = async (ctx: Ctx): Promise<QueueDepth> => {
  const [[scheduled], [open]] = await Promise.all([countPins(ctx), countAttempts(ctx)]);
  if (!scheduled || !open) throw new Error("A count without a grouping has one row.");
  return { ...scheduled, ...open };
};
