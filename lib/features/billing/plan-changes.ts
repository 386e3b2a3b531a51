import "server-only";
import { and, eq, isNull, lt, lte, or, sql } from "drizzle-orm";
import { subscriptions } from "#db/schema/billing.ts";
import { type Ctx, databaseTime } from "#lib/context.ts";
import { AppError, requireUserId } from "#lib/core/errors.ts";
import type { UserId } from "#lib/core/ids.ts";
import { addMs, DAY_MS, MINUTE_MS } from "#lib/core/time.ts";
import type { ChangePreview } from "#lib/integrations/payments/port.ts";
import { askProvider } from "./checkout.ts";
import { CHANGE_LEASE_MS, SETTINGS_TEXTS } from "./constants.ts";
import { applyFact } from "./events.ts";
import type { PaidPlanSlug } from "./plans.ts";
import { type ChangeCourse, changeRefusalOf, comparePlans, courseOf, priceIdOf, refusalTextOf } from "./policy.ts";
import {
  findFacts,
  findSubscription,
  findSubscriptionView,
  type Subscription,
  type SubscriptionView,
  sumPeriods,
} from "./queries.ts";
import { refreshSubscription, writeSubscription } from "./subscriptions.ts";

/** The view after a change; `pending`: charged, and the event that raises the plan is on its way. */
export interface ChangedView {
  view: SubscriptionView;
  confirmation: "completed" | "pending";
}

/** The subscription as the provider has it at this moment: what we have stored may wait for an event. */
const readFresh = async (ctx: Ctx<"payments">, userId: UserId, id: string): Promise<SubscriptionView> => {
  await refreshSubscription(ctx, { id });
  return findSubscriptionView(ctx, userId);
};

interface Change {
  course: ChangeCourse;
  subscription: Subscription;
  target: PaidPlanSlug;
  scheduled: PaidPlanSlug;
  paid: PaidPlanSlug;
}

/** What waits for the renewal: what the provider has, or what an upgrade that failed took back. */
const downgradeOf = ({ subscription: { keptTo, keptFrom }, scheduled, paid }: Change): Downgrade | null => {
  if (scheduled !== paid) return { to: scheduled, from: paid };
  if (!keptTo || keptTo === "free" || !keptFrom || keptFrom === "free") return null;
  return keptFrom === paid ? { to: keptTo, from: paid } : null;
};

const takeCourse = async (ctx: Ctx<"payments">, change: Change): Promise<void> => {
  const { course, subscription, target, scheduled } = change;
  const { id } = subscription;
  if (course.kind === "wait") throw new AppError("wrong_state", { text: SETTINGS_TEXTS.changeWaits });
  if (course.kind === "upgrade") return upgradePlan(ctx, { id, target, scheduled, downgrade: downgradeOf(change) });
  if (course.kind === "renewal") await setPrice(ctx, { id, plan: target, billing: "free" });
  // Whatever waited with us: this is what is wanted now.
  if (subscription.keptTo) await keepDowngrade(ctx, id, null);
};

/**
 * Changes the actor's plan to another paid one: a larger one at once, the rest of the period charged; a smaller one,
 * or back from it, at the next renewal. The plan that is scheduled already: nothing happens. A declined card leaves all as
 * it was.
 * @throws AppError `wrong_state` with a sentence when there is nothing that can be changed; `refused`; the provider's errors.
 */
export const changePlan = async (ctx: Ctx<"payments">, input: { plan: PaidPlanSlug }): Promise<ChangedView> => {
  const userId = requireUserId(ctx);
  const stored = await findSubscription(ctx, userId);
  const refusal = changeRefusalOf(stored, await databaseTime(ctx));
  if (!stored || refusal) throw new AppError("wrong_state", { text: refusal ?? SETTINGS_TEXTS.nothingToChange });
  await holdChange(ctx, stored.id, async () => {
    const { subscription, plan, now } = await readFresh(ctx, userId, stored.id);
    const problem = changeRefusalOf(subscription, now);
    if (!subscription || problem)
      throw new AppError("wrong_state", { text: problem ?? SETTINGS_TEXTS.nothingToChange });
    if (await awaitsPayment(ctx, { userId, subscription }))
      throw new AppError("wrong_state", { text: SETTINGS_TEXTS.changeAtRenewal });
    const scheduled = subscription.plan;
    if (scheduled === null || scheduled === "free")
      throw new AppError("wrong_state", { text: SETTINGS_TEXTS.changeFailed });
    const course = courseOf(input.plan, { paid: plan, scheduled });
    // Without a paid plan the course is to wait, or nothing.
    const paid = plan === "free" ? scheduled : plan;
    await takeCourse(ctx, { course, subscription, target: input.plan, scheduled, paid });
  });
  const view = await findSubscriptionView(ctx, userId);
  return { view, confirmation: comparePlans(input.plan, view.plan) > 0 ? "pending" : "completed" };
};

