import type { Context } from "hono";
import type { StandInEnv } from "../../kit/serve.ts";
import type { CheckoutOrder } from "../checkout/start-checkout.ts";
import type { Paddle } from "../context.ts";
import { invalidField, REFUSALS, RefusedError } from "../refusals.ts";

/** Fields as a browser sent them. */
export type Body = Record<string, unknown>;

/** The text of a field; anything else is none. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value.trim() : "";
}

/** The fields of a request. @throws RefusedError when there are none */
export async function readBody(c: Context<StandInEnv>): Promise<Body> {
  try {
    const value: unknown = JSON.parse(await c.req.text());
    return fieldsOf(value);
  } catch (error) {
    if (error instanceof SyntaxError) throw new RefusedError(REFUSALS.notJson);
    throw error;
  }
}

/** @throws RefusedError 403 for a token that is not this seller's */
export function assertToken({ clientToken }: Paddle, token: unknown): void {
  if (token !== clientToken) throw new RefusedError(REFUSALS.forbidden);
}

/** What a checkout was opened with. @throws RefusedError for what cannot be read */
export function readOrder(value: unknown): CheckoutOrder {
  const { items, transaction_id, customer, custom_data } = fieldsOf(value);
  const { id, email, address } = fieldsOf(customer);
  const place = fieldsOf(address);
  const transactionId = textOf(transaction_id);
  return {
    ...(transactionId !== "" ? { transactionId } : { items: readItems(items) }),
    ...(textOf(email) !== "" && { customer: { email: textOf(email) } }),
    ...(textOf(id) !== "" && { customer: { id: textOf(id) } }),
    ...(textOf(place.countryCode) !== "" && {
      address: { countryCode: textOf(place.countryCode), postalCode: textOf(place.postalCode) },
    }),
    customData: custom_data === null || custom_data === undefined ? null : fieldsOf(custom_data),
  };
}

function readItems(items: unknown): { priceId: string; quantity: number }[] {
  if (!Array.isArray(items)) throw invalidField("items", "must be a list");
  return items.map((item: unknown) => {
    const { price_id, quantity = 1 } = fieldsOf(item);
    if (!Number.isInteger(quantity)) throw invalidField("items.quantity", "must be a whole number");
    return { priceId: textOf(price_id), quantity: Number(quantity) };
  });
}

function fieldsOf(value: unknown): Body {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
}
