import { type Product, product } from "#lib/server/product.ts";

/** The product for a page: as it was when the page was built, or as it is where a page is rendered for each request. */
export async function productFacts(): Promise<Product> {
  return product();
}
