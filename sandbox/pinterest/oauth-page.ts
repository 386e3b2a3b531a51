import { randomBytes } from "node:crypto";
import type { Context, Hono } from "hono";
import { html } from "hono/html";
import { isPlaying } from "../kit/apply-faults.ts";
import { type Markup, PAGE_HEADERS, page } from "../kit/look/page.ts";
import { createApp, type StandInEnv } from "../kit/serve.ts";
import type { OAuthClient, Pinterest } from "./context.ts";
import type { Account } from "./model.ts";
import { backToApp, type ConsentRequest, checkConsent } from "./oauth-request.ts";
import { scopeWords } from "./scopes.ts";
import { findByUsername } from "./state.ts";

const STYLES = ["/__pinterest/consent.css"];

/**
 * `GET /oauth/`, the consent page, and `POST /oauth/decision`, its form: `client_id, redirect_uri, response_type,
 * scope, state, username, decision=approve|deny`, answered 302 to the app. A form with fewer scopes than the app
 * asked for plays a user who grants less.
 */
export function oauthPages(pinterest: Pinterest): Hono<StandInEnv> {
  const app = createApp();
  app.get("/oauth", (c) => {
    const checked = checkConsent(pinterest.client, c.req.query());
    if (!checked.ok) return problemPage(c, checked.problem);
    const accounts = [...pinterest.store.state.accounts.values()];
    return c.html(consentPage(pinterest.client, checked.request, accounts), 200, PAGE_HEADERS);
  });
  app.post("/oauth/decision", async (c) => {
    const form = Object.fromEntries(new URLSearchParams(await c.req.text()));
    const checked = checkConsent(pinterest.client, { response_type: "code", ...form });
    if (!checked.ok) return problemPage(c, checked.problem);
    if (form.decision === "deny" || isPlaying(c, "consent-denied")) {
      return c.redirect(backToApp(checked.request, { error: "access_denied" }), 302);
    }
    if (form.decision !== "approve") return problemPage(c, 'The decision must be "approve" or "deny".');
    const account = findByUsername(pinterest.store.state, form.username ?? "");
    if (account === undefined) return problemPage(c, "Choose one of the listed accounts.");
    return c.redirect(approved(pinterest, c, checked.request, account), 302);
  });
  return app;
}

/** The way back with a code; faults spoil the code or the state. */
function approved(pinterest: Pinterest, c: Context<StandInEnv>, request: ConsentRequest, account: Account): string {
  if (isPlaying(c, "missing-code")) return backToApp(request, {});
  const returned = isPlaying(c, "tampered-state") ? { ...request, state: randomBytes(16).toString("hex") } : request;
  return backToApp(returned, { code: issueCode(pinterest, request, account) });
}

function issueCode({ store, clock }: Pinterest, request: ConsentRequest, account: Account): string {
  const { clientId, redirectUri, scopes } = request;
  const code = randomBytes(20).toString("hex");
  const issuedAt = clock.now().toISOString();
  store.commit({ kind: "code", code: { code, clientId, redirectUri, scopes, accountId: account.id, issuedAt } });
  return code;
}

function consentPage(client: OAuthClient, request: ConsentRequest, accounts: Account[]): Markup {
  const appName = client.name ?? `App ${client.id}`;
  const hidden = {
    client_id: request.clientId,
    redirect_uri: request.redirectUri,
    response_type: "code",
    scope: request.scopes.join(","),
    ...(request.state === undefined ? {} : { state: request.state }),
  };
  return page({
    title: `Give ${appName} access: Pinterest sandbox`,
    styles: STYLES,
    body: html`
<main class="consent">
  <form class="sheet" method="post" action="/oauth/decision">
    <p class="from">Pinterest sandbox <span class="chip">Stand-in</span></p>
    <h1 class="title">Let ${appName} use a Pinterest account?</h1>
    <p class="muted small lead">A stand-in for Pinterest's consent page. These accounts are made up; nothing leaves this machine.</p>
    ${Object.entries(hidden).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
    <fieldset class="accounts">
      <legend>Account, one of ${accounts.length}</legend>
      <div class="rows">${accounts.map(accountRow)}</div>
    </fieldset>
    <section class="scopes" aria-labelledby="scopes">
      <h2 id="scopes">${appName} will be able to</h2>
      <ul>${request.scopes.map((scope) => html`<li>${scopeWords(scope)}</li>`)}</ul>
    </section>
    <div class="actions">
      <button class="btn btn-2" name="decision" value="deny">Deny</button>
      <button class="btn btn-1" name="decision" value="approve">Give access</button>
    </div>
    <p class="muted small back">You go back to <span class="host">${new URL(request.redirectUri).host}</span></p>
  </form>
</main>`,
  });
}

function accountRow(account: Account, index: number): Markup {
  const facts = `${account.boards.length} boards, ${account.followers.toLocaleString("en-US")} followers`;
  return html`
<label class="row">
  <input type="radio" name="username" value="${account.username}" aria-label="${account.username}" aria-describedby="facts-${index}" ${index === 0 ? "checked" : ""}>
  <span class="initial" aria-hidden="true">${account.username.slice(0, 1).toUpperCase()}</span>
  <span class="who"><b>${account.username}</b><span id="facts-${index}" class="muted num">${facts}</span></span>
</label>`;
}

function problemPage(c: Context<StandInEnv>, problem: string): Response | Promise<Response> {
  const body = html`
<main class="consent">
  <div class="sheet">
    <p class="from">Pinterest sandbox <span class="chip">Stand-in</span></p>
    <h1 class="title">This request cannot be shown</h1>
    <p class="note-failed" role="alert">${problem}</p>
  </div>
</main>`;
  return c.html(page({ title: "Pinterest sandbox", styles: STYLES, body }), 400, PAGE_HEADERS);
}
