import { html } from "hono/html";
import { type Markup, page } from "../kit/look/page.ts";

/** Headers of the console's pages: its own script, nothing from elsewhere, in nobody's frame. */
export const CONSOLE_HEADERS = {
  "content-security-policy":
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; font-src 'self'; " +
    "img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  // Not "no-referrer": under it browsers send their forms without an origin, and they are refused.
  "referrer-policy": "same-origin",
  "cache-control": "no-store",
};

const IN_UTC = { hourCycle: "h23", timeZone: "UTC" } as const;
const TIME = new Intl.DateTimeFormat("en-US", { timeStyle: "medium", ...IN_UTC });
const DAY_TIME = new Intl.DateTimeFormat("en-US", { dateStyle: "medium", timeStyle: "medium", ...IN_UTC });

type Tab = "stand-ins" | "runs";

/** A page of the console with its navigation. Parts made with {@link live} keep themselves up to date. */
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

/** A part of a page that is exchanged every few seconds, unless the reader is in it. */
export function live(id: string, body: Markup): Markup {
  return html`<div id="${id}" data-live>${body}</div>`;
}

/** When the page was made, with a link to load it again without the script. */
export function madeAt(href: string): Markup {
  return html`<p class="muted small made">As of <span class="num">${TIME.format(new Date())} UTC</span>. <a class="link" href="${href}">Look again</a></p>`;
}

/** `19:21:04`, in UTC, with the whole time for machines. */
export function clockTime(iso: string): Markup {
  return html`<time class="num" datetime="${iso}">${TIME.format(new Date(iso))}</time>`;
}

/** Day and time in UTC. */
export function dayTime(iso: string): Markup {
  return html`<time class="num" datetime="${iso}">${DAY_TIME.format(new Date(iso))} UTC</time>`;
}

/** `textRequests` becomes `text requests`. */
export function inWords(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

export function capitalized(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}

/** `1 pin`, `1,204 pins`: the noun is given in its plural. */
export function counted(count: number, plural: string): string {
  const noun = count === 1 && plural.endsWith("s") ? plural.slice(0, -1) : plural;
  return `${count.toLocaleString("en-US")} ${noun}`;
}

/** A word on a chip: what went well is green, what failed is red. */
export function chip(word: string, mood: "good" | "bad" | "plain"): Markup {
  const look = { good: "chip published", bad: "chip failed", plain: "chip" }[mood];
  return html`<span class="${look}">${word}</span>`;
}
