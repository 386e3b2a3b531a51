import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Context, Hono } from "hono";
import { html } from "hono/html";
import { createApp, type StandInEnv } from "../kit/serve.ts";
import { type Markup, PAGE_HEADERS, pluralize, serveFile, sitePage } from "../kit/ui/page.ts";
import type { Account, Board, Pin, Slide } from "./model.ts";
import { findByUsername, type PinterestState } from "./state.ts";
import { imagePath, type Pinterest, pinCount } from "./wire.ts";

const TIME = { hour: "numeric", minute: "2-digit", timeZone: "UTC", timeZoneName: "short" } as const;
/** The pages don't know the visitor's time zone, so they show UTC and say so. */
const LONG_DATE = new Intl.DateTimeFormat("en-US", { year: "numeric", month: "short", day: "numeric", ...TIME });
const SHORT_DATE = new Intl.DateTimeFormat("en-US", { month: "short", day: "numeric", ...TIME });

const webPage = (title: string, body: Markup) => sitePage("Pinterest sandbox", title, ["/__pinterest/web.css"], body);

function pinImage(pin: Pin, isFirst: boolean): Markup {
  const { widthPx, heightPx } = pin.image;
  return html`<span class="pin-image"><img src="${imagePath(pin)}" width="${widthPx}" height="${heightPx}" alt="${pin.altText ?? pin.title ?? ""}" loading="${isFirst ? "eager" : "lazy"}"><span class="tack" aria-hidden="true"></span></span>`;
}

/** What a pin's page shows: its image, its video, or its slides. */
function pinMedia(pin: Pin): Markup {
  if (pin.video !== undefined) {
    return html`<video class="pin-video" controls preload="metadata" poster="${imagePath(pin)}" src="/media/${pin.video}" aria-label="${pin.altText ?? pin.title ?? "Video"}"></video>`;
  }
  if (pin.slides === undefined) return pinImage(pin, true);
  return html`<ol class="pin-slides">${pin.slides.map(pinSlide)}</ol>`;
}

function pinSlide({ image, title, description, link }: Slide, index: number): Markup {
  return html`<li>
  <img src="/media/${image.file}" width="${image.widthPx}" height="${image.heightPx}" alt="${title ?? `Slide ${index + 1}`}">
  ${title === null ? "" : html`<b>${title}</b>`}
  ${description === null ? "" : html`<p class="text">${description}</p>`}
  ${link === null ? "" : html`<a class="link" href="${link}" rel="noopener noreferrer nofollow">${link}</a>`}
</li>`;
}

/** `Video`, `Carousel of 3 images` or `Image`. */
function formatOf({ video, slides }: Pin): string {
  if (slides !== undefined) return `Carousel of ${slides.length} images`;
  return video === undefined ? "Image" : "Video";
}

/** All accounts, the most recently published first. */
function indexPage(state: PinterestState): Markup {
  const lastPinnedAt = (account: Account) => state.pinsByAccount.get(account.id)?.at(-1)?.createdAt ?? "";
  const accounts = [...state.accounts.values()].sort((a, b) => lastPinnedAt(b).localeCompare(lastPinnedAt(a)));
  return webPage(
    "Accounts",
    html`
<div class="head">
  <h1 class="title">Accounts</h1>
  <p class="muted">Everything here is made up. Pins show up when they are published through the API.</p>
</div>
<ul class="account-list">${accounts.map((account) => accountCard(account, state))}</ul>`,
  );
}

function accountCard(account: Account, state: PinterestState): Markup {
  const published = state.pinsByAccount.get(account.id)?.length ?? 0;
  return html`
<li><a class="card account-card" href="/${account.username}/">
  <span class="initial" aria-hidden="true">${account.username.slice(0, 1).toUpperCase()}</span>
  <span><b>${account.username}</b><span class="muted small num">${pluralize(account.boards.length, "boards")}, ${published === 0 ? "no pins published" : `${published.toLocaleString("en-US")} published`}</span></span>
</a></li>`;
}

