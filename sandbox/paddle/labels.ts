import type { Context } from "hono";
import type { StandInEnv } from "../kit/serve.ts";
import type { Paddle } from "./context.ts";

/** Faults can be aimed with `where: {transaction, subscription, customer, user, price}`; `user` is custom data's `user_id`. */
export async function labelsOf(paddle: Paddle, c: Context<StandInEnv>): Promise<Record<string, string>> {
  const { state } = paddle.store;
  const body = await bodyOf(c);
  const named = /\/(txn|sub|ctm)_[a-z\d]+/.exec(c.req.path)?.[0].slice(1);
  const transaction = state.transactions.get(named ?? String(body.transaction_id));
  const subscription = state.subscriptions.get(named ?? String(transaction?.subscription_id));
  const customData = transaction?.custom_data ?? subscription?.custom_data ?? Object(body.custom_data);
  const [first] = Array.isArray(body.items) ? body.items : [];
  return texts({
    transaction: transaction?.id,
    subscription: subscription?.id,
    customer: transaction?.customer_id ?? subscription?.customer_id ?? (named?.startsWith("ctm_") ? named : undefined),
    user: customData.user_id,
    price: Object(first).price_id,
  });
}

async function bodyOf(c: Context<StandInEnv>): Promise<Record<string, unknown>> {
  if (c.req.method === "GET") return {};
  try {
    const value: unknown = JSON.parse(await c.req.text());
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}

function texts(found: Record<string, unknown>): Record<string, string> {
  const entries = Object.entries(found);
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === "string"));
}
