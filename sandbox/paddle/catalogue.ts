import type { Hono } from "hono";
import { createApp, type StandInEnv } from "../kit/serve.ts";
import { answer, answerPage, found, notPart, RefusedError, readRequest } from "./http.ts";
import type { CustomData, Duration, LineTotals } from "./model.ts";
import { commit, newId, type Paddle } from "./state.ts";
import { currencyOf, formatMinor, type Line, taxRate, unitAmount, withTax } from "./totals.ts";

interface ProductBody {
  name: string;
  tax_category: string;
  description?: string | null;
  custom_data?: CustomData;
}

interface PriceBody {
  product_id: string;
  description: string;
  unit_price: { amount: string; currency_code: string };
  name?: string | null;
  billing_cycle?: Duration | null;
  quantity?: { minimum: number; maximum: number };
  custom_data?: CustomData;
  status?: string;
}

export type Product = ReturnType<typeof newProduct>;
export type Price = ReturnType<typeof newPrice>;

const PRODUCT_FIELDS = ["name", "tax_category", "description", "custom_data"];
const PRICE_FIELDS = ["product_id", "description", "unit_price", "name", "billing_cycle", "quantity", "custom_data"];
const LIST_FIELDS = ["status", "per_page", "after"];

/** `GET|POST /products`, `GET|POST /prices`, `GET|PATCH /prices/:id`. */
export function catalogueApi(paddle: Paddle): Hono<StandInEnv> {
  const app = createApp();
  for (const kind of ["products", "prices"] as const) {
    app.get(`/${kind}`, async (c) => {
      await readRequest(paddle, c, `/${kind}`, LIST_FIELDS);
      const wanted = c.req.query("status")?.split(",");
      const entities: (Product | Price)[] = [...paddle.store.state[kind].values()];
      const listed = entities.filter(({ status }) => wanted === undefined || wanted.includes(status));
      return answerPage(c, listed.reverse(), ({ id }) => id);
    });
  }
  app.post("/products", async (c) => {
    const body = await readRequest<ProductBody>(paddle, c, "/products", PRODUCT_FIELDS);
    return answer(c, createProduct(paddle, body), 201);
  });
  app.post("/prices", async (c) => {
    const body = await readRequest<PriceBody>(paddle, c, "/prices", PRICE_FIELDS);
    found(paddle.store.state.products, "product", body.product_id);
    return answer(c, createPrice(paddle, body), 201);
  });
  app.get("/prices/:id", async (c) => {
    await readRequest(paddle, c, "/prices/{price_id}");
    return answer(c, found(paddle.store.state.prices, "price", c.req.param("id")));
  });
  app.patch("/prices/:id", async (c) => {
    const body = await readRequest<Partial<PriceBody>>(paddle, c, "/prices/{price_id}", [...PRICE_FIELDS, "status"]);
    const price = found(paddle.store.state.prices, "price", c.req.param("id"));
    assertMonthly(body.billing_cycle);
    return answer(
      c,
      commit(paddle, (change) => change.save("prices", { ...price, ...body }, "price.updated")),
    );
  });
  return app;
}

function newProduct(id: string, created_at: string, body: ProductBody) {
  return {
    id,
    description: null,
    type: "standard",
    image_url: null,
    custom_data: null,
    status: "active",
    import_meta: null,
    created_at,
    updated_at: created_at,
    ...body,
  };
}

function newPrice(id: string, created_at: string, body: PriceBody) {
  return {
    id,
    name: null,
    type: "standard",
    billing_cycle: null,
    trial_period: null,
    tax_mode: "account_setting",
    unit_price_overrides: [],
    quantity: { minimum: 1, maximum: 100 },
    status: "active",
    custom_data: null,
    import_meta: null,
    created_at,
    updated_at: created_at,
    ...body,
  };
}

/** A new product; without `isReported` no event says so. */
function createProduct(paddle: Paddle, body: ProductBody, isReported = true): Product {
  return commit(paddle, (change) => {
    const product = newProduct(newId("pro", change.at), change.stamp(), body);
    return change.save("products", product, ...(isReported ? ["product.created"] : []));
  });
}

