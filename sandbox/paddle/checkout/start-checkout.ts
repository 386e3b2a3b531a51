import { salePrice } from "../catalogue-api.ts";
import type { Paddle } from "../context.ts";
import { createAddress, createCustomer, customerByEmail, findCustomer } from "../customers.ts";
import { type Edit, edit } from "../edit.ts";
import type { CustomData, Transaction } from "../model.ts";
import { invalidField, refused } from "../refusals.ts";
import type { Line } from "../totals.ts";
import { createTransaction, findTransaction, priced } from "../transactions.ts";

/** What a checkout is opened with: items, or a transaction that exists. */
export interface CheckoutOrder {
  items?: { priceId: string; quantity: number }[];
  transactionId?: string;
  customer?: { email: string } | { id: string };
  address?: { countryCode: string; postalCode?: string };
  customData?: CustomData;
}

/** Who buys, and where. */
export interface Buyer {
  email: string;
  countryCode?: string;
  postalCode?: string;
}

/**
 * Opens a checkout: a transaction that is `ready` once its buyer is known, else a `draft`.
 * @throws RefusedError for items that cannot be sold, and for a transaction that cannot be paid any more.
 */
export function startCheckout(paddle: Paddle, order: CheckoutOrder): Transaction {
  const { transactionId, items = [], customer, address } = order;
  const email = customer === undefined ? undefined : emailOf(paddle, customer);
  const buyer: Buyer | undefined = email === undefined ? undefined : { email, ...address };
  if (transactionId !== undefined) {
    const transaction = payable(findTransaction(paddle, transactionId));
    return buyer === undefined || transaction.customer_id !== null
      ? transaction
      : identifyBuyer(paddle, transactionId, buyer);
  }
  if (items.length === 0) throw invalidField("items", "a checkout needs items or a transaction");
  const lines = items.map(({ priceId, quantity }) => toLine(paddle, priceId, quantity));
  return edit(paddle, (one) => {
    const ids = buyer === undefined ? { customerId: null, addressId: null } : buyerIds(paddle, one, buyer);
    return createTransaction(paddle, one, { lines, origin: "web", customData: order.customData ?? null, ...ids });
  });
}

/** Tells a transaction its buyer: it becomes `ready`, in the currency of the buyer's country. */
export function identifyBuyer(paddle: Paddle, transactionId: string, buyer: Buyer): Transaction {
  const transaction = payable(findTransaction(paddle, transactionId));
  const lines = transaction.items.map(({ price, quantity }) => toLine(paddle, price.id, quantity));
  return edit(paddle, (one) => {
    const { customerId, addressId } = buyerIds(paddle, one, buyer);
    const known = { customer_id: customerId, address_id: addressId };
    const next = { ...transaction, ...known, ...priced(paddle, one, { lines, addressId }) };
    const updated = one.save("transactions", next, "transaction.updated");
    if (updated.status !== "draft") return updated;
    return one.save("transactions", { ...updated, status: "ready" }, "transaction.ready");
  });
}

/** @throws RefusedError for an archived or unknown price, and for a quantity that it does not allow. */
export function toLine(paddle: Paddle, priceId: string, quantity: number): Line {
  const { price, product } = salePrice(paddle, priceId);
  const { minimum, maximum } = price.quantity;
  if (quantity < minimum || quantity > maximum) {
    throw refused(
      "transaction_item_quantity_out_of_range",
      `quantity must be ${minimum} to ${maximum}`,
      "transactions",
    );
  }
  // What begins with a trial costs nothing until the trial is over.
  return { price, product, quantity, ...(price.trial_period !== null && { share: { days: 0, of: 1 } }) };
}

/** @throws RefusedError for a transaction that is paid, completed or canceled. */
export function payable(transaction: Transaction): Transaction {
  if (["draft", "ready", "billed", "past_due"].includes(transaction.status)) return transaction;
  throw refused("transaction_immutable", `transaction is ${transaction.status} and cannot be changed`, "transactions");
}

function emailOf(paddle: Paddle, customer: { email: string } | { id: string }): string {
  return "email" in customer ? customer.email : findCustomer(paddle, customer.id).email;
}

/** The customer and address of a buyer, made when they are new. */
function buyerIds(paddle: Paddle, one: Edit, { email, countryCode, postalCode }: Buyer) {
  const customer = customerByEmail(paddle, email) ?? createCustomer(paddle, one, { email });
  const country = countryCode ?? paddle.settings.country;
  const postal = postalCode ?? null;
  const known = [...paddle.store.state.addresses.values()].find(
    (address) =>
      address.customer_id === customer.id && address.country_code === country && address.postal_code === postal,
  );
  const address = known ?? createAddress(one, customer.id, { country_code: country, postal_code: postal });
  return { customerId: customer.id, addressId: address.id };
}
