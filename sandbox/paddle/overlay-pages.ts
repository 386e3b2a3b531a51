import { html } from "hono/html";
import { type Markup, page, readStyle } from "../kit/look/page.ts";

const DAY = new Intl.DateTimeFormat("en-US", { dateStyle: "long", timeZone: "UTC" });

/** A page of the stand-in's own, outside of the checkout. */
export function buyerPage(title: string, body: Markup): Markup {
  return page({
    title: `${title}: Paddle sandbox`,
    heading: { text: "Paddle sandbox", chip: "Stand-in" },
    styles: ["/checkout/checkout.css"],
    body: html`<main class="wrap narrow">${body}</main>`,
  });
}

/** A day in full. The pages know no visitor whose zone they could use, so it is UTC's. */
export function day(iso: string | null): string {
  return iso === null ? "" : DAY.format(new Date(iso));
}

type Theme = "light" | "dark";

const DARK = "@media (prefers-color-scheme: dark) {";

/** A checkout is light unless its page asks otherwise, whatever the system prefers. */
export function readTheme(text: string | undefined): Theme {
  return text === "dark" ? "dark" : "light";
}

/** The tokens of one theme alone, to stand behind the shared sheet, which follows the system. */
export function themeSheet(theme: Theme): string {
  const tokens = readStyle(new URL("../kit/look/tokens.css", import.meta.url));
  const at = tokens.indexOf(DARK);
  if (at < 0) throw new Error("The tokens have no dark part");
  return theme === "light" ? tokens.slice(0, at) : tokens.slice(at + DARK.length, tokens.lastIndexOf("}"));
}

/** Its own scripts and styles; in the frame of any page, as the real one is within the seller's. */
export const FRAME_HEADERS = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self' data:; " +
    "connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors *",
  "referrer-policy": "no-referrer",
  "cache-control": "no-store",
};

/** The empty checkout. Its script fills it once the page around has said what is bought. */
export function framePage(theme: Theme): Markup {
  return page({
    title: "Checkout: Paddle sandbox",
    styles: [`/checkout/theme.css?theme=${theme}`, "/checkout/checkout.css"],
    body: html`
<main class="veil">
  <div class="checkout" role="dialog" aria-modal="true" aria-label="Checkout">
    <p class="from">Paddle sandbox <span class="chip">Stand-in</span></p>
    <button class="close" id="close" type="button" aria-label="Close checkout">×</button>
    <div id="panel" aria-live="polite"><h1 tabindex="-1">Checkout</h1><p class="muted">One moment …</p></div>
  </div>
</main>
<template id="problem">
  <h1 tabindex="-1">Something went wrong</h1>
  <p class="note-failed" role="alert" data-detail></p>
  <div class="stack">
    <button class="btn btn-1" type="button" data-retry>Try again</button>
    <button class="btn btn-2" type="button" data-close>Close</button>
  </div>
</template>
<script src="/checkout/frame.js" type="module"></script>`,
  });
}
