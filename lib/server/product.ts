import "server-only";
import { creatorPathOf } from "#lib/core/paths.ts";
import { slugOf } from "#lib/core/text.ts";
import { env, isLoopback, pageEnv } from "#lib/env.ts";

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
  /** The ad pixel's id, where the operator has one. */
  adPixelId?: string | undefined;
}

/** The product as the settings describe it; static pages keep what it was when they were built. */
export const product = (): Product => {
  const from = pageEnv();
  return {
    name: from.PRODUCT_NAME,
    slug: slugOf(from.PRODUCT_NAME),
    creatorPath: creatorPathOf(from.PRODUCT_NAME),
    creatorLabel: `${from.PRODUCT_NAME} Creator`,
    supportEmail: from.SUPPORT_EMAIL,
    supportPhone: from.SUPPORT_PHONE,
    postalAddress: from.POSTAL_ADDRESS,
    appUrl: from.APP_URL,
    adPixelId: from.AD_PIXEL_ID,
  };
};

/** Services that are played by a local stand-in; empty in production. */
export const sandboxServices = (): readonly string[] => env().SANDBOX_SERVICES;

/** Whether the site is for this machine alone; any other `APP_URL` is production (DESIGN §4). */
export const isLocalSite = (): boolean => isLoopback(env().APP_URL);
