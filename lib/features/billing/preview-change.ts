import "server-only";
import type { Ctx } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import { requireUserId } from "#lib/core/require-user.ts";
import type { ChangePreview } from "#lib/integrations/payments/port.ts";
import { askProvider } from "./ask-provider.ts";
import { awaitsPayment } from "./awaits-payment.ts";
import { type PaidPlanSlug, SETTINGS_TEXTS } from "./constants.ts";
import { changeRefusalOf, courseOf, priceIdOf } from "./policy.ts";
import { findSubscriptionView } from "./queries.ts";

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
