"use client";

import type { Paddle, PricePreviewResponse } from "@paddle/paddle-js";
import { useEffect, useState } from "react";
import { toDollars } from "#lib/core/money.ts";
import { PAID_PLANS, type PaidPlanSlug } from "#lib/features/billing/constants.ts";
import type { CatalogueWire } from "#lib/features/billing/schema.ts";
import { PLANS } from "#lib/features/identity/constants.ts";

/** Prices for reading where they differ from the table's dollars. */
export type LocalPrices = Partial<Record<PaidPlanSlug, string>>;

type Items = PricePreviewResponse["data"]["details"]["lineItems"];

const isInDollars = (plan: PaidPlanSlug, currency: string, totalMinor: string): boolean =>
  currency === "USD" && Number(totalMinor) === toDollars(PLANS[plan].priceTenthsOfCent) * 100;

/** What the provider would charge for each plan here, taxes included, where that is not what the table says already. */
export const readPrices = (
  priceIds: ReadonlyMap<string, PaidPlanSlug>,
  { currencyCode, details }: { currencyCode: string; details: { lineItems: Items } },
): LocalPrices =>
  Object.fromEntries(
    details.lineItems.flatMap(({ price, totals, formattedTotals }) => {
      const plan = priceIds.get(price.id);
      return plan && !isInDollars(plan, currencyCode, totals.total) ? [[plan, formattedTotals.total]] : [];
    }),
  );

/** Asks the provider what the plans cost where the visitor is. Without an answer the table's dollars stand. */
export const useLocalPrices = (paddle: Paddle | null, catalogue: CatalogueWire | null): LocalPrices => {
  const [prices, setPrices] = useState<LocalPrices>({});
  useEffect(() => {
    if (!paddle || !catalogue) return;
    let isWanted = true;
    const ids = new Map<string, PaidPlanSlug>(
      PAID_PLANS.flatMap((plan) => {
        const priceId = catalogue.plans.find(({ id }) => id === plan)?.priceId;
        return priceId ? [[priceId, plan]] : [];
      }),
    );
    paddle
      .PricePreview({ items: [...ids.keys()].map((priceId) => ({ priceId, quantity: 1 })) })
      .then(({ data }) => isWanted && setPrices(readPrices(ids, data)))
      .catch((error: unknown) => console.warn("Prices in the visitor's currency are not available", error));
    return () => {
      isWanted = false;
    };
  }, [paddle, catalogue]);
  return prices;
};
