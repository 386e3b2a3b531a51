import { z } from "zod";
import type { CataloguePrice, CatalogueProduct } from "./port.ts";

/** Our own mark on what we made. */
const key = z
  .object({ key: z.string().min(1).max(100) })
  .nullish()
  .catch(null)
  .transform((raw) => raw?.key ?? null);

/** A product. */
export const productShape = z
  .object({ id: z.string().min(1), name: z.string(), status: z.string(), customData: key })
  .transform(
    ({ id, name, status, customData }): CatalogueProduct => ({
      id,
      key: customData,
      name,
      isActive: status === "active",
    }),
  );

/** A price. */
export const priceShape = z
  .object({
    id: z.string().min(1),
    productId: z.string().min(1),
    status: z.string(),
    customData: key,
    unitPrice: z.object({ amount: z.string().regex(/^\d{1,15}$/), currencyCode: z.string() }),
    billingCycle: z.object({ interval: z.string(), frequency: z.number() }).nullish(),
  })
  .transform(({ id, productId, status, customData, unitPrice, billingCycle }): CataloguePrice => {
    const isPlain = billingCycle?.frequency === 1;
    return {
      id,
      productId,
      key: customData,
      currency: unitPrice.currencyCode,
      amountMinor: Number(unitPrice.amount),
      interval: billingCycle ? `${isPlain ? "" : `${billingCycle.frequency} `}${billingCycle.interval}` : null,
      isActive: status === "active",
    };
  });
