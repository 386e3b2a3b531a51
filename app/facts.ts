import { type Product, product } from "#lib/server/product.ts";

/** Returns the product's details: those at build time on static pages, the current ones on dynamic pages. */
export async function productFacts(): Promise<Product> {
  return product();
}
