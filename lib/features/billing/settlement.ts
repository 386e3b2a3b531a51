import "server-only";
import { and, eq, inArray, isNull } from "drizzle-orm";
import { paymentAdjustments, paymentReports, payments, subscriptions } from "#db/schema/billing.ts";
import type { Ctx } from "#lib/context.ts";
import type { LetterId, UserId } from "#lib/core/ids.ts";
import { formatMoney, toMajor } from "#lib/core/money.ts";
import { formatCount } from "#lib/core/text.ts";
import { DAY_MS } from "#lib/core/time.ts";
import { openPaidPeriod } from "#lib/features/credits/allowance.ts";
import { grantPurchase } from "#lib/features/credits/grants.ts";
import { postLetter } from "#lib/features/email/delivery.ts";
import { type LockedUser, lockUser, setPlan } from "#lib/features/identity/users.ts";
import {
  BASE_ORIGINS,
  CARD_ORIGIN,
  HELD_REASONS,
  type HeldReason,
  PURCHASE_LIFE_MS,
  RAISE_ORIGIN,
} from "./constants.ts";
import { PLAN_ORDER, PLANS, type PlanSlug, planAt } from "./plans.ts";
import {
  type Facts,
  findFacts,
  type PaidPeriod,
  type Payment,
  type Purchase,
  rereadItems,
  type Subscription,
  sumPeriods,
} from "./queries.ts";
import { settleAdjustments } from "./refunds.ts";

const holdAll = async (tx: Ctx, userId: UserId, held: readonly Payment[], reason: HeldReason): Promise<LetterId[]> => {
  const letterIds: LetterId[] = [];
  for (const payment of held) letterIds.push(...(await holdPayment(tx, { userId, payment, reason })));
  return letterIds;
};

/** Money for nothing that we sell. A payment of nothing, by which a card is exchanged, is none. */
const isStrange = ({ kind, origin, totalMinor }: Payment): boolean =>
  kind === "other" && totalMinor > 0 && origin !== CARD_ORIGIN;

/** A plan's payment of a kind that neither begins a month nor raises one. Others may wait for news that they belong to. */
const isAstray = ({ kind, origin, totalMinor }: Payment): boolean =>
  kind === "plan" && totalMinor > 0 && origin !== RAISE_ORIGIN && !BASE_ORIGINS.includes(origin);

/**
 * Gives a user what follows from the stored facts about their payments, no more and no less: plan, allowance, packs,
 * what refunds take back. Called again it changes nothing, so facts may come in any order and repeatedly
 * (decision 0017). Call it in the transaction that stores the fact.
 * @returns reports to support, to be announced after the commit
 */
export const settleUser = async (tx: Ctx, { userId }: { userId: UserId }): Promise<LetterId[]> => {
  const user = await lockUser(tx, userId);
  if (!user) return [];
  const found = await findFacts(tx, userId);
  const facts = { ...found, payments: await rereadItems(tx, found.payments) };
  const open = facts.payments.filter(({ grantedAt }) => grantedAt === null);
  if (user.closedAt) {
    const paid = open.filter(({ totalMinor }) => totalMinor > 0);
    return holdAll(tx, userId, paid, "closed_user");
  }
  const periods = sumPeriods(facts);
  const letterIds = await settlePlan(tx, { userId, user, facts, periods });
  const givenPlan = periods.length === 0 ? planAt(user, tx.now()) : null;
  letterIds.push(...(await settlePacks(tx, { userId, facts, periods, givenPlan })));
  letterIds.push(...(await holdAll(tx, userId, open.filter(isStrange), "unknown_price")));
  letterIds.push(...(await holdAll(tx, userId, open.filter(isAstray), "unplaced")));
  if (facts.adjustments.length > 0) await settleAdjustments(tx, { userId });
  return letterIds;
};

interface Input {
  userId: UserId;
  user: LockedUser;
  facts: Facts;
  periods: readonly PaidPeriod[];
}

/**
 * Notes which subscriptions give nothing; support is told by their payments. One of which every payment was closed stays
 * as it was: it goes on beside the other until it is canceled.
 */
const holdSubscriptions = async (
  tx: Ctx,
  rows: readonly Subscription[],
  { heldIds, held, counting }: PlanDecision,
): Promise<void> => {
  const paid = [...held, ...counting].map(({ subscriptionId }) => subscriptionId);
  for (const { id, heldReason } of rows.filter((row) => paid.includes(row.id))) {
    const reason = heldIds.includes(id) ? ("second_subscription" as const) : null;
    if (reason === heldReason) continue;
    await tx.db.update(subscriptions).set({ heldReason: reason }).where(eq(subscriptions.id, id));
  }
};