/** A new price; one with an id given is there from the start, and no event says so. */
function createPrice(paddle: Paddle, body: PriceBody, id?: string): Price {
  assertMonthly(body.billing_cycle);
  return commit(paddle, (change) => {
    const price = newPrice(id ?? newId("pri", change.at), change.stamp(), body);
    return change.save("prices", price, ...(id === undefined ? ["price.created"] : []));
  });
}

function assertMonthly(cycle: Duration | null | undefined): void {
  if (cycle && cycle.interval !== "month") throw notPart(`A billing cycle of a ${cycle.interval}`);
}

/** A line over a price that is sold. @throws RefusedError for an unknown or archived price, and for a quantity too much */
export function saleLine({ store }: Paddle, priceId: string, quantity: number): Line {
  const price = found(store.state.prices, "price", priceId);
  const { minimum, maximum } = price.quantity;
  if (price.status === "archived") throw new RefusedError("transaction_item_price_archived");
  if (quantity < minimum || quantity > maximum) {
    const detail = `quantity must be ${minimum} to ${maximum}`;
    throw new RefusedError("transaction_item_quantity_out_of_range", detail);
  }
  return { price, quantity, product: found(store.state.products, "product", price.product_id) };
}

/** One thing to sell, present from the start. */
export interface CatalogueEntry {
  /** The seller's own name for it; goes into the price's custom data. */
  key: string;
  /** `pri_` and 26 lower-case letters or digits. */
  priceId: string;
  productName: string;
  priceName: string;
  description: string;
  /** In cents. */
  amountMinor: string;
  currency: "USD";
  /** null is paid once. */
  interval: "month" | null;
}

/**
 * Makes the products and prices that are not there yet; what is there stays as it is.
 * @throws Error for a price id that Paddle could not have made.
 */
export function seedCatalogue(paddle: Paddle, entries: readonly CatalogueEntry[]): void {
  const { products, prices } = paddle.store.state;
  for (const { key, priceId, productName, priceName, description, amountMinor, currency, interval } of entries) {
    if (!/^pri_[a-z\d]{26}$/.test(priceId)) throw new Error(`"${priceId}" is no price id of Paddle`);
    if (prices.has(priceId)) continue;
    const known = [...products.values()].find(({ name }) => name === productName);
    const product = known ?? createProduct(paddle, { name: productName, tax_category: "standard" }, false);
    const price = {
      product_id: product.id,
      name: priceName,
      description,
      unit_price: { amount: amountMinor, currency_code: currency },
      billing_cycle: interval === null ? null : { interval, frequency: 1 },
      custom_data: { key },
    };
    createPrice(paddle, price, priceId);
  }
}

/** What prices are asked for, as the API spells it. */
export interface PricingRequest {
  items: { price_id: string; quantity: number }[];
}

/** Prices as a buyer in the country of the setting sees them. Nothing is kept. @throws RefusedError for a price that is not sold. */
export function previewPrices(paddle: Paddle, { items }: PricingRequest) {
  const { taxPercent, country } = paddle.settings.values;
  const currency_code = currencyOf(country);
  const line_items = items.map((item) => {
    const { price, product, quantity } = saleLine(paddle, item.price_id, item.quantity);
    const unit = unitAmount(price, currency_code);
    const unit_totals = withTax(unit, taxPercent);
    const totals = withTax(unit * quantity, taxPercent);
    return {
      price,
      quantity,
      tax_rate: taxRate(taxPercent),
      unit_totals,
      formatted_unit_totals: formatted(unit_totals, currency_code),
      totals,
      formatted_totals: formatted(totals, currency_code),
      product,
      discounts: [],
    };
  });
  return {
    customer_id: null,
    address_id: null,
    business_id: null,
    discount_id: null,
    currency_code,
    address: { country_code: country, postal_code: null },
    customer_ip_address: null,
    details: { line_items },
    available_payment_methods: ["card"],
  };
}

function formatted({ subtotal, discount, tax, total }: LineTotals, currency: string): LineTotals {
  const text = (amount: string) => formatMinor(amount, currency);
  return { subtotal: text(subtotal), discount: text(discount), tax: text(tax), total: text(total) };
}
