import type { Paddle } from "../context.ts";
import type { Edit } from "../edit.ts";
import type { Subscription } from "../model.ts";
import type { SubscriptionSecrets } from "../records.ts";
import { entityNotFound } from "../refusals.ts";

/** @throws RefusedError 404. */
export function findSubscription({ store }: Paddle, id = ""): Subscription {
  const subscription = store.state.subscriptions.get(id);
  if (subscription === undefined) throw entityNotFound("subscription", id);
  return subscription;
}

/** What nobody is shown. */
export function secretsOf(one: Edit, id: string): SubscriptionSecrets {
  return one.get("secrets", id) ?? { id, card: null, postponed: [], dunning: null };
}