/**
 * Gives a paid period what is missing of its allowance. One that is over would have expired with it; one of a plan that
 * has ended comes back no more.
 */
const openNewest = async (tx: Ctx, userId: UserId, newest: PaidPeriod, isGiving: boolean): Promise<void> => {
  const given = newest.payments.filter(({ grantedAt }) => grantedAt !== null);
  if (newest.endsAt <= tx.now() || (!isGiving && given.length === newest.payments.length)) return;
  const { name, creditsPerPeriod } = PLANS[newest.plan];
  await openPaidPeriod(tx, {
    userId,
    subscriptionId: newest.subscriptionId,
    startsAt: newest.startsAt,
    credits: creditsPerPeriod,
    note: given.length > 0 ? `More monthly credits: ${name} plan` : `Monthly credits of the ${name} plan`,
    mayReturn: isGiving,
  });
};

/** What was given before an older subscription became known: that one's allowance is in its place now. */
const takeMark = async (tx: Ctx, ids: readonly string[]): Promise<void> => {
  if (ids.length === 0) return;
  await tx.db
    .update(payments)
    .set({ grantedAt: null })
    .where(inArray(payments.id, [...ids]));
  // Asked once more when it is given again; the ledger knows what each took.
  await tx.db
    .update(paymentAdjustments)
    .set({ appliedAt: null })
    .where(inArray(paymentAdjustments.transactionId, [...ids]));
};

const holdPeriods = async (tx: Ctx, userId: UserId, held: readonly PaidPeriod[]): Promise<LetterId[]> => {
  const paid = held.flatMap((period) => period.payments);
  await takeMark(
    tx,
    paid.flatMap(({ id, grantedAt }) => (grantedAt ? [id] : [])),
  );
  const letterIds: LetterId[] = [];
  for (const payment of paid)
    letterIds.push(...(await holdPayment(tx, { userId, payment, reason: "second_subscription" })));
  return letterIds;
};

const markGiven = async (tx: Ctx, ids: readonly string[]): Promise<void> => {
  if (ids.length === 0) return;
  await tx.db
    .update(payments)
    .set({ grantedAt: tx.now(), heldReason: null })
    .where(and(inArray(payments.id, [...ids]), isNull(payments.grantedAt)));
};

/**
 * Writes down the plan that follows from the paid periods, and gives the newest of them its allowance. What was paid
 * for an older period counts as given; what was paid for a second subscription is held. @returns reports to support
 */
const settlePlan = async (tx: Ctx, { userId, user, facts, periods }: Input): Promise<LetterId[]> => {
  const decision = decidePlan(facts.subscriptions, periods, tx.now());
  const { plan, held, counting, newest } = decision;
  // The plan first: a free one would end, at the next need, the allowance that is given here.
  const isSame = plan?.plan === user.plan && plan.planEndsAt?.getTime() === user.planEndsAt?.getTime();
  if (plan && !isSame) await setPlan(tx, { userId, ...plan });
  await holdSubscriptions(tx, facts.subscriptions, decision);
  const letterIds = await holdPeriods(tx, userId, held);
  if (newest) await openNewest(tx, userId, newest, plan !== null && plan.plan !== "free");
  const open = counting.flatMap((period) => period.payments.filter(({ grantedAt }) => grantedAt === null));
  await markGiven(
    tx,
    open.map(({ id }) => id),
  );
  return letterIds;
};

/** What follows from somebody's subscriptions and what was paid for them. */
interface PlanDecision {
  /** Null where nothing was ever paid: what the plan is then, is not decided by payments. */
  plan: { plan: PlanSlug; planEndsAt: Date | null } | null;
  /** Subscriptions that were paid for beside the one that gives the plan. */
  heldIds: string[];
  /** Periods that never gave anything: another subscription gave the plan as long as they lasted. */
  held: PaidPeriod[];
  /** The others. */
  counting: PaidPeriod[];
  /** Whose allowance is the present one, or the last one was; null where there is none to give. */
  newest: PaidPeriod | null;
}

/** A time for which a subscription was paid for without a gap, from its beginning to the end that is known. */
interface Term {
  id: string;
  startsAt: Date;
  endsAt: Date | null;
  isLast: boolean;
  /** The newest first. */
  periods: [PaidPeriod, ...PaidPeriod[]];
}

/** Periods that lie no farther apart are one term; a renewal follows at once. */
const GAP_MS = DAY_MS;

