import type { Metadata } from "next";
import { BuyCreditsScreen } from "#components/billing/buy-credits-screen.tsx";
import { listOffers } from "#lib/features/billing/checkout.ts";
import { BUY_TEXTS } from "#lib/features/billing/constants.ts";
import { findSubscriptionView } from "#lib/features/billing/queries.ts";
import { toCatalogWire, toSubscriptionWire } from "#lib/features/billing/serializers.ts";
import { pageContext, requireUser } from "#lib/server/actor.ts";
import { product } from "#lib/server/product.ts";

export const metadata: Metadata = { title: BUY_TEXTS.title };

export default async function BuyCreditsPage() {
  const user = await requireUser();
  const ctx = await pageContext(user);
  const [offers, view] = await Promise.all([listOffers(ctx), findSubscriptionView(ctx, user.id)]);
  return (
    <BuyCreditsScreen
      initial={{
        email: user.email,
        subscription: toSubscriptionWire(view),
        catalog: toCatalogWire(offers),
        adPixelId: product().adPixelId,
      }}
    />
  );
}
