import { html } from "hono/html";
import { type Markup, page } from "../kit/look/page.ts";
import type { Line } from "./clients.ts";

/** One place of the local environment. `probe` is asked for a sign of life; any answer below 500 counts. */
export interface Place {
  /** In the console's own addresses. */
  id: string;
  name: string;
  what: string;
  url: string;
  probe: string;
  /** A page for people stands at `url`. */
  visit: boolean;
  /** Origin that has `/__control`. */
  control?: string;
  /** Origin that has `/v1/runs`. */
  runs?: string;
}

/** A place and whether it answers. */
export interface Sighting extends Place {
  isUp: boolean;
}

/** Asks all places at once. */
export function lookAll(line: Line, places: readonly Place[]): Promise<Sighting[]> {
  return Promise.all(places.map(async (place) => ({ ...place, isUp: await isUp(line, place.probe) })));
}

async function isUp({ deadlineMs }: Line, url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(deadlineMs), redirect: "manual" });
    await response.body?.cancel();
    return response.status < 500;
  } catch {
    // Refused, reset or silent: each of them is what "down" means here.
    return false;
  }
}

/** Headers of the console's pages: its own script, nothing from elsewhere, in nobody's frame. */
export const CONSOLE_HEADERS = {
  "content-security-policy":
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; font-src 'self'; " +
    "img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  // Not "no-referrer": under it browsers send their forms without an origin, and they are refused.
  "referrer-policy": "same-origin",
  "cache-control": "no-store",
};

const TIME = new Intl.DateTimeFormat("en-US", {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  hourCycle: "h23",
  timeZone: "UTC",
});
const DAY_TIME = new Intl.DateTimeFormat("en-US", {
  dateStyle: "medium",
  timeStyle: "medium",
  hourCycle: "h23",
  timeZone: "UTC",
});

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

/** When the page was made, with a link for those whom the script does not serve. */
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