const follows = (startsAt: Date, before: PaidPeriod): boolean => startsAt.getTime() - before.endsAt.getTime() <= GAP_MS;

/** When a subscription stops giving its plan, as far as that is known. */
const endOf = (row: Subscription | undefined, newest: PaidPeriod): Date | null => {
  // Paid for, and nothing told of it yet: good for what was paid.
  if (!row) return newest.endsAt;
  if (row.status === "canceled") return row.canceledAt ?? row.asOf;
  if (row.status === "paused") return row.pausedAt ?? row.asOf;
  // Resumed into a period that nobody paid for so far: it waits for the payment.
  if (row.periodStartsAt && !follows(row.periodStartsAt, newest)) return newest.endsAt;
  return row.scheduledAction === "cancel" || row.scheduledAction === "pause" ? row.scheduledAt : null;
};

/** The terms of one subscription, the last one first. @param periods its own, the newest first */
const splitTerms = (id: string, row: Subscription | undefined, periods: readonly PaidPeriod[]): Term[] => {
  const runs: [PaidPeriod, ...PaidPeriod[]][] = [];
  for (const period of periods) {
    const run = runs.at(-1);
    const after = run?.at(-1);
    if (run && after && follows(after.startsAt, period)) run.push(period);
    else runs.push([period]);
  }
  return runs.map((run, at) => {
    const oldest = run.at(-1) ?? run[0];
    const isOnly = runs.length === 1;
    const startsAt = isOnly && row?.startedAt && row.startedAt < oldest.startsAt ? row.startedAt : oldest.startsAt;
    return { id, startsAt, endsAt: at === 0 ? endOf(row, run[0]) : run[0].endsAt, isLast: at === 0, periods: run };
  });
};

const FOREVER = Number.POSITIVE_INFINITY;

const endTime = (endsAt: Date | null): number => endsAt?.getTime() ?? FOREVER;

/** The periods of a term that give nothing, for terms that began before it reach beyond them, or beyond this moment. */
const findCovered = ({ periods, endsAt }: Term, reach: number, now: Date): PaidPeriod[] =>
  periods.filter((period, at) => reach > now.getTime() || reach >= endTime(at === 0 ? endsAt : period.endsAt));

const byStart = (one: Term, other: Term): number =>
  one.startsAt.getTime() - other.startsAt.getTime() || one.id.localeCompare(other.id);

/** Without a plan now: the allowance that was the last one, as far as its month still runs. */
const findLast = (terms: readonly Term[], held: ReadonlySet<PaidPeriod>, now: Date): PaidPeriod | null => {
  const ended = terms.filter(({ periods: [newest] }) => !held.has(newest) && newest.endsAt > now);
  const [last] = ended.toSorted((one, other) => endTime(other.endsAt) - endTime(one.endsAt) || byStart(one, other));
  return last?.periods[0] ?? null;
};

/**
 * Decides somebody's plan from stored facts: that of the newest paid period of the subscription that goes on; past due
 * it goes on, paused or ended it gives the free plan. Of several at one time the one that was paid for first gives; the
 * others are held, and give from its end on. What order the facts came in does not matter.
 * @param periods the newest first
 */
const decidePlan = (rows: readonly Subscription[], periods: readonly PaidPeriod[], now: Date): PlanDecision => {
  const terms = [...Map.groupBy(periods, ({ subscriptionId }) => subscriptionId)]
    .flatMap(([id, own]) =>
      splitTerms(
        id,
        rows.find((row) => row.id === id),
        own,
      ),
    )
    .toSorted(byStart);
  const held = new Set<PaidPeriod>();
  let reach = Number.NEGATIVE_INFINITY;
  for (const term of terms) {
    for (const period of findCovered(term, reach, now)) held.add(period);
    reach = Math.max(reach, endTime(term.endsAt));
  }
  const giving = terms.find(({ endsAt }) => endsAt === null || endsAt > now);
  const decided = {
    heldIds: terms.flatMap(({ id, isLast, periods: [newest] }) => (isLast && held.has(newest) ? [id] : [])),
    held: periods.filter((period) => held.has(period)),
    counting: periods.filter((period) => !held.has(period)),
  };
  if (!giving) {
    const plan = terms.length > 0 ? { plan: "free" as const, planEndsAt: null } : null;
    return { ...decided, plan, newest: findLast(terms, held, now) };
  }
  const [newest] = giving.periods;
  return { ...decided, plan: { plan: newest.plan, planEndsAt: giving.endsAt }, newest };
};

