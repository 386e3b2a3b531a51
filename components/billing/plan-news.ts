import type { SubscriptionWire } from "#lib/features/billing/schema.ts";

type Listener = (subscription: SubscriptionWire) => void;

const listeners = new Set<Listener>();

/** Hears what another part of the page learned about the plan; returns how to stop. */
export const onPlanNews = (listener: Listener): (() => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

export const tellPlanNews: Listener = (subscription) => {
  for (const listener of [...listeners]) listener(subscription);
};
