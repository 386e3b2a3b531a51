import "server-only";
import { and, asc, eq, gt, isNotNull, isNull, lt, or, sql } from "drizzle-orm";
import { paymentEvents, paymentReports, payments, subscriptions } from "#db/schema/billing.ts";
import { type Ctx, databaseTime, inTransaction } from "#lib/context.ts";
import { AppError, requireUserId } from "#lib/core/errors.ts";
import type { LetterId, UserId } from "#lib/core/ids.ts";
import { addMs, HOUR_MS } from "#lib/core/time.ts";
import { grantPurchase } from "#lib/features/credits/grants.ts";
import { lockUser } from "#lib/features/identity/users.ts";
import { RELEASE_TEXTS } from "./constants.ts";
import type { PlanSlug } from "./plans.ts";
import { hasEnded, isCanceling } from "./policy.ts";
import type { Payment } from "./queries.ts";
import { holdPayment, reportProblem, settleUser } from "./settlement.ts";

/**
 * A subscription that is paid beside the one that gives the plan, and gives nothing. `plan`: null for an unknown price;
 * `isEnding`: it goes on to the end of its period, and is charged no more.
 */
interface HeldSubscription {
  id: string;
  plan: PlanSlug | null;
  isEnding: boolean;
}

/** Those of the actor that go on, the oldest first; most people have none. */
export const listHeld = async (ctx: Ctx): Promise<HeldSubscription[]> => {
  const rows = await ctx.db
    .select()
    .from(subscriptions)
    .where(and(eq(subscriptions.userId, requireUserId(ctx)), isNotNull(subscriptions.heldReason)))
    .orderBy(asc(subscriptions.startedAt), asc(subscriptions.id));
  const now = await databaseTime(ctx);
  const going = rows.filter((row) => !hasEnded(row, now));
  return going.map((row) => ({ id: row.id, plan: row.plan, isEnding: isCanceling(row, now) }));
};

/** `give`: the credits of a held pack, or so many for one at a price that is not ours. `close`: it was refunded. */
export type Release = { transactionId: string } & ({ kind: "give"; credits: number | null } | { kind: "close" });

const refuse = (text: string): never => {
  throw new AppError("wrong_state", { text });
};

const findHeld = async (tx: Ctx, transactionId: string): Promise<Payment> => {
  const [payment] = await tx.db.select().from(payments).where(eq(payments.id, transactionId));
  if (!payment) throw new AppError("not_found", { text: RELEASE_TEXTS.unknown });
  return payment.heldReason === null || payment.grantedAt !== null ? refuse(RELEASE_TEXTS.notHeld) : payment;
};

/** A price that joined our table meanwhile: what follows from that comes first. */
const settleByTable = async (tx: Ctx, userId: UserId, payment: Payment): Promise<Payment> => {
  if (payment.kind !== "other") return payment;
  await settleUser(tx, { userId });
  const [settled] = await tx.db.select().from(payments).where(eq(payments.id, payment.id));
  return settled ?? payment;
};

const creditsOf = ({ kind, credits, heldReason }: Payment, wanted: number | null): number => {
  if (heldReason === "closed_user") return refuse(RELEASE_TEXTS.closedUser);
  if (kind === "plan") return refuse(RELEASE_TEXTS.plan);
  if (kind === "other") return wanted ?? refuse(RELEASE_TEXTS.howMany);
  return wanted === null || wanted === credits ? credits : refuse(RELEASE_TEXTS.fixed);
};

/**
 * Settles a held payment by an operator's word, for good: its credits are given under its own cause, so that nothing that
 * comes later gives them again and a refund finds them; or it is closed and gives nothing.
 * One at a price that has joined our table since gives what the table says.
 * @returns the credits that were given; 0 too for a plan, whose month gives them
 * @throws AppError `not_found`; `wrong_state` for one that is not held, or that credits cannot settle; `invalid` credits
 */
export const releasePayment = (ctx: Ctx, release: Release): Promise<{ credits: number }> =>
  inTransaction(ctx, async (tx) => {
    const { transactionId } = release;
    // The user first, as everywhere; the payment is read again once nobody else can settle it.
    const userId = (await findHeld(tx, transactionId)).userId;
    if (userId) await lockUser(tx, userId);
    const payment = await findHeld(tx, transactionId);
    const isPayment = eq(payments.id, transactionId);
    if (release.kind === "close") {
      // Its reason stays: it says why nothing was given, and keeps it out of what a user is entitled to.
      await tx.db.update(payments).set({ grantedAt: tx.now() }).where(isPayment);
      return { credits: 0 };
    }
    if (!userId || payment.userId !== userId) return refuse(RELEASE_TEXTS.nobody);
    const settled = await settleByTable(tx, userId, payment);
    if (settled.grantedAt) return { credits: settled.kind === "plan" ? 0 : creditsOf(settled, release.credits) };
    const credits = creditsOf(settled, release.credits);
    await grantPurchase(tx, { userId, transactionId, credits, note: "" });
    const given = { kind: "pack" as const, credits, grantedAt: tx.now(), heldReason: null };
    await tx.db.update(payments).set(given).where(isPayment);
    // What was refunded of it meanwhile waited for it.
    await settleUser(tx, { userId });
    return { credits };
  });

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
    const owner = userId;
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
