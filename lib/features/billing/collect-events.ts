import "server-only";
import { eq, isNotNull, or, sql } from "drizzle-orm";
import { paymentEvents } from "#db/schema/billing.ts";
import { type Ctx, databaseTime } from "#lib/context.ts";
import { messageOf } from "#lib/core/errors.ts";
import { addMs, MINUTE_MS } from "#lib/core/time.ts";
import type { PaymentEvent } from "#lib/integrations/payments/port.ts";
import { eventJobId, toPaymentError } from "./policy.ts";
import { storeEvent } from "./store-event.ts";

/** The newest events of the provider's list are left to the webhooks that are still under way. */
const GRACE_MS = 2 * MINUTE_MS;
/** Events on a page of the list, and pages of one round. */
const PAGE = 200;
const PAGES_MAX = 50;

/** How far the provider's list was read: one event bears the mark. */
const findBookmark = async (ctx: Ctx): Promise<string | null> => {
  const { eventId, listedAt } = paymentEvents;
  const [row] = await ctx.db.select({ eventId }).from(paymentEvents).where(isNotNull(listedAt)).limit(1);
  return row?.eventId ?? null;
};

const moveBookmark = async (ctx: Ctx, to: string): Promise<void> => {
  const { eventId, listedAt } = paymentEvents;
  await ctx.db
    .update(paymentEvents)
    .set({ listedAt: sql`case when ${eventId} = ${to} then now() end` })
    .where(or(isNotNull(listedAt), eq(eventId, to)));
};

/** The next page; from the oldest event on, where the provider keeps the one at the bookmark no longer. */
const readPage = async (ctx: Ctx<"payments">, bookmark: string | null): Promise<PaymentEvent[]> => {
  const answer = await ctx.payments.listEvents(bookmark);
  if (answer.kind === "ok") return answer.value;
  const isGone = bookmark !== null && (answer.problem.kind === "not_found" || answer.problem.kind === "refused");
  if (isGone) return readPage(ctx, null);
  throw toPaymentError(answer.problem);
};

interface Stored {
  missing: number;
  /** Whether each of them could be stored. */
  isWhole: boolean;
}

/** Stores a page. One event that cannot be stored stops no other; none that can is no matter of the event. */
const storeMissing = async (ctx: Ctx<"jobs">, events: readonly PaymentEvent[]): Promise<Stored> => {
  const missing: string[] = [];
  const problems: unknown[] = [];
  for (const event of events) {
    try {
      if ((await storeEvent(ctx, { event, source: "collected" })).isNew) missing.push(event.eventId);
    } catch (error) {
      problems.push(error);
      ctx.log.set({ payment_event_id: event.eventId, payment_problem: messageOf(error) });
    }
  }
  if (problems.length > 0 && problems.length === events.length) throw problems[0];
  await ctx.jobs.send(
    missing.map((eventId) => ({
      name: "billing/event.received" as const,
      id: eventJobId(eventId, 0),
      data: { eventId },
    })),
  );
  return { missing: missing.length, isWhole: problems.length === 0 };
};

/**
 * Reads the provider's own list of events on from where it was read to, and stores what no webhook brought. The newest
 * minutes are left for the webhooks that are still under way.
 * @returns how many were missing, and how many were read
 * @throws AppError when the provider does not answer; what was read stays
 */
export const collectEvents = async (ctx: Ctx<"payments" | "jobs">): Promise<{ missing: number; read: number }> => {
  const until = addMs(await databaseTime(ctx), -GRACE_MS);
  const total = { missing: 0, read: 0 };
  let bookmark = await findBookmark(ctx);
  let isWhole = true;
  for (let page = 0; page < PAGES_MAX && !ctx.stopping.aborted; page += 1) {
    const events = await readPage(ctx, bookmark);
    const tooNew = events.findIndex(({ occurredAt }) => occurredAt > until);
    const ripe = tooNew === -1 ? events : events.slice(0, tooNew);
    const stored = await storeMissing(ctx, ripe);
    total.missing += stored.missing;
    total.read += ripe.length;
    isWhole &&= stored.isWhole;
    bookmark = ripe.at(-1)?.eventId ?? bookmark;
    // Last of all, and never past an event that is not stored: whoever comes next reads from there again.
    if (isWhole && bookmark !== null && ripe.length > 0) await moveBookmark(ctx, bookmark);
    if (ripe.length < PAGE) break;
  }
  ctx.log.set({ payments_listed: total.read, payments_missing: total.missing });
  return total;
};
