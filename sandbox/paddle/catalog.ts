import type { Hono } from "hono";
import { createApp, type StandInEnv } from "../kit/serve.ts";
import { ApiError, findOrThrow, notSupported, readRequest, respond, respondPage } from "./http.ts";
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
export function catalogApi(paddle: Paddle): Hono<StandInEnv> {
  const app = createApp();
  for (const kind of ["products", "prices"] as const) {
    app.get(`/${kind}`, async (c) => {
      await readRequest(paddle, c, `/${kind}`, LIST_FIELDS);
      const requested = c.req.query("status")?.split(",");
      const entities: (Product | Price)[] = [...paddle.store.state[kind].values()];
      const listed = entities.filter(({ status }) => requested === undefined || requested.includes(status));
      return respondPage(c, listed.reverse(), ({ id }) => id);
    });
  }
  app.post("/products", async (c) => {
    const body = await readRequest<ProductBody>(paddle, c, "/products", PRODUCT_FIELDS);
    return respond(c, createProduct(paddle, body), 201);
  });
  app.post("/prices", async (c) => {
    const body = await readRequest<PriceBody>(paddle, c, "/prices", PRICE_FIELDS);
    findOrThrow(paddle.store.state.products, "product", body.product_id);
    return respond(c, createPrice(paddle, body), 201);
  });
  app.get("/prices/:id", async (c) => {
    await readRequest(paddle, c, "/prices/{price_id}");
    return respond(c, findOrThrow(paddle.store.state.prices, "price", c.req.param("id")));
  });
  app.patch("/prices/:id", async (c) => {
    const body = await readRequest<Partial<PriceBody>>(paddle, c, "/prices/{price_id}", [...PRICE_FIELDS, "status"]);
    const price = findOrThrow(paddle.store.state.prices, "price", c.req.param("id"));
    assertMonthly(body);
    const saved = commit(paddle, (change) => change.save("prices", { ...price, ...body }, "price.updated"));
    return respond(c, saved);
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

/** Creates a product; without `isReported` it emits no event. */
function createProduct(paddle: Paddle, body: ProductBody, isReported = true): Product {
  return commit(paddle, (change) => {
    const product = newProduct(newId("pro", change.at), change.timestamp(), body);
    return change.save("products", product, ...(isReported ? ["product.created"] : []));
  });
}

/** Creates a price. With an id it is a seeded price and emits no event. */
function createPrice(paddle: Paddle, body: PriceBody, id?: string): Price {
  assertMonthly(body);
  return commit(paddle, (change) => {
    const price = newPrice(id ?? newId("pri", change.at), change.timestamp(), body);
    return change.save("prices", price, ...(id === undefined ? ["price.created"] : []));
  });
}

function assertMonthly({ billing_cycle: cycle }: Partial<PriceBody>): void {
  if (cycle && cycle.interval !== "month") throw notSupported(`A billing cycle of a ${cycle.interval}`);
}

/** A line for a price. @throws ApiError for an unknown or archived price, and for a quantity out of range */
export function saleLine({ store }: Paddle, priceId: string, quantity: number): Line {
  const price = findOrThrow(store.state.prices, "price", priceId);
  const { minimum, maximum } = price.quantity;
  if (price.status === "archived") throw new ApiError("transaction_item_price_archived");
  if (quantity < minimum || quantity > maximum) {
    const detail = `quantity must be ${minimum} to ${maximum}`;
    throw new ApiError("transaction_item_quantity_out_of_range", detail);
  }
  return { price, quantity, product: findOrThrow(store.state.products, "product", price.product_id) };
}

export interface CatalogEntry {
  /** The seller's own key, stored in the price's custom data. */
  key: string;
  /** `pri_` and 26 lower-case letters or digits. */
  priceId: string;
  productName: string;
  priceName: string;
  description: string;
  amountMinor: string;
  currency: "USD";
  /** null for a one-time price. */
  interval: "month" | null;
}

/** Creates the missing products and prices; existing ones stay unchanged. @throws Error for an invalid price id. */
export function seedCatalog(paddle: Paddle, entries: readonly CatalogEntry[]): void {
  const { products, prices } = paddle.store.state;
  for (const { key, priceId, productName, priceName, description, amountMinor, currency, interval } of entries) {
    if (!/^pri_[a-z\d]{26}$/.test(priceId)) throw new Error(`"${priceId}" is not a valid Paddle price id`);
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

/** The request of a price preview, as the API spells it. */
export interface PricingRequest {
  items: { price_id: string; quantity: number }[];
}

/** Prices for a buyer in the configured country. Stores nothing. @throws ApiError for a price that is not for sale. */
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
