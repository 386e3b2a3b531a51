import type { Context } from "hono";
import type { StandInEnv } from "../../kit/serve.ts";
import { originOf, type Paddle } from "../context.ts";
import type { Subscription } from "../model.ts";
import { managementSession, portalUrls } from "../portal-session.ts";
import { periodAfter } from "../time.ts";
import { type Details, detailsOf } from "../totals.ts";
import { recurringLines } from "./renew-subscription.ts";

/** A subscription as the API shows it: with links that last a while, which webhooks never carry. */
export function toWireSubscription(
  paddle: Paddle,
  c: Context<StandInEnv>,
  subscription: Subscription,
  include = "",
): { id: string } & Record<string, unknown> {
  const wanted = new Set(include.split(","));
  return {
    ...subscription,
    management_urls: managementUrls(paddle, c, subscription),
    ...(wanted.has("next_transaction") && { next_transaction: nextTransaction(paddle, subscription) }),
    ...(wanted.has("recurring_transaction_details") && {
      recurring_transaction_details: recurringDetails(paddle, subscription),
    }),
  };
}

/** The next renewal as far as it is known; null when there is none. */
export function nextTransaction(paddle: Paddle, subscription: Subscription): Record<string, unknown> | null {
  const { next_billed_at, first_billed_at, scheduled_change, billing_cycle } = subscription;
  if (next_billed_at === null || scheduled_change !== null) return null;
  const billing_period = periodAfter(first_billed_at ?? next_billed_at, billing_cycle, next_billed_at);
  return { billing_period, details: recurringDetails(paddle, subscription), adjustments: [] };
}

/** What each renewal costs. */
export function recurringDetails(paddle: Paddle, subscription: Subscription): Partial<Details> {
  const period = subscription.current_billing_period ?? { starts_at: "", ends_at: "" };
  const { country_code = paddle.settings.country } = paddle.store.state.addresses.get(subscription.address_id) ?? {};
  const {
    adjusted_totals: _,
    payout_totals: __,
    ...details
  } = detailsOf(recurringLines(subscription, period), {
    currency: subscription.currency_code,
    country: country_code,
    taxPercent: paddle.settings.taxPercent,
    at: paddle.clock.now(),
  });
  return details;
}

function managementUrls(paddle: Paddle, c: Context<StandInEnv>, { id, customer_id, collection_mode }: Subscription) {
  const session = managementSession(paddle, customer_id, id);
  const [urls] = portalUrls(originOf(paddle, c), session).subscriptions;
  const isAutomatic = collection_mode === "automatic";
  return {
    update_payment_method: isAutomatic ? (urls?.update_subscription_payment_method ?? null) : null,
    cancel: urls?.cancel_subscription ?? null,
  };
}
