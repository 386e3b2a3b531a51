import "server-only";
import { and, eq, isNull } from "drizzle-orm";
import { paymentAdjustments, paymentReports, payments, subscriptions } from "#db/schema/billing.ts";
import { isAnyOf } from "#db/sql.ts";
import type { Ctx } from "#lib/context.ts";
import type { EmailId, UserId } from "#lib/core/ids.ts";
import { formatMoney, toMajor } from "#lib/core/money.ts";
import { formatCount } from "#lib/core/text.ts";
import { DAY_MS } from "#lib/core/time.ts";
import { openPaidPeriod } from "#lib/features/credits/allowance.ts";
import { grantPurchase } from "#lib/features/credits/grants.ts";
import { queueEmail } from "#lib/features/email/delivery.ts";
import { type LockedUser, lockUser, setPlan } from "#lib/features/identity/users.ts";
import {
  BASE_ORIGINS,
  CARD_CHANGE_ORIGIN,
  HELD_REASONS,
  type HeldReason,
  PURCHASE_VALID_MS,
  UPGRADE_ORIGIN,
} from "./constants.ts";
import { PLAN_ORDER, PLANS, type PlanSlug, planAt } from "./plans.ts";
import { creditsByPayment } from "./policy.ts";
import {
  derivePeriods,
  type Facts,
  findFacts,
  type PaidPeriod,
  type Payment,
  type Purchase,
  refreshItems,
  type Subscription,
} from "./queries.ts";
import { settleAdjustments } from "./refunds.ts";

const holdPayments = async (
  tx: Ctx,
  userId: UserId,
  held: readonly Payment[],
  reason: HeldReason,
): Promise<EmailId[]> => {
  const emailIds: EmailId[] = [];
  for (const payment of held) emailIds.push(...(await holdPayment(tx, { userId, payment, reason })));
  return emailIds;
};

/** Zero payments that replace a card are fine. */
const isUnrecognized = ({ kind, origin, totalMinor }: Payment): boolean =>
  kind === "other" && totalMinor > 0 && origin !== CARD_CHANGE_ORIGIN;

/** Other plan payments may still wait for their subscription. */
const hasNoPeriod = ({ kind, origin, totalMinor }: Payment): boolean =>
  kind === "plan" && totalMinor > 0 && origin !== UPGRADE_ORIGIN && !BASE_ORIGINS.includes(origin);

/**
 * Applies what is missing by the stored facts, idempotently and in any order of arrival (decision 0017). Call it in the
 * transaction that stores the fact. @returns queued reports to support
 */
export const settleUser = async (tx: Ctx, { userId }: { userId: UserId }): Promise<EmailId[]> => {
  const user = await lockUser(tx, userId);
  if (!user) return [];
  const found = await findFacts(tx, userId);
  const facts = { ...found, payments: await refreshItems(tx, found.payments) };
  const open = facts.payments.filter(({ grantedAt }) => grantedAt === null);
  if (user.closedAt) {
    const paid = open.filter(({ totalMinor }) => totalMinor > 0);
    return holdPayments(tx, userId, paid, "closed_user");
  }
  const periods = derivePeriods(facts);
  const emailIds = await settlePlan(tx, { userId, user, facts, periods });
  const grantedPlan = periods.length === 0 ? planAt(user, tx.now()) : null;
  emailIds.push(...(await settlePacks(tx, { userId, facts, periods, grantedPlan })));
  emailIds.push(...(await holdPayments(tx, userId, open.filter(isUnrecognized), "unknown_price")));
  emailIds.push(...(await holdPayments(tx, userId, open.filter(hasNoPeriod), "unplaced")));
  if (facts.adjustments.length > 0) await settleAdjustments(tx, { userId });
  return emailIds;
};

interface Input {
  userId: UserId;
  user: LockedUser;
  facts: Facts;
  periods: readonly PaidPeriod[];
}

/** Stays held even if all its payments were closed, until it is canceled. */
const holdSubscriptions = async (
  tx: Ctx,
  rows: readonly Subscription[],
  { heldIds, held, effective }: PlanDecision,
): Promise<void> => {
  const paid = [...held, ...effective].map(({ subscriptionId }) => subscriptionId);
  for (const { id, heldReason } of rows.filter((row) => paid.includes(row.id))) {
    const reason = heldIds.includes(id) ? ("second_subscription" as const) : null;
    if (reason === heldReason) continue;
    await tx.db.update(subscriptions).set({ heldReason: reason }).where(eq(subscriptions.id, id));
  }
};

