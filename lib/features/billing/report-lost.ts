import "server-only";
import { and, eq, gt, isNotNull, isNull, lt, or, sql } from "drizzle-orm";
import { paymentEvents, paymentReports, payments } from "#db/schema/billing.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import type { LetterId, UserId } from "#lib/core/ids.ts";
import { addMs, HOUR_MS } from "#lib/core/time.ts";
import { holdPayment } from "./hold-payment.ts";
import type { Payment } from "./queries.ts";
import { reportProblem } from "./report-problem.ts";
import { settleUser } from "./settle-user.ts";

/** So long what belongs to a payment may be on its way: the month that it raises, or whose it is. */
const PATIENCE_MS = HOUR_MS;
/** Of each kind in one round. */
const LOST_MAX = 50;

const isLost = (now: Date) =>
  and(
    eq(payments.status, "completed"),
    gt(payments.totalMinor, 0),
    isNull(payments.grantedAt),
    isNull(payments.heldReason),
    lt(payments.asOf, addMs(now, -PATIENCE_MS)),
    // What nobody paid at a price that is none of ours, is the seller's other business.
    or(eq(payments.kind, "plan"), and(eq(payments.kind, "pack"), isNull(payments.userId))),
  );

const holdLost = (ctx: Ctx, { id, userId }: Payment): Promise<LetterId[]> =>
  inTransaction(ctx, async (tx) => {
    // Rows of this table hold ids of users.
    const owner = userId as UserId | null;
    const letterIds = owner ? await settleUser(tx, { userId: owner }) : [];
    const [payment] = await tx.db
      .select()
      .from(payments)
      .where(and(eq(payments.id, id), isLost(tx.now())));
    // It became somebody's a moment ago: the next round sees what came of it.
    if (!payment || payment.userId !== userId) return letterIds;
    const reason = owner ? ("unplaced" as const) : ("nobody" as const);
    return [...letterIds, ...(await holdPayment(tx, { userId: owner, payment, reason }))];
  });

const findUnread = (ctx: Ctx): Promise<{ eventId: string }[]> =>
  ctx.db
    .select({ eventId: paymentEvents.eventId })
    .from(paymentEvents)
    .leftJoin(paymentReports, eq(paymentReports.cause, sql`${paymentEvents.eventId} || ':unreadable'`))
    .where(and(isNull(paymentEvents.fact), isNotNull(paymentEvents.problem), isNull(paymentReports.cause)))
    .limit(LOST_MAX);

/**
 * Tells support of money that nothing followed from, each thing once: a plan's payment that is in no month, a payment
 * that is nobody's, an event that could not be read. All of it is still given as soon as later news allow it.
 * @param now the database's
 * @returns reports that wait to be announced
 */
export const reportLost = async (ctx: Ctx, { now }: { now: Date }): Promise<LetterId[]> => {
  const letterIds: LetterId[] = [];
  for (const payment of await ctx.db.select().from(payments).where(isLost(now)).limit(LOST_MAX)) {
    letterIds.push(...(await holdLost(ctx, payment)));
  }
  for (const { eventId: subject } of await findUnread(ctx)) {
    const report = { userId: null, subject, reason: "unreadable" as const, amount: "unknown" };
    letterIds.push(...(await inTransaction(ctx, (tx) => reportProblem(tx, report))));
  }
  return letterIds;
};
