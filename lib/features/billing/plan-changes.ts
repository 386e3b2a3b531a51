import "server-only";
import { and, eq, isNull, lt, lte, or, sql } from "drizzle-orm";
import { subscriptions } from "#db/schema/billing.ts";
import { type Ctx, databaseTime } from "#lib/context.ts";
import { AppError, requireUserId } from "#lib/core/errors.ts";
import type { UserId } from "#lib/core/ids.ts";
import { addMs, DAY_MS, MINUTE_MS } from "#lib/core/time.ts";
import type { ChangePreview } from "#lib/integrations/payments/port.ts";
import { unwrapResult } from "./checkout.ts";
import { CHANGE_LEASE_MS, SETTINGS_TEXTS } from "./constants.ts";
import { applyFact } from "./events.ts";
import { type PaidPlanSlug, PLANS, type PlanSlug } from "./plans.ts";
import {
  type ChangeAction,
  changeActionOf,
  changeRefusalOf,
  comparePlans,
  priceIdOf,
  refusalTextOf,
  upgradeCredits,
} from "./policy.ts";
import {
  derivePeriods,
  findFacts,
  findSubscription,
  findSubscriptionView,
  type Subscription,
  type SubscriptionView,
} from "./queries.ts";
import { refreshSubscription, writeSubscription } from "./subscriptions.ts";

/** `pending`: charged, but the event that upgrades the plan has not arrived yet. */
export interface ChangedView {
  view: SubscriptionView;
  confirmation: "completed" | "pending";
}

/** The provider is read first, because our row may be waiting for an event. */
const refreshView = async (ctx: Ctx<"payments">, userId: UserId, id: string): Promise<SubscriptionView> => {
  await refreshSubscription(ctx, { id });
  return findSubscriptionView(ctx, userId);
};

interface Change {
  action: ChangeAction;
  subscription: Subscription;
  target: PaidPlanSlug;
  scheduled: PaidPlanSlug;
  paid: PaidPlanSlug;
}

const downgradeOf = ({ subscription: { keptTo, keptFrom }, scheduled, paid }: Change): Downgrade | null => {
  if (scheduled !== paid) return { to: scheduled, from: paid };
  if (!keptTo || keptTo === "free" || !keptFrom || keptFrom === "free") return null;
  return keptFrom === paid ? { to: keptTo, from: paid } : null;
};

const applyChange = async (ctx: Ctx<"payments">, change: Change): Promise<void> => {
  const { action, subscription, target, scheduled } = change;
  const { id } = subscription;
  if (action.kind === "wait") throw new AppError("wrong_state", { text: SETTINGS_TEXTS.changePending });
  if (action.kind === "upgrade") return upgradePlan(ctx, { id, target, scheduled, downgrade: downgradeOf(change) });
  if (action.kind === "renewal") await setPrice(ctx, { id, plan: target, billing: "free" });
  // The user's new choice replaces a downgrade that was saved earlier.
  if (subscription.keptTo) await saveDowngrade(ctx, id, null);
};

/**
 * Upgrades take effect now, downgrades at the next renewal. A declined card changes nothing.
 * @throws AppError `wrong_state` when no change is possible; `refused`; provider errors
 */
export const changePlan = async (ctx: Ctx<"payments">, input: { plan: PaidPlanSlug }): Promise<ChangedView> => {
  const userId = requireUserId(ctx);
  const stored = await findSubscription(ctx, userId);
  const refusal = changeRefusalOf(stored, await databaseTime(ctx));
  if (!stored || refusal) throw new AppError("wrong_state", { text: refusal ?? SETTINGS_TEXTS.nothingToChange });
  await withChangeLease(ctx, stored.id, async () => {
    const { subscription, plan, now } = await refreshView(ctx, userId, stored.id);
    const problem = changeRefusalOf(subscription, now);
    if (!subscription || problem)
      throw new AppError("wrong_state", { text: problem ?? SETTINGS_TEXTS.nothingToChange });
    if (await isRenewalPending(ctx, { userId, subscription }))
      throw new AppError("wrong_state", { text: SETTINGS_TEXTS.changeAtRenewal });
    const scheduled = subscription.plan;
    if (scheduled === null || scheduled === "free")
      throw new AppError("wrong_state", { text: SETTINGS_TEXTS.changeFailed });
    const action = changeActionOf(input.plan, { paid: plan, scheduled });
    const paid = plan === "free" ? scheduled : plan;
    await applyChange(ctx, { action, subscription, target: input.plan, scheduled, paid });
  });
  const view = await findSubscriptionView(ctx, userId);
  return { view, confirmation: comparePlans(input.plan, view.plan) > 0 ? "pending" : "completed" };
};

