import { html } from "hono/html";
import { type Markup, page } from "../kit/look/page.ts";
import type { Pin } from "./model.ts";
import { picturePath } from "./wire.ts";

const TIME = { hour: "numeric", minute: "2-digit", timeZone: "UTC", timeZoneName: "short" } as const;
const LONG_DATE = new Intl.DateTimeFormat("en-US", { year: "numeric", month: "short", day: "numeric", ...TIME });
const SHORT_DATE = new Intl.DateTimeFormat("en-US", { month: "short", day: "numeric", ...TIME });

/** A web page of the stand-in with its bar. */
export function webPage(title: string, body: Markup): Markup {
  return page({
    title: `${title}: Pinterest sandbox`,
    heading: { text: "Pinterest sandbox", chip: "Stand-in" },
    styles: ["/__pinterest/web.css"],
    body: html`<main class="wrap">${body}</main>`,
  });
}

/** The picture with its tack. The alternative text falls back to the title. */
export function face(pin: Pin, isFirst: boolean): Markup {
  const { widthPx, heightPx } = pin.picture;
  return html`<span class="face"><img src="${picturePath(pin)}" width="${widthPx}" height="${heightPx}" alt="${pin.altText ?? pin.title ?? ""}" loading="${isFirst ? "eager" : "lazy"}"><span class="tack" aria-hidden="true"></span></span>`;
}

/** A time in full. The pages know no visitor whose zone they could use, so it is UTC and says so. */
export function longTime(iso: string): string {
  return LONG_DATE.format(new Date(iso));
}

/** A time for a slip. */
export function shortTime(iso: string): string {
  return SHORT_DATE.format(new Date(iso));
}

/** `1,204 pins`, `1 pin`. */
export function countOf(count: number, noun: string): string {
  return `${count.toLocaleString("en-US")} ${noun}${count === 1 ? "" : "s"}`;
}
