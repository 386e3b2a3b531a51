import { html } from "hono/html";
import { type Markup, page } from "../kit/ui/page.ts";

/** Headers of the console's pages: only their own scripts, no framing by other pages. */
export const CONSOLE_HEADERS = {
  "content-security-policy":
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; font-src 'self'; " +
    "img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  // With "no-referrer", browsers submit forms without an Origin header, and the console would reject them.
  "referrer-policy": "same-origin",
  "cache-control": "no-store",
};

const IN_UTC = { hourCycle: "h23", timeZone: "UTC" } as const;
const TIME = new Intl.DateTimeFormat("en-US", { timeStyle: "medium", ...IN_UTC });
const DAY_TIME = new Intl.DateTimeFormat("en-US", { dateStyle: "medium", timeStyle: "medium", ...IN_UTC });

type Tab = "stand-ins" | "runs";

/** A console page with navigation. Parts made with {@link live} refresh themselves. */
export function consolePage(title: string, tab: Tab, body: Markup): Markup {
  const link = (id: Tab, href: string, text: string) =>
    html`<a href="${href}" ${id === tab ? html`aria-current="page"` : ""}>${text}</a>`;
  return page({
    title: `${title}: Sandbox console`,
    heading: { text: "Sandbox console", chip: "Local stand-ins" },
    styles: ["/console.css"],
    body: html`<nav class="tabs" aria-label="Console">${link("stand-ins", "/", "Stand-ins")}${link("runs", "/runs", "Durable runs")}</nav>
<main class="wrap">${body}</main>
<script src="/refresh.js" defer></script>`,
  });
}

/** A part of a page that refreshes every few seconds, unless it has focus or a selection. */
export function live(id: string, body: Markup): Markup {
  return html`<div id="${id}" data-live>${body}</div>`;
}

/** The time the page was rendered, with a link to reload it without JavaScript. */
export function lastUpdated(href: string): Markup {
  return html`<p class="muted small made">As of <span class="num">${TIME.format(new Date())} UTC</span>. <a class="link" href="${href}">Refresh</a></p>`;
}

/** `19:21:04` in UTC, with the full timestamp in `datetime`. */
export function clockTime(iso: string): Markup {
  return html`<time class="num" datetime="${iso}">${TIME.format(new Date(iso))}</time>`;
}

export function dayTime(iso: string): Markup {
  return html`<time class="num" datetime="${iso}">${DAY_TIME.format(new Date(iso))} UTC</time>`;
}

/** `textRequests` becomes `text requests`. */
export function humanize(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

export function capitalized(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}

/** A label, colored by tone. */
export function chip(text: string, tone: "good" | "bad" | "plain"): Markup {
  const className = { good: "chip published", bad: "chip failed", plain: "chip" }[tone];
  return html`<span class="${className}">${text}</span>`;
}