/** Amounts are in the currency's smallest unit. */
export interface PreviewedChange extends ChangePreview {
  takesEffect: "now" | "renewal";
  creditsNow: number;
}

const refuse = (text: string): never => {
  throw new AppError("wrong_state", { text });
};

const creditsForRest = (
  { periodStartsAt, periodEndsAt }: Subscription,
  paid: PlanSlug,
  target: PaidPlanSlug,
  now: Date,
): number => {
  if (!periodStartsAt || !periodEndsAt) return 0;
  const [from, to] = [PLANS[paid].creditsPerPeriod, PLANS[target].creditsPerPeriod];
  return upgradeCredits(from, to, { startsAt: periodStartsAt, endsAt: periodEndsAt }, now);
};

/** @throws AppError `wrong_state` with a text when no change is possible; provider errors */
export const previewChange = async (ctx: Ctx<"payments">, input: { plan: PaidPlanSlug }): Promise<PreviewedChange> => {
  const userId = requireUserId(ctx);
  const { subscription, plan, now } = await findSubscriptionView(ctx, userId);
  const refusal = changeRefusalOf(subscription, now);
  if (!subscription || refusal) return refuse(refusal ?? SETTINGS_TEXTS.nothingToChange);
  if (await isRenewalPending(ctx, { userId, subscription })) return refuse(SETTINGS_TEXTS.changeAtRenewal);
  const { id, plan: scheduled } = subscription;
  if (scheduled === null) return refuse(SETTINGS_TEXTS.changeFailed);
  const previewPlan = (target: PaidPlanSlug, billing: "prorate" | "free"): Promise<ChangePreview> =>
    unwrapResult(ctx, ctx.payments.previewPrice(id, priceIdOf(ctx.settings.prices, `plan:${target}`), billing));
  const action = changeActionOf(input.plan, { paid: plan, scheduled });
  switch (action.kind) {
    case "nothing":
      return refuse(input.plan === plan ? SETTINGS_TEXTS.alreadyOnPlan : SETTINGS_TEXTS.alreadyScheduled);
    case "wait":
      return refuse(SETTINGS_TEXTS.changePending);
    case "renewal":
      return { ...(await previewPlan(input.plan, "free")), takesEffect: "renewal", creditsNow: 0 };
    default: {
      const full = await previewPlan(input.plan, "prorate");
      // The provider prorates from the scheduled smaller plan; the part up to the current plan is already paid.
      const paid = action.restores ? (await previewPlan(action.restores, "prorate")).dueNowMinor : 0;
      return {
        ...full,
        dueNowMinor: Math.max(0, full.dueNowMinor - paid),
        takesEffect: "now",
        creditsNow: creditsForRest(subscription, plan, input.plan, now),
      };
    }
  }
};

interface Upgrade {
  id: string;
  target: PaidPlanSlug;
  scheduled: PaidPlanSlug;
  downgrade: Downgrade | null;
}

const isCertainlyUnchanged = (error: unknown): boolean =>
  error instanceof AppError && error.message !== SETTINGS_TEXTS.unknownOutcome;

const restoreDowngrade = async (ctx: Ctx<"payments">, id: string, { to }: Downgrade): Promise<void> => {
  try {
    await setPrice(ctx, { id, plan: to, billing: "free" });
    await saveDowngrade(ctx, id, null);
  } catch (error) {
    // The saved downgrade is restored later; the user should see why the upgrade failed.
    if (!(error instanceof AppError)) throw error;
  }
};

/** Under the change lease, removes a scheduled downgrade first so that only the difference is charged. */
const upgradePlan = async (ctx: Ctx<"payments">, upgrade: Upgrade): Promise<void> => {
  const { id, target, scheduled, downgrade } = upgrade;
  if (downgrade) await saveDowngrade(ctx, id, downgrade);
  try {
    if (downgrade && downgrade.from !== scheduled) await setPrice(ctx, { id, plan: downgrade.from, billing: "free" });
    await setPrice(ctx, { id, plan: target, billing: "prorate" });
  } catch (error) {
    // With an unknown outcome the larger plan may be paid for, so restoreDowngrades decides later.
    if (downgrade && isCertainlyUnchanged(error)) await restoreDowngrade(ctx, id, downgrade);
    throw error;
  }
  if (downgrade) await saveDowngrade(ctx, id, null);
};

/**
 * One change per subscription at a time, so it is not charged twice. Not in a transaction. @throws AppError
 * `wrong_state` while another runs
 */
