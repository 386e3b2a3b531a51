import { html } from "hono/html";
import type { Markup } from "../kit/look/page.ts";
import type { Account, Board, Pin } from "./model.ts";
import { countOf, face, shortTime, webPage } from "./page-parts.ts";
import type { PinterestState } from "./state.ts";
import { pinCount } from "./wire.ts";

const PINS_PER_PAGE = 60;

/** A profile: who it is, its public boards and the wall of pins published here, newest first. */
export function profilePage(state: PinterestState, account: Account, pageNumber: number): Markup {
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
    <span>${countOf(boards.length, "public board")}</span>
    <span>${countOf(pinCount(account, state), "pin")}, ${pins.length.toLocaleString("en-US")} of them published here</span>
    <span>${countOf(account.followers, "follower")}</span>
    <span>${account.monthlyViews === null ? "No monthly views yet" : countOf(account.monthlyViews, "monthly view")}</span>
  </p>
</div>
<section class="board" aria-label="Pins">
  ${shown.length === 0 ? empty() : html`<div class="wall">${shown.map((pin, index) => hung(pin, state, index < 5))}</div>`}
</section>
${pageLinks(pageNumber, start + PINS_PER_PAGE < pins.length)}
${boardList(boards)}`,
  );
}

function hung(pin: Pin, state: PinterestState, isFirst: boolean): Markup {
  return html`
<a class="hung" href="/pin/${pin.id}/">
  ${face(pin, isFirst)}
  <span class="slip"><b>${pin.title ?? "Untitled"}</b>${state.boards.get(pin.boardId)?.name ?? "Removed board"}<br><span class="muted num">${shortTime(pin.createdAt)}</span></span>
</a>`;
}

function empty(): Markup {
  return html`<div class="empty"><span class="outline" aria-hidden="true"></span><p class="h3">No pins yet</p><p class="muted small">The first one published to this account hangs here.</p></div>`;
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
  <summary>${countOf(boards.length, "public board")}</summary>
  <ul>${boards.map((board) => html`<li><span>${board.name}</span><span class="muted small num">${countOf(board.followers, "follower")}</span></li>`)}</ul>
</details>`;
}
