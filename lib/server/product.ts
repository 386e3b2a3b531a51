import "server-only";
import { slugOf } from "#lib/core/slug.ts";
import { env } from "#lib/env.ts";

/** What screens say about the product and its operator. */
export interface Product {
  name: string;
  slug: string;
  creatorPath: string;
  creatorLabel: string;
  supportEmail: string;
  supportPhone: string;
  postalAddress: string;
  appUrl: string;
  /** Services that are played by a local stand-in; empty in production. */
  sandboxServices: string[];
}

/** The product as the settings describe it. */
export const product = (): Product => {
  const from = env();
  const slug = slugOf(from.PRODUCT_NAME);
  return {
    name: from.PRODUCT_NAME,
    slug,
    creatorPath: `/app/${slug}-creator`,
    creatorLabel: `${from.PRODUCT_NAME} Creator`,
    supportEmail: from.SUPPORT_EMAIL,
    supportPhone: from.SUPPORT_PHONE,
    postalAddress: from.POSTAL_ADDRESS,
    appUrl: from.APP_URL,
    sandboxServices: from.SANDBOX_SERVICES,
  };
};
