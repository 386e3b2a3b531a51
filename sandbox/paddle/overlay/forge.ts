import type { CheckoutEvent } from "./event-data.ts";

const OTHER_PRICE = `pri_${"0".repeat(26)}`;
const OTHER_PRODUCT = `pro_${"0".repeat(26)}`;
const MUCH = 1_000_000;

/** An event as somebody would write it who wants more than was paid for. The transaction's id stays the true one. */
export function forge({ name, data }: CheckoutEvent): CheckoutEvent {
  const totals = { ...data.totals, subtotal: MUCH, total: MUCH };
  const items = data.items.map((item) => ({
    ...item,
    price_id: OTHER_PRICE,
    product: { ...item.product, id: OTHER_PRODUCT },
    quantity: MUCH,
    totals: { ...item.totals, subtotal: MUCH, total: MUCH },
  }));
  const custom_data = { ...data.custom_data, credits: MUCH, plan_id: "pro", plan_type: "pro", user_id: "usr_forged" };
  return { name, data: { ...data, items, totals, product_id: OTHER_PRODUCT, custom_data } };
}
