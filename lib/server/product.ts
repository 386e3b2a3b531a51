import "server-only";
import { isLoopbackUrl } from "#lib/core/loopback.ts";
import { creatorPathOf } from "#lib/core/paths.ts";
import { slugOf } from "#lib/core/text.ts";
import { env, pageEnv } from "#lib/env.ts";

export interface Product {
  name: string;
  slug: string;
  creatorPath: string;
  creatorLabel: string;
  supportEmail: string;
  supportPhone: string;
  postalAddress: string;
  appUrl: string;
  hasGoogle: boolean;
  adPixelId?: string | undefined;
}

/** Static pages keep the values from build time. */
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
    hasGoogle: from.GOOGLE_CLIENT_ID !== undefined,
    adPixelId: from.AD_PIXEL_ID,
  };
};

/** Empty in production. */
export const sandboxServices = (): readonly string[] => env().SANDBOX_SERVICES;

/** Anything but a loopback address is production. */
export const isLocalSite = (): boolean => isLoopbackUrl(env().APP_URL);
