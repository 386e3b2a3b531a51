import "server-only";
import { and, asc, eq, gt, isNotNull, isNull, lt, or, sql } from "drizzle-orm";
import { paymentEvents, paymentReports, payments, subscriptions } from "#db/schema/billing.ts";
import { type Ctx, databaseTime, inTransaction } from "#lib/context.ts";
import { AppError, requireUserId } from "#lib/core/errors.ts";
import type { EmailId, UserId } from "#lib/core/ids.ts";
import { addMs, HOUR_MS } from "#lib/core/time.ts";
import { grantPurchase } from "#lib/features/credits/grants.ts";
import { lockUser } from "#lib/features/identity/users.ts";
import { RELEASE_TEXTS } from "./constants.ts";
import type { PlanSlug } from "./plans.ts";
import { hasEnded, isCanceling } from "./policy.ts";
import type { Payment } from "./queries.ts";
import { holdPayment, reportProblem, settleUser } from "./settlement.ts";

/** A paid second subscription that grants nothing. `plan`: null for an unknown price; `isEnding`: not charged again. */
interface HeldSubscription {
  id: string;
  plan: PlanSlug | null;
  isEnding: boolean;
}

export const listHeldSubscriptions = async (ctx: Ctx): Promise<HeldSubscription[]> => {
  const rows = await ctx.db
    .select()
    .from(subscriptions)
    .where(and(eq(subscriptions.userId, requireUserId(ctx)), isNotNull(subscriptions.heldReason)))
    .orderBy(asc(subscriptions.startedAt), asc(subscriptions.id));
  const now = await databaseTime(ctx);
  const live = rows.filter((row) => !hasEnded(row, now));
  return live.map((row) => ({ id: row.id, plan: row.plan, isEnding: isCanceling(row, now) }));
};

/** `give`: grant a held pack's credits, or this many for an unknown price. `close`: the payment was refunded. */
export type Release = { transactionId: string } & ({ kind: "give"; credits: number | null } | { kind: "close" });

const refuse = (text: string): never => {
  throw new AppError("wrong_state", { text });
};

const findHeld = async (tx: Ctx, transactionId: string): Promise<Payment> => {
  const [payment] = await tx.db.select().from(payments).where(eq(payments.id, transactionId));
  if (!payment) throw new AppError("not_found", { text: RELEASE_TEXTS.unknown });
  return payment.heldReason === null || payment.grantedAt !== null ? refuse(RELEASE_TEXTS.notHeld) : payment;
};

const settleKnownPrice = async (tx: Ctx, userId: UserId, payment: Payment): Promise<Payment> => {
  if (payment.kind !== "other") return payment;
  await settleUser(tx, { userId });
  const [settled] = await tx.db.select().from(payments).where(eq(payments.id, payment.id));
  return settled ?? payment;
};

const creditsOf = ({ kind, credits, heldReason }: Payment, requested: number | null): number => {
  if (heldReason === "closed_user") return refuse(RELEASE_TEXTS.closedUser);
  if (kind === "plan") return refuse(RELEASE_TEXTS.plan);
  if (kind === "other") return requested ?? refuse(RELEASE_TEXTS.howMany);
  return requested === null || requested === credits ? credits : refuse(RELEASE_TEXTS.fixed);
};

/**
 * Settles a held payment for good. @returns granted credits; 0 for a plan, whose period grants them.
 * @throws AppError `not_found`; `wrong_state` when it is not held or credits cannot settle it; `invalid` credits
 */
export const releasePayment = (ctx: Ctx, release: Release): Promise<{ credits: number }> =>
  inTransaction(ctx, async (tx) => {
    const { transactionId } = release;
    // Lock order is user first; the payment is read again under the lock.
    const userId = (await findHeld(tx, transactionId)).userId;
    if (userId) await lockUser(tx, userId);
    const payment = await findHeld(tx, transactionId);
    const isPayment = eq(payments.id, transactionId);
    if (release.kind === "close") {
      // The reason stays: it explains the closed payment and keeps it from counting for a plan.
      await tx.db.update(payments).set({ grantedAt: tx.now() }).where(isPayment);
      return { credits: 0 };
    }
    if (!userId || payment.userId !== userId) return refuse(RELEASE_TEXTS.noUser);
    const settled = await settleKnownPrice(tx, userId, payment);
    if (settled.grantedAt) return { credits: settled.kind === "plan" ? 0 : creditsOf(settled, release.credits) };
    const credits = creditsOf(settled, release.credits);
    await grantPurchase(tx, { userId, transactionId, credits, note: "" });
    const granted = { kind: "pack" as const, credits, grantedAt: tx.now(), heldReason: null };
    await tx.db.update(payments).set(granted).where(isPayment);
    // Refunds that arrived while the payment was held are applied now.
    await settleUser(tx, { userId });
    return { credits };
  });

const MATCH_GRACE_MS = HOUR_MS;
const UNMATCHED_BATCH = 50;

const isUnmatched = (now: Date) =>
  and(
    eq(payments.status, "completed"),
    gt(payments.totalMinor, 0),
    isNull(payments.grantedAt),
    isNull(payments.heldReason),
    lt(payments.asOf, addMs(now, -MATCH_GRACE_MS)),
    // An unowned payment at a price that is not ours belongs to another product of the seller.
    or(eq(payments.kind, "plan"), and(eq(payments.kind, "pack"), isNull(payments.userId))),
  );

const holdUnmatched = (ctx: Ctx, { id, userId }: Payment): Promise<EmailId[]> =>
  inTransaction(ctx, async (tx) => {
    const owner = userId;
    const emailIds = owner ? await settleUser(tx, { userId: owner }) : [];
    const [payment] = await tx.db
      .select()
      .from(payments)
      .where(and(eq(payments.id, id), isUnmatched(tx.now())));
    // The owner became known just now; the next run settles it.
    if (!payment || payment.userId !== userId) return emailIds;
    const reason = owner ? ("unplaced" as const) : ("nobody" as const);
    return [...emailIds, ...(await holdPayment(tx, { userId: owner, payment, reason }))];
  });

const findUnreadable = (ctx: Ctx): Promise<{ eventId: string }[]> =>
  ctx.db
    .select({ eventId: paymentEvents.eventId })
    .from(paymentEvents)
    .leftJoin(paymentReports, eq(paymentReports.cause, sql`${paymentEvents.eventId} || ':unreadable'`))
    .where(and(isNull(paymentEvents.fact), isNotNull(paymentEvents.problem), isNull(paymentReports.cause)))
    .limit(UNMATCHED_BATCH);

/** Reports payments without effect, once each; later events can still settle them. `now`: the database's time. */
export const reportUnmatched = async (ctx: Ctx, { now }: { now: Date }): Promise<EmailId[]> => {
  const emailIds: EmailId[] = [];
  for (const payment of await ctx.db.select().from(payments).where(isUnmatched(now)).limit(UNMATCHED_BATCH)) {
    emailIds.push(...(await holdUnmatched(ctx, payment)));
  }
  for (const { eventId: subject } of await findUnreadable(ctx)) {
    const report = { userId: null, subject, reason: "unreadable" as const, amount: "unknown" };
    emailIds.push(...(await inTransaction(ctx, (tx) => reportProblem(tx, report))));
  }
  return emailIds;
};
