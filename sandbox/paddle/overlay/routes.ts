import { readFileSync } from "node:fs";
import type { Hono } from "hono";
import { PAGE_HEADERS, readStyle } from "../../kit/look/page.ts";
import { createApp, type StandInEnv } from "../../kit/serve.ts";
import type { Paddle } from "../context.ts";
import { checkoutRoutes } from "./checkout-routes.ts";
import { FRAME_HEADERS, framePage } from "./frame-page.ts";
import { homePage } from "./home-page.ts";
import { invoiceRoutes } from "./invoice-routes.ts";
import { portalRoutes } from "./portal-routes.ts";
import { previewRoutes } from "./preview-routes.ts";
import { readTheme, themeSheet } from "./theme.ts";

const CSS = "text/css; charset=utf-8";
const SCRIPT = { "content-type": "text/javascript; charset=utf-8", "cache-control": "no-store" };

/**
 * What people see: an overview of what was sold (`/`), the script that pages load (`/paddle.js`), the checkout that it opens (`/checkout/*`), the customer
 * portal (`/portal/*`) and invoices (`/invoices/*`).
 */
export function overlayRoutes(paddle: Paddle): Hono<StandInEnv> {
  const app = createApp();
  const script = readScript("paddle.js");
  const frameScript = readScript("frame.js");
  const css = readStyle(new URL("look/checkout.css", import.meta.url));
  // Pages of other origins load it, also those that ask to be told so.
  app.get("/paddle.js", (c) => c.body(script, 200, { ...SCRIPT, "cross-origin-resource-policy": "cross-origin" }));
  app.get("/checkout/frame.js", (c) => c.body(frameScript, 200, SCRIPT));
  app.get("/checkout/checkout.css", (c) => c.body(css, 200, { "content-type": CSS }));
  app.get("/checkout/theme.css", (c) => {
    return c.body(themeSheet(readTheme(c.req.query("theme"))), 200, { "content-type": CSS });
  });
  app.get("/checkout/frame", (c) => c.html(framePage(readTheme(c.req.query("theme"))), 200, FRAME_HEADERS));
  app.get("/", (c) => c.html(homePage(paddle), 200, PAGE_HEADERS));
  app.route("/", checkoutRoutes(paddle));
  app.route("/", previewRoutes(paddle));
  app.route("/", portalRoutes(paddle));
  app.route("/", invoiceRoutes(paddle));
  return app;
}

function readScript(name: string): string {
  return readFileSync(new URL(name, import.meta.url), "utf8");
}
