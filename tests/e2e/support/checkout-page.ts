import { readFileSync } from "node:fs";
import type { FrameLocator, Page } from "@playwright/test";
import { createApp, type Handle, serve } from "#sandbox/kit/serve.ts";
import { inRepository } from "#scripts/root.ts";

/** A seller's page that loads the unmodified Paddle.js package; its script comes from the stand-in at `paddleUrl`. */
export function startShop(paddleUrl: string, token: string): Promise<Handle> {
  const library = readFileSync(inRepository("node_modules", "@paddle", "paddle-js", "dist", "index.esm.js"), "utf8");
  const app = createApp();
  app.get("/paddle-js.mjs", (c) => c.body(library, 200, { "content-type": "text/javascript" }));
  app.get("/", (c) =>
    c.html(`<!doctype html><html lang="en"><title>Shop</title><style>:root{color-scheme:light dark}</style>
<button id="before">Before</button><main><h1>Shop</h1><p>${"Linen bedroom ideas. ".repeat(200)}</p></main>
<script src="${paddleUrl}/paddle.js"></script>
<script type="module">
import { initializePaddle } from "/paddle-js.mjs";
window.events = [];
window.paddle = await initializePaddle({
  token: new URLSearchParams(location.search).get("token") ?? ${JSON.stringify(token)},
  environment: "sandbox",
  eventCallback: (event) => window.events.push(event),
});
document.documentElement.dataset.ready = "1";
</script></html>`),
  );
  return serve(app, { port: 0, host: "127.0.0.1" });
}

/** A checkout event as the page received it. */
interface SeenEvent {
  name: string;
  data: {
    id: string;
    transaction_id: string;
    status: string;
    product_id: string;
    totals: Record<string, number>;
    custom_data: Record<string, unknown> | null;
    items: { price_id: string; quantity: number; product: { id: string } }[];
    payment: { method_details: { type: string; card?: { last4: string } } };
    customer: { email?: string };
  };
  code?: string;
}

/** Opens the checkout the way a page does. */
export async function openCheckout(page: Page, shopUrl: string, order: Record<string, unknown>): Promise<FrameLocator> {
  await page.goto(shopUrl);
  await page.locator("html[data-ready]").waitFor();
  await page.getByRole("button", { name: "Before" }).focus();
  await page.evaluate((given) => Reflect.get(window, "paddle").Checkout.open(given), order);
  return page.frameLocator('iframe[title="Checkout"]');
}

/** The events that the page has received so far. */
export const eventsOf = (page: Page): Promise<SeenEvent[]> => page.evaluate(() => Reflect.get(window, "events"));

/** The names of the events, without `checkout.`. */
export const namesOf = async (page: Page): Promise<string[]> =>
  (await eventsOf(page)).map(({ name }) => name.replace("checkout.", ""));
