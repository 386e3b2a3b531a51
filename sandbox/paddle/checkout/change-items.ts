import type { Paddle } from "../context.ts";
import { edit } from "../edit.ts";
import type { Transaction } from "../model.ts";
import { invalidField } from "../refusals.ts";
import { findTransaction, priced } from "../transactions.ts";
import { type CheckoutOrder, payable, toLine } from "./start-checkout.ts";

/**
 * Puts other items into a checkout that is open; buyer and transaction stay.
 * @throws RefusedError for items that cannot be sold, and for a transaction that cannot be paid any more.
 */
export function changeItems(paddle: Paddle, transactionId: string, items: CheckoutOrder["items"] = []): Transaction {
  const transaction = payable(findTransaction(paddle, transactionId));
  if (items.length === 0) throw invalidField("items", "a checkout needs items");
  const lines = items.map(({ priceId, quantity }) => toLine(paddle, priceId, quantity));
  return edit(paddle, (one) => {
    const next = {
      ...transaction,
      items: lines.map(({ price, quantity }) => ({ price, quantity, proration: null })),
      ...priced(paddle, one, { lines, addressId: transaction.address_id }),
    };
    return one.save("transactions", next, "transaction.updated");
  });
}