/** What a change costs, and from when it holds. Amounts in the smallest unit of their currency. */
export interface PreviewedChange extends ChangePreview {
  takesEffect: "now" | "renewal";
}

const refuse = (text: string): never => {
  throw new AppError("wrong_state", { text });
};

/**
 * What a change of the actor's plan would cost. Nothing changes.
 * @throws AppError `wrong_state` with a sentence when the change cannot be made; the provider's errors.
 */
export const previewChange = async (ctx: Ctx<"payments">, input: { plan: PaidPlanSlug }): Promise<PreviewedChange> => {
  const userId = requireUserId(ctx);
  const { subscription, plan, now } = await findSubscriptionView(ctx, userId);
  const refusal = changeRefusalOf(subscription, now);
  if (!subscription || refusal) return refuse(refusal ?? SETTINGS_TEXTS.nothingToChange);
  if (await awaitsPayment(ctx, { userId, subscription })) return refuse(SETTINGS_TEXTS.changeAtRenewal);
  const { id, plan: scheduled } = subscription;
  if (scheduled === null) return refuse(SETTINGS_TEXTS.changeFailed);
  const ask = (target: PaidPlanSlug, billing: "prorate" | "free"): Promise<ChangePreview> =>
    askProvider(ctx, ctx.payments.previewPrice(id, priceIdOf(ctx.settings.prices, `plan:${target}`), billing));
  const course = courseOf(input.plan, { paid: plan, scheduled });
  switch (course.kind) {
    case "nothing":
      return refuse(input.plan === plan ? SETTINGS_TEXTS.changeNeedless : SETTINGS_TEXTS.changeScheduled);
    case "wait":
      return refuse(SETTINGS_TEXTS.changeWaits);
    case "renewal":
      return { ...(await ask(input.plan, "free")), takesEffect: "renewal" };
    default: {
      const whole = await ask(input.plan, "prorate");
      // The provider counts from the plan that waits for the renewal; what lies between it and the paid one is paid.
      const paid = course.restores ? (await ask(course.restores, "prorate")).dueNowMinor : 0;
      return { ...whole, dueNowMinor: Math.max(0, whole.dueNowMinor - paid), takesEffect: "now" };
    }
  }
};

/** `scheduled`: what the provider has now; `downgrade`: what waits for the renewal, there or with us. */
interface Upgrade {
  id: string;
  target: PaidPlanSlug;
  scheduled: PaidPlanSlug;
  downgrade: Downgrade | null;
}

/** Whether it is certain that nothing was charged. */
const isUndone = (error: unknown): boolean =>
  error instanceof AppError && error.message !== SETTINGS_TEXTS.unknownOutcome;

const putBack = async (ctx: Ctx<"payments">, id: string, { to }: Downgrade): Promise<void> => {
  try {
    await setPrice(ctx, { id, plan: to, billing: "free" });
    await keepDowngrade(ctx, id, null);
  } catch (error) {
    // It is noted, so it is put back later; what is told is why the upgrade failed.
    if (!(error instanceof AppError)) throw error;
  }
};

/**
 * A larger plan at once, under the lease of a change. A smaller one that waited for the renewal is taken back
 * before, so that only the rest is charged; if the upgrade fails, it waits again.
 * @throws as `setPrice`
 */
const upgradePlan = async (ctx: Ctx<"payments">, upgrade: Upgrade): Promise<void> => {
  const { id, target, scheduled, downgrade } = upgrade;
  if (downgrade) await keepDowngrade(ctx, id, downgrade);
  try {
    if (downgrade && downgrade.from !== scheduled) await setPrice(ctx, { id, plan: downgrade.from, billing: "free" });
    await setPrice(ctx, { id, plan: target, billing: "prorate" });
  } catch (error) {
    // Where it is not certain, what waited is not put over a plan that may be paid: see restorePlans.
    if (downgrade && isUndone(error)) await putBack(ctx, id, downgrade);
    throw error;
  }
  if (downgrade) await keepDowngrade(ctx, id, null);
};

/**
 * Does something while no other change of the same subscription's plan is made: two at once could be charged twice. Held
 * by a lease in the database, so that a process that dies keeps nobody out for long. Outside of transactions.
 * @throws AppError `wrong_state` while another one works.
 */
const holdChange = async <R>(ctx: Ctx, subscriptionId: string, work: () => Promise<R>): Promise<R> => {
  const { id, changingUntil } = subscriptions;
  const until = sql<Date>`now() + make_interval(secs => ${CHANGE_LEASE_MS / 1_000})`;
  const isFree = or(isNull(changingUntil), lte(changingUntil, sql`now()`));
  const [held] = await ctx.db
    .update(subscriptions)
    .set({ changingUntil: until })
    .where(and(eq(id, subscriptionId), isFree))
    .returning({ until: changingUntil });
  if (!held?.until) throw new AppError("wrong_state", { text: SETTINGS_TEXTS.changeUnderWay });
  try {
    return await work();
  } finally {
    // Only our own lease: one that ran out may be somebody else's by now.
    const isOurs = and(eq(id, subscriptionId), eq(changingUntil, held.until));
    await ctx.db.update(subscriptions).set({ changingUntil: null }).where(isOurs);
  }
};

