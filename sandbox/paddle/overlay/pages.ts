import { html } from "hono/html";
import { type Markup, page } from "../../kit/look/page.ts";

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
