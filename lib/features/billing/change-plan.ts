import "server-only";
import { type Ctx, databaseTime } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import type { UserId } from "#lib/core/ids.ts";
import { requireUserId } from "#lib/core/require-user.ts";
import { awaitsPayment } from "./awaits-payment.ts";
import { type PaidPlanSlug, SETTINGS_TEXTS } from "./constants.ts";
import { holdChange } from "./hold-change.ts";
import { type Downgrade, keepDowngrade } from "./keep-downgrade.ts";
import { type ChangeCourse, changeRefusalOf, comparePlans, courseOf } from "./policy.ts";
import { findSubscription, findSubscriptionView, type Subscription, type SubscriptionView } from "./queries.ts";
import { refreshSubscription } from "./refresh-subscription.ts";
import { setPrice } from "./set-price.ts";
import { upgradePlan } from "./upgrade-plan.ts";

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