interface PackSettlement {
  userId: UserId;
  facts: Facts;
  periods: readonly PaidPeriod[];
  givenPlan: PlanSlug | null;
}

/**
 * Gives the credits of packs that are paid and not given yet: once each, by our own table; a pack at a price that its
 * buyer may not buy at is held (R-PAY-03, A-58). @returns reports to support
 */
const settlePacks = async (tx: Ctx, { userId, facts, periods, givenPlan }: PackSettlement): Promise<LetterId[]> => {
  const letterIds: LetterId[] = [];
  for (const payment of facts.payments) {
    const { id, kind, credits, purchaseId, grantedAt } = payment;
    if (kind !== "pack" || grantedAt) continue;
    const purchase = facts.purchases.find((one) => one.id === purchaseId);
    if (!judgePack(payment, { purchase, periods, givenPlan })) {
      letterIds.push(...(await holdPayment(tx, { userId, payment, reason: "foreign_price" })));
      continue;
    }
    const note = `Bought: ${formatCount(credits)} credits`;
    await grantPurchase(tx, { userId, transactionId: id, credits, note });
    await tx.db.update(payments).set({ grantedAt: tx.now(), heldReason: null }).where(eq(payments.id, id));
  }
  return letterIds;
};

/** What may entitle somebody to the price of a plan. */
interface Entitlement {
  /** The purchase that was recorded before the checkout opened. */
  purchase: Purchase | undefined;
  periods: readonly PaidPeriod[];
  /** The plan of one who never paid for any: an operator may have given it. */
  givenPlan: PlanSlug | null;
}

/** Paid soon enough after it was written down; the checkout may have stood open for weeks. */
const isRecorded = ({ plan, createdAt, paidAt }: Payment, purchase: Purchase | undefined): boolean =>
  purchase?.kind === "pack" &&
  purchase.plan === plan &&
  (paidAt ?? createdAt).getTime() - purchase.createdAt.getTime() <= PURCHASE_LIFE_MS;

/**
 * Whether a pack was bought at a price that its buyer may buy at: the one that was recorded for them, or that of a plan
 * no larger than one they had paid for when they bought it or have paid for since. A price dearer than need be is fine:
 * it was paid. More payments never make less of this, so the order in which they become known does not matter.
 */
const judgePack = (payment: Payment, { purchase, periods, givenPlan }: Entitlement): boolean => {
  if (isRecorded(payment, purchase)) return true;
  const entitling: PlanSlug[] = ["free", ...(givenPlan ? [givenPlan] : [])];
  for (const { plan, endsAt } of periods) if (endsAt > payment.createdAt) entitling.push(plan);
  const wanted = payment.plan === null ? Number.POSITIVE_INFINITY : PLAN_ORDER.indexOf(payment.plan);
  return entitling.some((plan) => PLAN_ORDER.indexOf(plan) >= wanted);
};

/** Keeps a payment that gives nothing, with the reason, and tells support once. Another look may still release it. */
export const holdPayment = async (
  tx: Ctx,
  { userId, payment, reason }: { userId: UserId | null; payment: Payment; reason: HeldReason },
): Promise<LetterId[]> => {
  if (payment.heldReason === reason) return [];
  await tx.db
    .update(payments)
    .set({ heldReason: reason })
    .where(and(eq(payments.id, payment.id), isNull(payments.grantedAt)));
  const amount = formatMoney(toMajor(payment.totalMinor, payment.currency), payment.currency);
  return reportProblem(tx, { userId, subject: payment.id, reason, amount });
};

/** What support is to look at. `subject`: the provider's id of the payment, or of the event. */
interface PaymentReport {
  /** Null where nobody knows whose it is. */
  userId: UserId | null;
  subject: string;
  reason: HeldReason;
  /** For people: '$29.00'; 'unknown'. */
  amount: string;
}

/** Tells support about a payment that gives nothing; each matter once. @returns the mail, when there is a new one */
export const reportProblem = async (tx: Ctx, report: PaymentReport): Promise<LetterId[]> => {
  const { userId, subject, reason, amount } = report;
  const [isNew] = await tx.db
    .insert(paymentReports)
    .values({ cause: `${subject}:${reason}`, createdAt: tx.now() })
    .onConflictDoNothing()
    .returning();
  if (!isNew) return [];
  const letter = {
    kind: "payment_held" as const,
    subject,
    reason: HELD_REASONS[reason],
    user: userId ?? "unknown",
    amount,
  };
  return [await postLetter(tx, { userId: null, recipient: tx.settings.supportEmail, letter })];
};
