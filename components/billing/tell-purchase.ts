import { getAdConsent } from "#lib/client/ad-consent.ts";
import { adPixelAddress } from "#lib/core/ad-pixel.ts";
import type { Completion } from "./open-checkout.ts";

/** Tells the ad pixel of a purchase (R-PAY-02, R-BUY-20): only where there is one, and only after a yes. */
export const tellPurchase = (pixelId: string | undefined, { total, currency, productId }: Completion): void => {
  if (!pixelId || getAdConsent() !== "allowed") return;
  const picture = new Image(1, 1);
  picture.referrerPolicy = "origin";
  picture.src = adPixelAddress(pixelId, "Purchase", Date.now(), { total, currency, productId });
};