/** Nothing for a period that is over or whose plan has ended. */
const grantNewestPeriod = async (tx: Ctx, userId: UserId, newest: PaidPeriod, grantsPlan: boolean): Promise<void> => {
  const granted = newest.payments.filter(({ grantedAt }) => grantedAt !== null);
  if (newest.endsAt <= tx.now() || (!grantsPlan && granted.length === newest.payments.length)) return;
  const { name } = PLANS[newest.plan];
  const credits = [...creditsByPayment(newest).values()].reduce((sum, own) => sum + own, 0);
  await openPaidPeriod(tx, {
    userId,
    subscriptionId: newest.subscriptionId,
    startsAt: newest.startsAt,
    credits,
    note: granted.length > 0 ? `Added monthly credits: ${name} plan` : `Monthly credits: ${name} plan`,
    canRestore: grantsPlan,
  });
};

/** Marks payments as not granted after an older subscription became known, whose allowance replaced theirs. */
const clearGranted = async (tx: Ctx, ids: readonly string[]): Promise<void> => {
  if (ids.length === 0) return;
  await tx.db.update(payments).set({ grantedAt: null }).where(isAnyOf(payments.id, ids));
  // The next grant applies adjustments again; the ledger knows what each took.
  await tx.db.update(paymentAdjustments).set({ appliedAt: null }).where(isAnyOf(paymentAdjustments.transactionId, ids));
};

const holdPeriods = async (tx: Ctx, userId: UserId, held: readonly PaidPeriod[]): Promise<EmailId[]> => {
  const paid = held.flatMap((period) => period.payments);
  await clearGranted(
    tx,
    paid.flatMap(({ id, grantedAt }) => (grantedAt ? [id] : [])),
  );
  const emailIds: EmailId[] = [];
  for (const payment of paid)
    emailIds.push(...(await holdPayment(tx, { userId, payment, reason: "second_subscription" })));
  return emailIds;
};

const markGranted = async (tx: Ctx, ids: readonly string[]): Promise<void> => {
  if (ids.length === 0) return;
  await tx.db
    .update(payments)
    .set({ grantedAt: tx.now(), heldReason: null })
    .where(and(isAnyOf(payments.id, ids), isNull(payments.grantedAt)));
};

const settlePlan = async (tx: Ctx, { userId, user, facts, periods }: Input): Promise<EmailId[]> => {
  const decision = decidePlan(facts.subscriptions, periods, tx.now());
  const { plan, held, effective, newest } = decision;
  // The plan is set first, because a free plan would end the allowance granted here.
  const isSame = plan?.plan === user.plan && plan.planEndsAt?.getTime() === user.planEndsAt?.getTime();
  if (plan && !isSame) await setPlan(tx, { userId, ...plan });
  await holdSubscriptions(tx, facts.subscriptions, decision);
  const emailIds = await holdPeriods(tx, userId, held);
  if (newest) await grantNewestPeriod(tx, userId, newest, plan !== null && plan.plan !== "free");
  const open = effective.flatMap((period) => period.payments.filter(({ grantedAt }) => grantedAt === null));
  await markGranted(
    tx,
    open.map(({ id }) => id),
  );
  return emailIds;
};

interface PlanDecision {
  /** Null without any paid period; payments do not decide the plan then. */
  plan: { plan: PlanSlug; planEndsAt: Date | null } | null;
  heldIds: string[];
  /** Granted nothing because another subscription covered all of their time. */
  held: PaidPeriod[];
  effective: PaidPeriod[];
  /** Its allowance is current or was last; null when there is none to grant. */
  newest: PaidPeriod | null;
}

/** Time that a subscription paid for without a gap. */
interface Term {
  id: string;
  startsAt: Date;
  endsAt: Date | null;
  isLast: boolean;
  periods: [PaidPeriod, ...PaidPeriod[]];
}

const GAP_MS = DAY_MS;

const follows = (startsAt: Date, before: PaidPeriod): boolean => startsAt.getTime() - before.endsAt.getTime() <= GAP_MS;

/** Null when no end is known. */
const endOf = (row: Subscription | undefined, newest: PaidPeriod): Date | null => {
  // Paid, but the subscription is not known yet: valid for the paid time.
  if (!row) return newest.endsAt;
  if (row.status === "canceled") return row.canceledAt ?? row.asOf;
  if (row.status === "paused") return row.pausedAt ?? row.asOf;
  // Resumed into a period that is not paid yet.
  if (row.periodStartsAt && !follows(row.periodStartsAt, newest)) return newest.endsAt;
  return row.scheduledAction === "cancel" || row.scheduledAction === "pause" ? row.scheduledAt : null;
};

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

/** Covered by earlier terms, which reach beyond them or beyond now. */
const findCovered = ({ periods, endsAt }: Term, reach: number, now: Date): PaidPeriod[] =>
  periods.filter((period, at) => reach > now.getTime() || reach >= endTime(at === 0 ? endsAt : period.endsAt));

const byStart = (a: Term, b: Term): number => a.startsAt.getTime() - b.startsAt.getTime() || a.id.localeCompare(b.id);

const findLastPeriod = (terms: readonly Term[], held: ReadonlySet<PaidPeriod>, now: Date): PaidPeriod | null => {
  const ended = terms.filter(({ periods: [newest] }) => !held.has(newest) && newest.endsAt > now);
  const [last] = ended.toSorted((a, b) => endTime(b.endsAt) - endTime(a.endsAt) || byStart(a, b));
  return last?.periods[0] ?? null;
};

