import { html } from "hono/html";
import type { Markup } from "../kit/look/page.ts";
import type { Pin } from "./model.ts";
import { face, longTime, webPage } from "./page-parts.ts";
import type { PinterestState } from "./state.ts";

/** One pin with everything that was sent for it. */
export function pinPage(state: PinterestState, pin: Pin): Markup {
  const username = state.accounts.get(pin.accountId)?.username ?? "";
  return webPage(
    pin.title ?? "Pin",
    html`
<article class="pin-page">
  <div class="board">${face(pin, true)}</div>
  <div class="pin-facts">
    <p><span class="chip published">Published</span></p>
    <h1 class="title">${pin.title ?? "Untitled"}</h1>
    ${pin.description === null ? "" : html`<p class="text">${pin.description}</p>`}
    ${pin.link === null ? "" : html`<p><a class="link" href="${pin.link}" rel="noopener noreferrer nofollow">${pin.link}</a></p>`}
    <dl>
      ${fact("Account", html`<a class="link" href="/${username}/">${username}</a>`)}
      ${fact("Board", html`${state.boards.get(pin.boardId)?.name ?? "Removed board"}`)}
      ${fact("Time", html`<span class="num">Published through the API at ${longTime(pin.createdAt)}</span>`)}
      ${fact("Alt text", html`${pin.altText ?? "None"}`)}
      ${fact("AI label", html`${pin.aiDisclosures?.values.map(inWords).join(", ") ?? "None"}`)}
      ${fact("Picture", html`<span class="num">${pin.picture.widthPx} × ${pin.picture.heightPx} ${pin.picture.contentType === "image/png" ? "PNG" : "JPEG"}</span>`)}
      ${fact("Pin id", html`<span class="num">${pin.id}</span>`)}
    </dl>
  </div>
</article>`,
  );
}

function fact(name: string, value: Markup): Markup {
  return html`<dt>${name}</dt><dd>${value}</dd>`;
}

/** `AI_MODIFIED` becomes `AI modified`. */
function inWords(value: string): string {
  const [first = "", ...others] = value.split("_");
  return [first === "AI" ? first : capitalised(first), ...others.map((word) => word.toLowerCase())].join(" ");
}

function capitalised(word: string): string {
  return word.slice(0, 1) + word.slice(1).toLowerCase();
}