/** A pin with everything that was sent for it. */
function pinPage(state: PinterestState, pin: Pin): Markup {
  const username = state.accounts.get(pin.accountId)?.username ?? "";
  return webPage(
    pin.title ?? "Pin",
    html`
<article class="pin-page">
  <div class="board">${pinMedia(pin)}</div>
  <div class="pin-facts">
    <p><span class="chip published">Published</span></p>
    <h1 class="title">${pin.title ?? "Untitled"}</h1>
    ${pin.description === null ? "" : html`<p class="text">${pin.description}</p>`}
    ${pin.link === null ? "" : html`<p><a class="link" href="${pin.link}" rel="noopener noreferrer nofollow">${pin.link}</a></p>`}
    <dl>
      ${fact("Account", html`<a class="link" href="/${username}/">${username}</a>`)}
      ${fact("Board", html`${state.boards.get(pin.boardId)?.name ?? "Deleted board"}`)}
      ${fact("Time", html`<span class="num">Published through the API on ${LONG_DATE.format(new Date(pin.createdAt))}</span>`)}
      ${fact("Alt text", html`${pin.altText ?? "None"}`)}
      ${fact("AI label", html`${pin.aiDisclosures?.values.map(humanize).join(", ") ?? "None"}`)}
      ${fact("Format", html`${formatOf(pin)}`)}
      ${fact("Image", html`<span class="num">${pin.image.widthPx} × ${pin.image.heightPx} ${pin.image.contentType === "image/png" ? "PNG" : "JPEG"}</span>`)}
      ${fact("Pin ID", html`<span class="num">${pin.id}</span>`)}
    </dl>
  </div>
</article>`,
  );
}

function fact(name: string, value: Markup): Markup {
  return html`<dt>${name}</dt><dd>${value}</dd>`;
}

/** `AI_MODIFIED` becomes `AI modified`. */
function humanize(value: string): string {
  const words = value.toLowerCase().replaceAll("_", " ").replace(/^ai /, "AI ");
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}

const PINS_PER_PAGE = 60;

/** A profile: its counts, its public boards and the pins published here, newest first. */
function profilePage(state: PinterestState, account: Account, pageNumber: number): Markup {
  const boards = account.boards.filter((board) => board.privacy === "PUBLIC");
  const pins = (state.pinsByAccount.get(account.id) ?? [])
    .filter((pin) => state.boards.get(pin.boardId)?.privacy !== "SECRET")
    .reverse();
  const start = (pageNumber - 1) * PINS_PER_PAGE;
  const shown = pins.slice(start, start + PINS_PER_PAGE);
  return webPage(
    account.username,
    html`
<div class="head">
  <h1 class="title">${account.username}</h1>
  <p>${account.about}</p>
  <p class="facts num">
    <span>${pluralize(boards.length, "public boards")}</span>
    <span>${pluralize(pinCount(account, state), "pins")}, ${pins.length.toLocaleString("en-US")} of them published here</span>
    <span>${pluralize(account.followers, "followers")}</span>
    <span>${account.monthlyViews === null ? "No monthly views yet" : pluralize(account.monthlyViews, "monthly views")}</span>
  </p>
</div>
<section class="board" aria-label="Pins">
  ${shown.length === 0 ? empty() : html`<div class="pin-grid">${shown.map((pin, index) => pinTile(pin, state, index < 5))}</div>`}
</section>
${pageLinks(pageNumber, start + PINS_PER_PAGE < pins.length)}
${boardList(boards)}`,
  );
}

function pinTile(pin: Pin, state: PinterestState, isFirst: boolean): Markup {
  return html`
<a class="pin-tile" href="/pin/${pin.id}/">
  ${pinImage(pin, isFirst)}
  <span class="caption"><b>${pin.title ?? "Untitled"}</b>${state.boards.get(pin.boardId)?.name ?? "Deleted board"}<br><span class="muted num">${SHORT_DATE.format(new Date(pin.createdAt))}</span></span>
</a>`;
}

