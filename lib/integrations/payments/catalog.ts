import { z } from "zod";
import { type Call, unavailable } from "./call.ts";
import type { CatalogPrice, CatalogProduct, PaymentResult, PaymentsPort } from "./port.ts";

/** Marks the products and prices that we created. */
const key = z
  .object({ key: z.string().min(1).max(100) })
  .nullish()
  .catch(null)
  .transform((raw) => raw?.key ?? null);

const productShape = z
  .object({ id: z.string().min(1), name: z.string(), status: z.string(), customData: key })
  .transform(
    ({ id, name, status, customData }): CatalogProduct => ({
      id,
      key: customData,
      name,
      isActive: status === "active",
    }),
  );

const priceShape = z
  .object({
    id: z.string().min(1),
    productId: z.string().min(1),
    status: z.string(),
    customData: key,
    unitPrice: z.object({ amount: z.string().regex(/^\d{1,15}$/), currencyCode: z.string() }),
    billingCycle: z.object({ interval: z.string(), frequency: z.number() }).nullish(),
  })
  .transform(({ id, productId, status, customData, unitPrice, billingCycle }): CatalogPrice => {
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

const PER_PAGE = 200;
/** An account with more pages than this was not set up by us. */
const PAGES_MAX = 25;
const EITHER_STATUS: ("active" | "archived")[] = ["active", "archived"];

interface Pages {
  hasMore: boolean;
  next(): Promise<unknown>;
}

const readAll = async <S extends z.ZodType>(
  call: Call,
  open: (paddle: Parameters<Parameters<Call>[0]>[0]) => Pages,
  item: S,
): Promise<PaymentResult<z.output<S>[]>> => {
  const all: z.output<S>[] = [];
  let pages: Pages | undefined;
  for (let count = 0; count < PAGES_MAX && (pages === undefined || pages.hasMore); count++) {
    const page = await call((paddle) => {
      pages ??= open(paddle);
      return pages.next();
    }, z.array(item));
    if (page.kind === "problem") return page;
    all.push(...page.value);
  }
  if (pages?.hasMore) return { kind: "problem", problem: unavailable(`more than ${PAGES_MAX} pages`) };
  return { kind: "ok", value: all };
};

export const createCatalogCalls = (
  call: Call,
): Pick<PaymentsPort, "listProducts" | "listPrices" | "createProduct" | "createPrice"> => ({
  listProducts: () =>
    readAll(call, (paddle) => paddle.products.list({ perPage: PER_PAGE, status: EITHER_STATUS }), productShape),
  listPrices: () =>
    readAll(call, (paddle) => paddle.prices.list({ perPage: PER_PAGE, status: EITHER_STATUS }), priceShape),
  createProduct: ({ key, name, description }) =>
    call(
      (paddle) => paddle.products.create({ name, description, taxCategory: "standard", customData: { key } }),
      productShape,
    ),
  createPrice: ({ key, productId, name, description, amountMinor, interval, maxQuantity }) =>
    call(
      (paddle) =>
        paddle.prices.create({
          productId,
          name,
          description,
          unitPrice: { amount: String(amountMinor), currencyCode: "USD" },
          billingCycle: interval && { interval, frequency: 1 },
          quantity: { minimum: 1, maximum: maxQuantity },
          customData: { key },
        }),
      priceShape,
    ),
});
