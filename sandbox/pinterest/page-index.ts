import { html } from "hono/html";
import type { Markup } from "../kit/look/page.ts";
import type { Account } from "./model.ts";
import { countOf, webPage } from "./page-parts.ts";
import type { PinterestState } from "./state.ts";

/** All accounts; those with published pins first, the most recently pinned on top. */
export function indexPage(state: PinterestState): Markup {
  const lastPinnedAt = (account: Account) => state.pinsByAccount.get(account.id)?.at(-1)?.createdAt ?? "";
  const accounts = [...state.accounts.values()].sort((a, b) => lastPinnedAt(b).localeCompare(lastPinnedAt(a)));
  return webPage(
    "Accounts",
    html`
<div class="head">
  <h1 class="title">Accounts</h1>
  <p class="muted">Everything here is made up. Pins appear when they are published through the API.</p>
</div>
<ul class="people">${accounts.map((account) => person(account, state))}</ul>`,
  );
}

function person(account: Account, state: PinterestState): Markup {
  const published = state.pinsByAccount.get(account.id)?.length ?? 0;
  return html`
<li><a class="card person" href="/${account.username}/">
  <span class="initial" aria-hidden="true">${account.username.slice(0, 1).toUpperCase()}</span>
  <span><b>${account.username}</b><span class="muted small num">${countOf(account.boards.length, "board")}, ${published === 0 ? "nothing published" : `${published.toLocaleString("en-US")} published`}</span></span>
</a></li>`;
}
