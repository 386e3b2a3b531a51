import type { Paddle, PaddleEventData } from "@paddle/paddle-js";
import { SECOND_MS } from "#lib/core/time.ts";
import type { CatalogWire } from "#lib/features/billing/schema.ts";

export type CheckoutListener = (event: PaddleEventData) => void;

const PROVIDER_SCRIPT = "https://cdn.paddle.com/paddle/v2/paddle.js";
/** A script that has neither loaded nor failed by then is given up. */
const LOAD_LIMIT_MS = 20 * SECOND_MS;

// A document has one checkout: it is set up once and shared by all screens.
const listeners = new Set<CheckoutListener>();
let loading: Promise<Paddle> | undefined;

/** Subscribes to checkout events; returns the unsubscribe function. */
export const onCheckoutEvent = (listener: CheckoutListener): (() => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

const emit = (event: PaddleEventData): void => {
  for (const listener of [...listeners]) listener(event);
};

/** Adds the script to the page. A failed script is removed so that the next attempt starts over. */
const loadScript = (url: string): Promise<void> =>
  new Promise((resolve, reject) => {
    if (window.PaddleBillingV1) return resolve();
    const script = document.createElement("script");
    const settle = (problem: string | null): void => {
      clearTimeout(timer);
      if (problem !== null) script.remove();
      if (problem === null) resolve();
      else reject(new Error(problem));
    };
    const timer = setTimeout(() => settle("The checkout script timed out."), LOAD_LIMIT_MS);
    script.addEventListener("load", () =>
      settle(window.PaddleBillingV1 ? null : "The checkout script did not define the checkout."),
    );
    script.addEventListener("error", () => settle("The checkout script failed to load."));
    script.src = url;
    document.head.append(script);
  });

const setUp = async ({ token, environment, scriptUrl }: CatalogWire["checkout"]): Promise<Paddle> => {
  const [{ initializePaddle }] = await Promise.all([
    import("@paddle/paddle-js"),
    loadScript(scriptUrl ?? PROVIDER_SCRIPT),
  ]);
  const paddle = await initializePaddle({ token, environment, eventCallback: emit });
  // The loader hides setup errors of the script.
  if (!paddle?.Initialized) throw new Error("The checkout could not be set up.");
  return paddle;
};

/**
 * Loads and sets up the provider's checkout once per document. After a failure the next call tries again.
 * @throws Error when the script is blocked, times out or rejects its settings
 */
export const loadCheckout = (settings: CatalogWire["checkout"]): Promise<Paddle> => {
  loading ??= setUp(settings).catch((error: unknown) => {
    loading = undefined;
    throw error;
  });
  return loading;
};