/**
 * Of overlapping terms the one paid for first grants the plan and the others are held, in any order of arrival.
 * `periods`: newest first.
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
  const current = terms.find(({ endsAt }) => endsAt === null || endsAt > now);
  const decided = {
    heldIds: terms.flatMap(({ id, isLast, periods: [newest] }) => (isLast && held.has(newest) ? [id] : [])),
    held: periods.filter((period) => held.has(period)),
    effective: periods.filter((period) => !held.has(period)),
  };
  if (!current) {
    const plan = terms.length > 0 ? { plan: "free" as const, planEndsAt: null } : null;
    return { ...decided, plan, newest: findLastPeriod(terms, held, now) };
  }
  const [newest] = current.periods;
  return { ...decided, plan: { plan: newest.plan, planEndsAt: current.endsAt }, newest };
};

interface PackSettlement {
  userId: UserId;
  facts: Facts;
  periods: readonly PaidPeriod[];
  grantedPlan: PlanSlug | null;
}

/** Holds packs at a price the user was not entitled to. */
const settlePacks = async (tx: Ctx, { userId, facts, periods, grantedPlan }: PackSettlement): Promise<EmailId[]> => {
  const emailIds: EmailId[] = [];
  for (const payment of facts.payments) {
    const { id, kind, credits, purchaseId, grantedAt } = payment;
    if (kind !== "pack" || grantedAt) continue;
    const purchase = facts.purchases.find((item) => item.id === purchaseId);
    if (!isEntitledToPrice(payment, { purchase, periods, grantedPlan })) {
      emailIds.push(...(await holdPayment(tx, { userId, payment, reason: "foreign_price" })));
      continue;
    }
    const note = `Bought ${formatCount(credits)} credits`;
    await grantPurchase(tx, { userId, transactionId: id, credits, note });
    await tx.db.update(payments).set({ grantedAt: tx.now(), heldReason: null }).where(eq(payments.id, id));
  }
  return emailIds;
};

interface Entitlement {
  purchase: Purchase | undefined;
  periods: readonly PaidPeriod[];
  /** Without any plan payment; an operator may have set it. */
  grantedPlan: PlanSlug | null;
}

/** Limits a recorded purchase's age, because a checkout can stay open for weeks. */
const matchesPurchase = ({ plan, createdAt, paidAt }: Payment, purchase: Purchase | undefined): boolean =>
  purchase?.kind === "pack" &&
  purchase.plan === plan &&
  (paidAt ?? createdAt).getTime() - purchase.createdAt.getTime() <= PURCHASE_VALID_MS;

/** By the recorded purchase, or a plan of that level paid around then. More payments never reduce entitlement. */
const isEntitledToPrice = (payment: Payment, { purchase, periods, grantedPlan }: Entitlement): boolean => {
  if (matchesPurchase(payment, purchase)) return true;
  const entitlingPlans: PlanSlug[] = ["free", ...(grantedPlan ? [grantedPlan] : [])];
  for (const { plan, endsAt } of periods) if (endsAt > payment.createdAt) entitlingPlans.push(plan);
  const level = payment.plan === null ? Number.POSITIVE_INFINITY : PLAN_ORDER.indexOf(payment.plan);
  return entitlingPlans.some((plan) => PLAN_ORDER.indexOf(plan) >= level);
};

/** Reported once. A later settlement can still release it. */
export const holdPayment = async (
  tx: Ctx,
  { userId, payment, reason }: { userId: UserId | null; payment: Payment; reason: HeldReason },
): Promise<EmailId[]> => {
  if (payment.heldReason === reason) return [];
  await tx.db
    .update(payments)
    .set({ heldReason: reason })
    .where(and(eq(payments.id, payment.id), isNull(payments.grantedAt)));
  const amount = formatMoney(toMajor(payment.totalMinor, payment.currency), payment.currency);
  return reportProblem(tx, { userId, subject: payment.id, reason, amount });
};

interface PaymentReport {
  userId: UserId | null;
  subject: string;
  reason: HeldReason;
  amount: string;
}

/** Once per subject and reason. */
export const reportProblem = async (tx: Ctx, report: PaymentReport): Promise<EmailId[]> => {
  const { userId, subject, reason, amount } = report;
  const [isNew] = await tx.db
    .insert(paymentReports)
    .values({ cause: `${subject}:${reason}`, createdAt: tx.now() })
    .onConflictDoNothing()
    .returning();
  if (!isNew) return [];
  const content = {
    kind: "payment_held" as const,
    subject,
    reason: HELD_REASONS[reason],
    user: userId ?? "unknown",
    amount,
  };
  return [await queueEmail(tx, { userId: null, recipient: tx.settings.supportEmail, content })];
};
