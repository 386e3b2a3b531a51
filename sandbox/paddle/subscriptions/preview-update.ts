import type { Context } from "hono";
import type { StandInEnv } from "../../kit/serve.ts";
import type { Paddle } from "../context.ts";
import { creditOf } from "../credit.ts";
import type { Edit } from "../edit.ts";
import type { Subscription } from "../model.ts";
import { kept } from "../state.ts";
import { isoMicros } from "../time.ts";
import { priced } from "../transactions.ts";
import { nextTransaction, recurringDetails, toWireSubscription } from "./present.ts";
import { assertUpdatable, planUpdate, type SubscriptionUpdate } from "./update-subscription.ts";

/** What a change would do and cost. Nothing is kept. */
export function previewUpdate(
  paddle: Paddle,
  c: Context<StandInEnv>,
  subscription: Subscription,
  update: SubscriptionUpdate,
): Record<string, unknown> {
  assertUpdatable(paddle, subscription, update);
  const one = lookingOnly(paddle);
  const { id: _, ...shown } = toWireSubscription(paddle, c, subscription);
  if (update.items === undefined) return { ...shown, ...previews(paddle, subscription), immediate_transaction: null };
  const plan = planUpdate(paddle, one, subscription, update);
  const next = { ...subscription, items: plan.items };
  const { currency_code: currency, customer_id, address_id: addressId } = subscription;
  const credit = plan.credit + creditOf(paddle, customer_id, currency);
  const { details } = priced(paddle, one, { lines: plan.charges, currency, addressId, credit });
  const charge = details.line_items.reduce((all, { totals }) => all + Number(totals.total), 0);
  const { payout_totals: __, adjusted_totals: ___, ...told } = details;
  const billing_period = { starts_at: isoMicros(one.at), ends_at: plan.period.ends_at };
  return {
    ...shown,
    items: plan.items,
    ...previews(paddle, next),
    immediate_transaction: plan.billsNow ? { billing_period, details: told, adjustments: [] } : null,
    update_summary: plan.billsNow ? summary(plan.credit, charge, currency) : null,
  };
}

function previews(paddle: Paddle, subscription: Subscription) {
  return {
    next_transaction: nextTransaction(paddle, subscription),
    recurring_transaction_details: recurringDetails(paddle, subscription),
    update_summary: null,
  };
}

function summary(credit: number, charge: number, currency_code: string) {
  const net = charge - credit;
  const money = (amount: number) => ({ amount: String(amount), currency_code });
  return {
    credit: money(credit),
    charge: money(charge),
    result: { action: net < 0 ? "credit" : "charge", ...money(Math.abs(net)) },
  };
}

/** An edit that keeps nothing. */
function lookingOnly({ store, clock }: Paddle): Edit {
  const at = clock.now();
  return {
    at,
    stamp: () => isoMicros(at),
    get: (kind, id) => kept(store.state, kind, id),
    put: (_kind, entity) => entity,
    save: (_kind, entity) => entity,
    emit: (event_type, data) => ({ event_id: "", event_type, occurred_at: isoMicros(at), data }),
  };
}
