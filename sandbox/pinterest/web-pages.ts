import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Context, Hono } from "hono";
import { html } from "hono/html";
import { PAGE_HEADERS, readStyle } from "../kit/look/page.ts";
import { createApp, type StandInEnv } from "../kit/serve.ts";
import type { Pinterest } from "./context.ts";
import type { Pin } from "./model.ts";
import { indexPage } from "./page-index.ts";
import { webPage } from "./page-parts.ts";
import { pinPage } from "./page-pin.ts";
import { profilePage } from "./page-profile.ts";
import { findByUsername, type PinterestState } from "./state.ts";
import { picturePath } from "./wire.ts";

const STYLE_NAMES = ["consent.css", "web.css"];

/** The pages a visitor sees: `/`, `/pin/:id/`, `/:username/`, and the pictures under `/media/`. */
export function webPages({ store, mediaFolder }: Pinterest): Hono<StandInEnv> {
  const app = createApp();
  for (const name of STYLE_NAMES) {
    const css = readStyle(new URL(`look/${name}`, import.meta.url));
    app.get(`/__pinterest/${name}`, (c) => c.body(css, 200, { "content-type": "text/css; charset=utf-8" }));
  }
  app.get("/", (c) => c.html(indexPage(store.state), 200, PAGE_HEADERS));
  app.get("/media/:file", (c) => {
    const pin = publicPin(store.state, c.req.param("file").replace(/\.(jpg|png)$/, ""));
    if (pin === undefined || picturePath(pin) !== `/media/${c.req.param("file")}`) return notFound(c);
    const bytes = new Uint8Array(readFileSync(join(mediaFolder, pin.picture.file)));
    return c.body(bytes, 200, {
      "content-type": pin.picture.contentType,
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

/** The answer for every address that shows nothing. */
export function notFound(c: Context<StandInEnv>): Response | Promise<Response> {
  const body = html`<h1 class="title">Nothing hangs here</h1><p><a class="link" href="/">All accounts</a></p>`;
  return c.html(webPage("Not found", html`<div class="head">${body}</div>`), 404, PAGE_HEADERS);
}

/** Pins on secret boards are nobody's business. */
function publicPin(state: PinterestState, id: string): Pin | undefined {
  const pin = state.pins.get(id);
  return pin !== undefined && state.boards.get(pin.boardId)?.privacy !== "SECRET" ? pin : undefined;
}
