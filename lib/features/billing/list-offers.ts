import "server-only";
import type { CheckoutSettings, Ctx } from "#lib/context.ts";
import { OFFERS, type Offer, type PriceKey } from "./constants.ts";
import { priceIdOf } from "./policy.ts";

/** An offer and what the payment provider calls it. */
export interface PricedOffer {
  key: PriceKey;
  offer: Offer;
  priceId: string;
}

export interface Catalogue {
  offers: PricedOffer[];
  checkout: CheckoutSettings;
}

/** Everything that is sold, the same for everybody, and how a checkout is opened. */
export const listOffers = async (ctx: Ctx): Promise<Catalogue> => ({
  offers: [...OFFERS].map(([key, offer]) => ({ key, offer, priceId: priceIdOf(ctx.settings.prices, key) })),
  checkout: ctx.settings.checkout,
});
