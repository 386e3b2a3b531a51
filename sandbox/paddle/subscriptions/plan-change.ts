import { salePrice } from "../catalogue-api.ts";
import type { Paddle } from "../context.ts";
import type { Edit } from "../edit.ts";
import type { Period, Subscription, SubscriptionItem } from "../model.ts";
import type { PostponedLine } from "../records.ts";
import { invalidField, REFUSALS, RefusedError } from "../refusals.ts";
import { daysLeft } from "../time.ts";
import { type Line, lineAmount } from "../totals.ts";
import { countryOf } from "../transactions.ts";
import { toItem } from "./create-subscription.ts";

export type ProrationMode =
  | "prorated_immediately"
  | "prorated_next_billing_period"
  | "full_immediately"
  | "full_next_billing_period"
  | "do_not_bill";

/** A change of items, worked out. */
export interface ChangePlan {
  items: SubscriptionItem[];
  /** What is charged for what is left of the period. */
  charges: Line[];
  /** What was paid for what is no longer wanted, in lowest units. */
  credit: number;
  /** The same for the next renewal. */
  postponed: PostponedLine[];
  billsNow: boolean;
  period: Period;
}

type Wanted = { price_id: string; quantity?: number };

/**
 * Works out a change: the new items for the days that are left, less what was paid for those days before. The running
 * day counts as left.
 * @throws RefusedError for items that cannot be sold, or are paid in another rhythm.
 */
export function planChange(
  paddle: Paddle,
  one: Edit,
  subscription: Subscription,
  wanted: Wanted[],
  mode: ProrationMode,
): ChangePlan {
  const period = subscription.current_billing_period;
  if (period === null) throw new RefusedError(REFUSALS.subscriptionInactive);
  const items = newItems(paddle, one, subscription, wanted);
  const share = mode.startsWith("full") ? { days: 1, of: 1 } : daysLeft(period, one.at);
  const added = differences(items, subscription.items);
  const removed = differences(subscription.items, items);
  const rate = String(share.days / share.of);
  const proration = { rate, billing_period: { starts_at: one.stamp(), ends_at: period.ends_at } };
  const toLine = ({ price, product, quantity }: SubscriptionItem): Line => ({
    price,
    product,
    quantity,
    share,
    proration,
  });
  const terms = {
    currency: subscription.currency_code,
    country: countryOf(paddle, one, subscription.address_id),
    taxPercent: 0,
    at: one.at,
  };
  const credit = removed.reduce((all, item) => all + lineAmount(toLine(item), terms), 0);
  const billsNow = mode.endsWith("immediately");
  const isPostponed = mode.endsWith("next_billing_period");
  const postpone =
    (sign: 1 | -1) =>
    (item: SubscriptionItem): PostponedLine => ({
      priceId: item.price.id,
      quantity: item.quantity,
      share,
      period,
      sign,
    });
  return {
    items,
    charges: billsNow ? added.map(toLine) : [],
    credit: billsNow ? credit : 0,
    postponed: isPostponed ? [...added.map(postpone(1)), ...removed.map(postpone(-1))] : [],
    billsNow,
    period,
  };
}

function newItems(paddle: Paddle, one: Edit, subscription: Subscription, wanted: Wanted[]): SubscriptionItem[] {
  const ids = new Set(wanted.map(({ price_id }) => price_id));
  if (ids.size < wanted.length) throw invalidField("items", "must not name a price twice");
  return wanted.map(({ price_id, quantity }) => {
    const known = subscription.items.find(({ price }) => price.id === price_id);
    if (known !== undefined) return { ...known, quantity: quantity ?? known.quantity };
    const { price, product } = salePrice(paddle, price_id);
    if (JSON.stringify(price.billing_cycle) !== JSON.stringify(subscription.billing_cycle)) {
      throw invalidField("items", "all items of a subscription are billed in the same rhythm");
    }
    const at = one.stamp();
    const dates = { createdAt: at, billedAt: at, nextBilledAt: subscription.next_billed_at };
    return toItem({ price, product, quantity: quantity ?? 1 }, dates);
  });
}

/** What `these` hold beyond `those`. */
function differences(these: SubscriptionItem[], those: SubscriptionItem[]): SubscriptionItem[] {
  return these.flatMap((item) => {
    const before = those.find(({ price }) => price.id === item.price.id)?.quantity ?? 0;
    return item.quantity > before ? [{ ...item, quantity: item.quantity - before }] : [];
  });
}
