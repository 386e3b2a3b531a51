import type { Page } from "@playwright/test";
import { isCheckoutPage } from "#lib/core/security-headers.ts";

/** Collects requests to other origins, policy violations and errors of a page. */
export const watchPolicy = (page: Page): string[] => {
  const found: string[] = [];
  const own = new URL(process.env.BASE_URL ?? "").origin;
  page.on("request", (request) => {
    const url = new URL(request.url());
    // Checkout pages may load the payment provider's script (decision 0016).
    if (url.origin === process.env.E2E_PADDLE_URL && isCheckoutPage(new URL(page.url()).pathname)) return;
    if (/^https?:$/.test(url.protocol) && url.origin !== own) found.push(`requested ${url.origin}`);
  });
  page.on("console", (message) => {
    if (message.type() === "error" && /Content.Security.Policy/i.test(message.text())) found.push(message.text());
  });
  page.on("pageerror", (error) => found.push(`threw ${error.message}`));
  return found;
};
