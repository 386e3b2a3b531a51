import type { Paddle } from "./context.ts";
import { type Edit, edit } from "./edit.ts";
import { newId, newToken } from "./new-id.ts";
import type { PortalSession } from "./records.ts";
import { entityNotFound } from "./refusals.ts";
import { isoMicros } from "./time.ts";

const LIFE_MS = 24 * 60 * 60 * 1000;

/** A new link to the portal of a customer. @throws RefusedError 404 for a subscription that is not theirs. */
export function openPortalSession(paddle: Paddle, customerId: string, subscriptionIds: string[]): PortalSession {
  for (const id of subscriptionIds) {
    if (paddle.store.state.subscriptions.get(id)?.customer_id !== customerId) throw entityNotFound("subscription", id);
  }
  return edit(paddle, (one) =>
    one.put("portalSessions", newSession(one, newId("cpls", one.at), customerId, subscriptionIds)),
  );
}

/** A link that a subscription's own answers carry: the one before, while it has most of its life before it. */
export function managementSession(paddle: Paddle, customerId: string, subscriptionId: string): PortalSession {
  const id = `links_${subscriptionId}`;
  const known = paddle.store.state.portalSessions.get(id);
  if (known !== undefined && Date.parse(known.expiresAt) - paddle.clock.now().getTime() > LIFE_MS / 2) return known;
  return edit(paddle, (one) => one.put("portalSessions", newSession(one, id, customerId, [subscriptionId])));
}

/** The session behind a link, while it lives. */
export function findPortalSession({ store, clock }: Paddle, token: string): PortalSession | undefined {
  const session = [...store.state.portalSessions.values()].find((one) => one.token === token);
  return session === undefined || Date.parse(session.expiresAt) <= clock.now().getTime() ? undefined : session;
}

/** The links of a session, as the API shows them. */
export function portalUrls(origin: string, { token, subscriptionIds }: PortalSession) {
  const subscriptions = subscriptionIds.map((id) => ({
    id,
    cancel_subscription: `${origin}/portal/${token}/subscriptions/${id}/cancel`,
    update_subscription_payment_method: `${origin}/portal/${token}/subscriptions/${id}/payment-method`,
  }));
  return { general: { overview: `${origin}/portal/${token}` }, subscriptions };
}

function newSession(one: Edit, id: string, customerId: string, subscriptionIds: string[]): PortalSession {
  return {
    id,
    token: newToken(),
    customerId,
    subscriptionIds,
    createdAt: one.stamp(),
    expiresAt: isoMicros(new Date(one.at.getTime() + LIFE_MS)),
  };
}