function empty(): Markup {
  return html`<div class="empty"><span class="outline" aria-hidden="true"></span><p class="h3">No pins yet</p><p class="muted small">Pins published to this account show up here.</p></div>`;
}

function pageLinks(pageNumber: number, hasOlder: boolean): Markup {
  return html`<nav class="pages" aria-label="Pages">
${pageNumber > 1 ? html`<a class="btn btn-2" href="?page=${pageNumber - 1}">Newer pins</a>` : ""}
${hasOlder ? html`<a class="btn btn-2" href="?page=${pageNumber + 1}">Older pins</a>` : ""}
</nav>`;
}

function boardList(boards: Board[]): Markup {
  return html`
<details class="boards">
  <summary>${pluralize(boards.length, "public boards")}</summary>
  <ul>${boards.map((board) => html`<li><span>${board.name}</span><span class="muted small num">${pluralize(board.followers, "followers")}</span></li>`)}</ul>
</details>`;
}

/** The public pages `/`, `/pin/:id/`, `/:username/`, and the images under `/media/`. */
export function webPages({ store, mediaFolder }: Pinterest): Hono<StandInEnv> {
  const app = createApp();
  for (const name of ["consent.css", "web.css"]) {
    serveFile(app, `/__pinterest/${name}`, new URL(`styles/${name}`, import.meta.url));
  }
  app.get("/", (c) => c.html(indexPage(store.state), 200, PAGE_HEADERS));
  app.get("/media/:file", (c) => {
    const found = publicFile(store.state, c.req.param("file"));
    if (found === undefined) return notFound(c);
    const bytes = new Uint8Array(readFileSync(join(mediaFolder, found.file)));
    return c.body(bytes, 200, {
      "content-type": found.contentType,
      "cache-control": "public, max-age=31536000, immutable",
    });
  });
  app.get("/pin/:id", (c) => {
    const pin = publicPin(store.state, c.req.param("id"));
    return pin === undefined ? notFound(c) : c.html(pinPage(store.state, pin), 200, PAGE_HEADERS);
  });
  app.get("/:username", (c) => {
    const account = findByUsername(store.state, c.req.param("username"));
    if (account === undefined) return notFound(c);
    const pageNumber = Math.max(1, Math.trunc(Number(c.req.query("page") ?? 1)) || 1);
    return c.html(profilePage(store.state, account, pageNumber), 200, PAGE_HEADERS);
  });
  return app;
}

export function notFound(c: Context<StandInEnv>): Response | Promise<Response> {
  const body = html`<h1 class="title">Page not found</h1><p><a class="link" href="/">All accounts</a></p>`;
  return c.html(webPage("Not found", html`<div class="head">${body}</div>`), 404, PAGE_HEADERS);
}

/** The stored file behind a name under `/media/`: a pin's image, a slide, or a video. */
function publicFile(state: PinterestState, name: string): { file: string; contentType: string } | undefined {
  if (name.endsWith(".mp4")) {
    const pin = [...state.pins.values()].find(({ video }) => video === name);
    return pin && publicPin(state, pin.id) && { file: name, contentType: "video/mp4" };
  }
  const pin = publicPin(state, name.replace(/(-\d)?\.(jpg|png)$/, ""));
  if (pin !== undefined && imagePath(pin) === `/media/${name}`) return pin.image;
  return pin?.slides?.map(({ image }) => image).find(({ file }) => file === name);
}

/** Hides pins on secret boards. */
function publicPin(state: PinterestState, id: string): Pin | undefined {
  const pin = state.pins.get(id);
  return pin !== undefined && state.boards.get(pin.boardId)?.privacy !== "SECRET" ? pin : undefined;
}
