import { getAdConsent } from "#lib/client/ad-consent.ts";
import { isTransient } from "#lib/client/api.ts";
import { pause } from "#lib/client/pause.ts";
import { adPixelUrl } from "#lib/core/ad-pixel.ts";
import { SECOND_MS } from "#lib/core/time.ts";
import type { Completion } from "./open-checkout.ts";

/** Delays between calls while the provider processes a payment, half a minute in total. */
export const PENDING_WAITS_MS = [1, 2, 3, 4, 5, 5, 5, 5].map((seconds) => seconds * SECOND_MS);
/** Delays before a failed call is retried. */
export const RETRY_WAITS_MS = [1, 2].map((seconds) => seconds * SECOND_MS);

interface ConfirmOptions<T> {
  isPending: (result: T) => boolean;
  /** Aborted when the user leaves the screen. */
  signal: AbortSignal;
}

const callWithRetry = async <T>(call: () => Promise<T>, signal: AbortSignal): Promise<T> => {
  for (const waitMs of RETRY_WAITS_MS) {
    try {
      return await call();
    } catch (error) {
      if (!isTransient(error) || signal.aborted) throw error;
      await pause(waitMs, signal);
    }
  }
  return call();
};

/**
 * Calls the confirmation until the payment is no longer pending. The last response may still be pending; the payment
 * event then grants the purchase.
 * @throws what the call throws after three attempts
 */
export const confirmPayment = async <T>(
  call: () => Promise<T>,
  { isPending, signal }: ConfirmOptions<T>,
): Promise<T> => {
  let result = await callWithRetry(call, signal);
  for (const waitMs of PENDING_WAITS_MS) {
    if (!isPending(result) || signal.aborted) return result;
    await pause(waitMs, signal);
    result = await callWithRetry(call, signal);
  }
  return result;
};

/** Reports a purchase to the ad pixel, if one is configured and the user has consented. */
export const trackPurchase = (pixelId: string | undefined, { total, currency, productId }: Completion): void => {
  if (!pixelId || getAdConsent() !== "allowed") return;
  const image = new Image(1, 1);
  image.referrerPolicy = "origin";
  image.src = adPixelUrl(pixelId, "Purchase", Date.now(), { total, currency, productId });
};