/** A smaller plan that the renewal was to change to, and the paid one that it was taken back to. */
interface Downgrade {
  to: PaidPlanSlug;
  from: PaidPlanSlug;
}

/**
 * Notes a downgrade that waited for the renewal before it is taken back for a larger plan, so that it is not lost when
 * that fails or the process dies. Null: nothing waits any more.
 */
const keepDowngrade = async (ctx: Ctx, id: string, downgrade: Downgrade | null): Promise<void> => {
  const kept = { keptTo: downgrade?.to ?? null, keptFrom: downgrade?.from ?? null };
  const keptAt = downgrade ? sql`now()` : null;
  await ctx.db
    .update(subscriptions)
    .set({ ...kept, keptAt })
    .where(eq(subscriptions.id, id));
};

/** `prorate`: charged at once for the rest of the period; `free`: from the next renewal on. */
interface PriceChange {
  id: string;
  plan: PaidPlanSlug;
  billing: "prorate" | "free";
}

/** Gives a subscription the price of a plan at the provider, under the lease of a change. @throws as `writeSubscription` */
const setPrice = (ctx: Ctx<"payments">, { id, plan, billing }: PriceChange): Promise<void> => {
  const priceId = priceIdOf(ctx.settings.prices, `plan:${plan}`);
  return writeSubscription(ctx, {
    id,
    write: () => ctx.payments.changePrice(id, priceId, billing),
    hasHappened: (subscription) => subscription.priceId === priceId,
    refusalText: refusalTextOf,
  });
};

/** Longer than any call of a change can still be under way at the provider. */
const PATIENCE_MS = 5 * MINUTE_MS;
/** Subscriptions of one round. */
const RESTORED_MAX = 20;

const findRow = async (ctx: Ctx, id: string): Promise<Subscription | undefined> =>
  (await ctx.db.select().from(subscriptions).where(eq(subscriptions.id, id)))[0];

/** Puts the downgrade back if the provider still has the plan that it was taken back to; else the upgrade was made. */
const restore = async (ctx: Ctx<"payments">, id: string): Promise<void> => {
  const subscription = await askProvider(ctx, ctx.payments.getSubscription(id));
  await applyFact(ctx, { fact: { kind: "subscription", subscription } });
  const row = await findRow(ctx, id);
  // Taken up elsewhere meanwhile, or it is to end: then it waits for what becomes of that.
  if (!row?.keptTo || row.status !== "active" || row.scheduledAction !== null) return;
  if (row.plan === row.keptFrom && row.keptTo !== "free") {
    await setPrice(ctx, { id, plan: row.keptTo, billing: "free" });
  }
  await keepDowngrade(ctx, id, null);
};

/**
 * Puts back downgrades that were taken back for an upgrade of which nobody knows whether it was made: the provider's
 * answer was lost, or the process died. May run twice. @returns how many were looked at
 */
export const restorePlans = async (ctx: Ctx<"payments">): Promise<number> => {
  const { id, status, scheduledAction, keptAt } = subscriptions;
  const before = addMs(await databaseTime(ctx), -PATIENCE_MS);
  const rows = await ctx.db
    .select({ id })
    .from(subscriptions)
    .where(and(lt(keptAt, before), eq(status, "active"), isNull(scheduledAction)))
    .orderBy(sql`random()`)
    .limit(RESTORED_MAX);
  for (const row of rows) {
    if (ctx.stopping.aborted) break;
    try {
      await holdChange(ctx, row.id, () => restore(ctx, row.id));
    } catch (error) {
      // A change is under way, or it is refused now: the next round is soon. Anything else is a fault of ours.
      if (!(error instanceof AppError)) throw error;
      if (error.code === "provider_unavailable") break;
    }
  }
  return rows.length;
};

/**
 * Whether a subscription stands in a month whose payment is not known yet: it was renewed a moment ago, at the plan that
 * was due then. What was paid before says nothing of what a change costs now.
 */
const awaitsPayment = async (
  ctx: Ctx,
  { userId, subscription }: { userId: UserId; subscription: Pick<Subscription, "id" | "periodStartsAt"> },
): Promise<boolean> => {
  const newest = sumPeriods(await findFacts(ctx, userId)).find(
    ({ subscriptionId }) => subscriptionId === subscription.id,
  );
  if (!newest || !subscription.periodStartsAt) return false;
  return subscription.periodStartsAt.getTime() - newest.startsAt.getTime() > DAY_MS;
};
