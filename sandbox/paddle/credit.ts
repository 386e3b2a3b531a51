import type { Paddle } from "./context.ts";
import type { Edit } from "./edit.ts";

/** Credit of a customer in one currency, in lowest units. */
export function creditOf({ store }: Paddle, customerId: string, currency: string): number {
  return store.state.balances.get(`${customerId} ${currency}`)?.amount ?? 0;
}

/** Puts the credit at this amount. */
export function putCredit(one: Edit, customerId: string, currency: string, amount: number): void {
  one.put("balances", { id: `${customerId} ${currency}`, customerId, currency, amount });
}
