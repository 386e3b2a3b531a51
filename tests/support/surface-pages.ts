import type { SurfaceUser } from "./surface-users.ts";

export interface PageSpec {
  /** `screen`: signed-in users only. */
  access: "public" | "screen";
  params?: Record<string, string>;
  /** A query with the user's own ids. */
  query?: (user: SurfaceUser) => Record<string, string>;
}

const open: PageSpec = { access: "public" };
const withToken: PageSpec = { access: "public", params: { token: "t".repeat(43) } };
const screen: PageSpec = { access: "screen" };
const ofAccount: PageSpec = { access: "screen", query: ({ accountId }) => ({ account: accountId }) };

/** Every page. One that is missing here fails `contract/surface-pages.test.ts`. */
export const PAGE_SPECS: Record<string, PageSpec> = {
  "/": open,
  "/about-us": open,
  "/app": screen,
  "/app/[creator]": { ...ofAccount, params: { creator: "" } },
  "/app/analytics": ofAccount,
  "/app/authorize": screen,
  "/app/board-manager": ofAccount,
  "/app/brand": ofAccount,
  "/app/buy-credits": screen,
  "/app/calendar": ofAccount,
  "/app/calendar/slots": ofAccount,
  "/app/create-pin": ofAccount,
  "/app/create-pin/carousel": ofAccount,
  "/app/create-pin/video": ofAccount,
  "/app/import": ofAccount,
  "/app/generated-posts": { access: "screen", query: ({ accountId }) => ({ account: accountId, status: "draft" }) },
  "/app/generated-posts/review": ofAccount,
  "/app/keywords": { access: "screen", query: ({ accountId }) => ({ account: accountId, q: "bread" }) },
  "/app/pages": screen,
  "/app/saved-videos": { access: "screen", query: () => ({ q: "saved" }) },
  "/app/settings": screen,
  "/app/settings/api-keys": screen,
  "/app/settings/credits": screen,
  "/app/settings/webhooks": screen,
  "/app/videos": screen,
  "/blog": open,
  "/developers": open,
  "/blog/[slug]": { access: "public", params: { slug: "pinterest-pin-sizes" } },
  "/change-email/[token]": withToken,
  "/contact-us": open,
  "/dev/ui": open,
  "/faqs": open,
  "/features": open,
  "/forgot-password": open,
  "/login": open,
  "/login/verify": open,
  "/pricing": open,
  "/privacy-policy": open,
  "/refund-policy": open,
  "/register": open,
  "/reset-password": open,
  "/reset-password/[token]": withToken,
  "/status": open,
  "/terms-of-service": open,
  "/unsubscribe/[token]": withToken,
  "/upgrade-error": open,
  "/upgrade-success": open,
  "/verify-email/[token]": withToken,
};
