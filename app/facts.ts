import { connection } from "next/server";
import { type Product, product } from "#lib/server/product.ts";

/** The product for a page. Waits for a request first: settings belong to the running server, not to the build. */
export async function productFacts(): Promise<Product> {
  await connection();
  return product();
}
