import type { Hono } from "hono";
import { createApp, type StandInEnv } from "../kit/serve.ts";
import { newId, type Price, type Product } from "./model.ts";
import { entityNotFound, refused } from "./refusals.ts";
import { answer, answerPage, filterBy, type Paddle, readRequest } from "./respond.ts";
import { edit, withChanges } from "./state.ts";

type ProductBody = Partial<Pick<Product, "description" | "type" | "image_url" | "custom_data" | "status">> &
  Pick<Product, "name" | "tax_category">;
type PriceBody = Partial<Omit<Price, "id" | "created_at" | "updated_at" | "import_meta">> &
  Pick<Price, "product_id" | "description" | "unit_price">;

const USUAL_QUANTITY = { minimum: 1, maximum: 100 };

/** `GET|POST /products`, `GET|PATCH /products/:id`, `GET|POST /prices`, `GET|PATCH /prices/:id`. */
export function catalogueApi(paddle: Paddle): Hono<StandInEnv> {
  const app = createApp();
  app.get("/products", async (c) => {
    const { query } = await readRequest(paddle, c, "/products");
    const found = filterBy(paddle.store.state.products.values(), query, ["id", "status", "tax_category", "type"]);
    return answerPage(paddle, c, found, (product) => withPrices(paddle, product, query.include));
  });
  app.post("/products", async (c) => {
    const { body } = await readRequest<ProductBody>(paddle, c, "/products");
    return answer(c, createProduct(paddle, body), 201);
  });
  app.get("/products/:id", async (c) => {
    const { path, query } = await readRequest(paddle, c, "/products/{product_id}");
    return answer(c, withPrices(paddle, findProduct(paddle, path.product_id), query.include));
  });
  app.patch("/products/:id", async (c) => {
    const { path, body } = await readRequest<Partial<ProductBody>>(paddle, c, "/products/{product_id}");
    const product = findProduct(paddle, path.product_id);
    return answer(
      c,
      edit(paddle, (one) => one.save("products", withChanges(product, body), "product.updated")),
    );
  });
  priceRoutes(paddle, app);
  return app;
}

function priceRoutes(paddle: Paddle, app: Hono<StandInEnv>): void {
  app.get("/prices", async (c) => {
    const { query } = await readRequest(paddle, c, "/prices");
    const found = filterBy(paddle.store.state.prices.values(), query, ["id", "status", "product_id", "type"]);
    const isWanted = ({ billing_cycle }: Price) =>
      query.recurring === undefined || (query.recurring === "true") === (billing_cycle !== null);
    return answerPage(paddle, c, found.filter(isWanted), (price) => withProduct(paddle, price, query.include));
  });
  app.post("/prices", async (c) => {
    const { body } = await readRequest<PriceBody>(paddle, c, "/prices");
    findProduct(paddle, body.product_id);
    return answer(c, createPrice(paddle, body), 201);
  });
  app.get("/prices/:id", async (c) => {
    const { path, query } = await readRequest(paddle, c, "/prices/{price_id}");
    return answer(c, withProduct(paddle, findPrice(paddle, path.price_id), query.include));
  });
  app.patch("/prices/:id", async (c) => {
    const { path, body } = await readRequest<Partial<PriceBody>>(paddle, c, "/prices/{price_id}");
    const price = findPrice(paddle, path.price_id);
    return answer(
      c,
      edit(paddle, (one) => one.save("prices", withChanges(price, body), "price.updated")),
    );
  });
}

/** A new product; with `isTold` it is told of as `product.created`. */
function createProduct(paddle: Paddle, body: ProductBody, isTold = true): Product {
  return edit(paddle, (one) => {
    const created_at = one.stamp();
    const product: Product = {
      description: null,
      type: "standard",
      image_url: null,
      custom_data: null,
      status: "active",
      import_meta: null,
      created_at,
      updated_at: created_at,
      ...body,
      id: newId("pro", one.at),
    };
    return one.save("products", product, ...(isTold ? ["product.created"] : []));
  });
}

/** A new price; with an id of the caller's it is there from the start, and nobody is told. */
function createPrice(paddle: Paddle, body: PriceBody, id?: string): Price {
  return edit(paddle, (one) => {
    const created_at = one.stamp();
    const price: Price = {
      name: null,
      type: "standard",
      billing_cycle: null,
      trial_period: null,
      tax_mode: "account_setting",
      unit_price_overrides: [],
      quantity: USUAL_QUANTITY,
      status: "active",
      custom_data: null,
      import_meta: null,
      created_at,
      updated_at: created_at,
      ...body,
      id: id ?? newId("pri", one.at),
    };
    return one.save("prices", price, ...(id === undefined ? ["price.created"] : []));
  });
}

/** @throws RefusedError 404. */
export function findProduct({ store }: Paddle, id = ""): Product {
  const product = store.state.products.get(id);
  if (product === undefined) throw entityNotFound("product", id);
  return product;
}

/** @throws RefusedError 404. */
export function findPrice({ store }: Paddle, id = ""): Price {
  const price = store.state.prices.get(id);
  if (price === undefined) throw entityNotFound("price", id);
  return price;
}

/** A price that may be sold now. @throws RefusedError 400 for an archived one, 404. */
export function salePrice(paddle: Paddle, id: string): { price: Price; product: Product } {
  const price = findPrice(paddle, id);
  if (price.status === "archived") {
    throw refused("transaction_item_price_archived", `price ${id} is archived`, "transactions");
  }
  return { price, product: findProduct(paddle, price.product_id) };
}

function withPrices({ store }: Paddle, product: Product, include = ""): Product & { prices?: Price[] } {
  if (!include.split(",").includes("prices")) return product;
  return { ...product, prices: [...store.state.prices.values()].filter(({ product_id }) => product_id === product.id) };
}

function withProduct(paddle: Paddle, price: Price, include = ""): Price & { product?: Product } {
  return include.split(",").includes("product") ? { ...price, product: findProduct(paddle, price.product_id) } : price;
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
  for (const entry of entries) {
    if (!/^pri_[a-z\d]{26}$/.test(entry.priceId)) throw new Error(`"${entry.priceId}" is no price id of Paddle`);
    if (!paddle.store.state.prices.has(entry.priceId)) seed(paddle, entry);
  }
}

function seed(paddle: Paddle, entry: CatalogueEntry): void {
  const { key, priceId, productName, priceName, description, amountMinor, currency, interval } = entry;
  const known = [...paddle.store.state.products.values()].find(({ name }) => name === productName);
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
