import type { Paddle, PaddleEventData } from "@paddle/paddle-js";
import { SECOND_MS } from "#lib/core/time.ts";
import type { CatalogueWire } from "#lib/features/billing/schema.ts";

export type CheckoutListener = (event: PaddleEventData) => void;

/** Where the provider's own script lives. */
const PROVIDER_SCRIPT = "https://cdn.paddle.com/paddle/v2/paddle.js";
/** A script that was neither loaded nor refused by then will not come. */
const LOAD_LIMIT_MS = 20 * SECOND_MS;

// One document has one checkout: it is set up once and may be wanted by several screens, one after another.
const listeners = new Set<CheckoutListener>();
let loading: Promise<Paddle> | undefined;

/** Hears what the checkout tells; returns how to stop. */
export const onCheckoutEvent = (listener: CheckoutListener): (() => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

const tell = (event: PaddleEventData): void => {
  for (const listener of [...listeners]) listener(event);
};

/** Puts the script into the page. One that failed is taken out again, so that the next attempt is a new one. */
const loadScript = (address: string): Promise<void> =>
  new Promise((resolve, reject) => {
    if (window.PaddleBillingV1) return resolve();
    const script = document.createElement("script");
    const settle = (problem: string | null): void => {
      clearTimeout(timer);
      if (problem !== null) script.remove();
      if (problem === null) resolve();
      else reject(new Error(problem));
    };
    const timer = setTimeout(() => settle("The checkout's script did not come in time."), LOAD_LIMIT_MS);
    script.addEventListener("load", () =>
      settle(window.PaddleBillingV1 ? null : "The checkout's script is not what it should be."),
    );
    script.addEventListener("error", () => settle("The checkout's script could not be loaded."));
    script.src = address;
    document.head.append(script);
  });

const setUp = async ({ token, environment, scriptUrl }: CatalogueWire["checkout"]): Promise<Paddle> => {
  const [{ initializePaddle }] = await Promise.all([
    import("@paddle/paddle-js"),
    loadScript(scriptUrl ?? PROVIDER_SCRIPT),
  ]);
  const paddle = await initializePaddle({ token, environment, eventCallback: tell });
  // The loader swallows what the script refuses to be set up with.
  if (!paddle?.Initialized) throw new Error("The checkout could not be set up.");
  return paddle;
};

/**
 * The provider's checkout, loaded and set up once for the document. After a failure the next call tries again.
 * @throws Error when the script is blocked, does not come, or refuses its settings
 */
export const loadCheckout = (settings: CatalogueWire["checkout"]): Promise<Paddle> => {
  loading ??= setUp(settings).catch((error: unknown) => {
    loading = undefined;
    throw error;
  });
  return loading;
};
