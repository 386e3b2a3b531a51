import { getAdConsent } from "#lib/client/ad-consent.ts";
import { ApiError } from "#lib/client/api.ts";
import { pause } from "#lib/client/pause.ts";
import { adPixelAddress } from "#lib/core/ad-pixel.ts";
import { SECOND_MS } from "#lib/core/time.ts";
import type { Completion } from "./open-checkout.ts";

/** Pauses between the questions while the provider still works on a payment: half a minute in all. */
export const PENDING_WAITS_MS = [1, 2, 3, 4, 5, 5, 5, 5].map((seconds) => seconds * SECOND_MS);
/** Pauses before a call that did not get through is made again. */
export const RETRY_WAITS_MS = [1, 2].map((seconds) => seconds * SECOND_MS);

interface ConfirmOptions<T> {
  isPending: (answer: T) => boolean;
  /** Aborted when the screen is left. */
  signal: AbortSignal;
}

/** Nothing came back, or the server says that it may go better in a moment. */
const mayPass = (error: unknown): boolean =>
  error instanceof ApiError && (error.status === 0 || error.status === 429 || error.status >= 500);

const askPersistently = async <T>(ask: () => Promise<T>, signal: AbortSignal): Promise<T> => {
  for (const waitMs of RETRY_WAITS_MS) {
    try {
      return await ask();
    } catch (error) {
      if (!mayPass(error) || signal.aborted) throw error;
      await pause(waitMs, signal);
    }
  }
  return ask();
};

/**
 * Makes the documented call that has a payment confirmed, again and again while the provider works on it. The last
 * answer may still be pending: then the provider's message brings what was bought, without anybody asking.
 * @throws what the call throws; one that did not get through is made three times
 */
export const confirmPayment = async <T>(
  ask: () => Promise<T>,
  { isPending, signal }: ConfirmOptions<T>,
): Promise<T> => {
  let answer = await askPersistently(ask, signal);
  for (const waitMs of PENDING_WAITS_MS) {
    if (!isPending(answer) || signal.aborted) return answer;
    await pause(waitMs, signal);
    answer = await askPersistently(ask, signal);
  }
  return answer;
};

/** Tells the ad pixel of a purchase (R-PAY-02, R-BUY-20): only where there is one, and only after a yes. */
export const tellPurchase = (pixelId: string | undefined, { total, currency, productId }: Completion): void => {
  if (!pixelId || getAdConsent() !== "allowed") return;
  const picture = new Image(1, 1);
  picture.referrerPolicy = "origin";
  picture.src = adPixelAddress(pixelId, "Purchase", Date.now(), { total, currency, productId });
};