const withChangeLease = async <R>(ctx: Ctx, subscriptionId: string, work: () => Promise<R>): Promise<R> => {
  const { id, changingUntil } = subscriptions;
  const until = sql<Date>`now() + make_interval(secs => ${CHANGE_LEASE_MS / 1_000})`;
  const isAvailable = or(isNull(changingUntil), lte(changingUntil, sql`now()`));
  const [lease] = await ctx.db
    .update(subscriptions)
    .set({ changingUntil: until })
    .where(and(eq(id, subscriptionId), isAvailable))
    .returning({ until: changingUntil });
  if (!lease?.until) throw new AppError("wrong_state", { text: SETTINGS_TEXTS.changeInProgress });
  try {
    return await work();
  } finally {
    // An expired lease may belong to another process by now.
    const isOurLease = and(eq(id, subscriptionId), eq(changingUntil, lease.until));
    await ctx.db.update(subscriptions).set({ changingUntil: null }).where(isOurLease);
  }
};

interface Downgrade {
  to: PaidPlanSlug;
  from: PaidPlanSlug;
}

/** Saved before an upgrade removes it, so that a crash does not lose it. Null clears it. */
const saveDowngrade = async (ctx: Ctx, id: string, downgrade: Downgrade | null): Promise<void> => {
  const values = { keptTo: downgrade?.to ?? null, keptFrom: downgrade?.from ?? null };
  const keptAt = downgrade ? sql`now()` : null;
  await ctx.db
    .update(subscriptions)
    .set({ ...values, keptAt })
    .where(eq(subscriptions.id, id));
};

interface PriceChange {
  id: string;
  plan: PaidPlanSlug;
  billing: "prorate" | "free";
}

const setPrice = (ctx: Ctx<"payments">, { id, plan, billing }: PriceChange): Promise<void> => {
  const priceId = priceIdOf(ctx.settings.prices, `plan:${plan}`);
  return writeSubscription(ctx, {
    id,
    write: () => ctx.payments.changePrice(id, priceId, billing),
    isApplied: (subscription) => subscription.priceId === priceId,
    refusalText: refusalTextOf,
  });
};

/** Longer than a plan change's calls can take at the provider. */
const RESTORE_AFTER_MS = 5 * MINUTE_MS;
const RESTORE_BATCH = 20;

const findRow = async (ctx: Ctx, id: string): Promise<Subscription | undefined> =>
  (await ctx.db.select().from(subscriptions).where(eq(subscriptions.id, id)))[0];

/** Restores the downgrade unless the provider already applied the upgrade. */
const restore = async (ctx: Ctx<"payments">, id: string): Promise<void> => {
  const subscription = await unwrapResult(ctx, ctx.payments.getSubscription(id));
  await applyFact(ctx, { fact: { kind: "subscription", subscription } });
  const row = await findRow(ctx, id);
  // Nothing to restore: already done, or the subscription is ending.
  if (!row?.keptTo || row.status !== "active" || row.scheduledAction !== null) return;
  if (row.plan === row.keptFrom && row.keptTo !== "free") {
    await setPrice(ctx, { id, plan: row.keptTo, billing: "free" });
  }
  await saveDowngrade(ctx, id, null);
};

/** Restores downgrades whose upgrade has an unknown outcome. Safe to run twice. */
export const restoreDowngrades = async (ctx: Ctx<"payments">): Promise<number> => {
  const { id, status, scheduledAction, keptAt } = subscriptions;
  const before = addMs(await databaseTime(ctx), -RESTORE_AFTER_MS);
  const rows = await ctx.db
    .select({ id })
    .from(subscriptions)
    .where(and(lt(keptAt, before), eq(status, "active"), isNull(scheduledAction)))
    .orderBy(sql`random()`)
    .limit(RESTORE_BATCH);
  for (const row of rows) {
    if (ctx.stopping.aborted) break;
    try {
      await withChangeLease(ctx, row.id, () => restore(ctx, row.id));
    } catch (error) {
      // A refusal or a running change is retried in the next run. Other errors are bugs.
      if (!(error instanceof AppError)) throw error;
      if (error.code === "provider_unavailable") break;
    }
  }
  return rows.length;
};

/** Whether the subscription renewed but no payment for the new period is recorded yet. */
const isRenewalPending = async (
  ctx: Ctx,
  { userId, subscription }: { userId: UserId; subscription: Pick<Subscription, "id" | "periodStartsAt"> },
): Promise<boolean> => {
  const newest = derivePeriods(await findFacts(ctx, userId)).find(
    ({ subscriptionId }) => subscriptionId === subscription.id,
  );
  if (!newest || !subscription.periodStartsAt) return false;
  return subscription.periodStartsAt.getTime() - newest.startsAt.getTime() > DAY_MS;
};
