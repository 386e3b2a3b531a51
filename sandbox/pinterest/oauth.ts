import { randomBytes } from "node:crypto";
import type { Context, Hono } from "hono";
import { html } from "hono/html";
import { isSimulating } from "../kit/faults.ts";
import { createApp, type StandInEnv } from "../kit/serve.ts";
import { hiddenInputs, type Markup, PAGE_HEADERS, page } from "../kit/ui/page.ts";
import { isSameText } from "../kit/values.ts";
import { ApiError, ERRORS, invalidRequest } from "./errors.ts";
import type { Account, Grant } from "./model.ts";
import { checkBody } from "./requests.ts";
import { findByUsername } from "./state.ts";
import type { OAuthClient, Pinterest } from "./wire.ts";

/** The supported scopes, described for the consent page. */
const SCOPE_LABELS = new Map([
  ["user_accounts:read", "See your username, counts and profile"],
  ["boards:read", "See your public boards"],
  ["boards:write", "Create, change and delete your public boards"],
  ["boards:read_secret", "See your secret boards"],
  ["boards:write_secret", "Create, change and delete your secret boards"],
  ["pins:read", "See your public pins"],
  ["pins:write", "Create, change and delete your public pins"],
  ["pins:read_secret", "See your secret pins"],
  ["ads:read", "See your ads and their results"],
  ["pins:write_secret", "Create, change and delete your secret pins"],
]);

interface ConsentRequest {
  redirectUri: string;
  scopes: string[];
  state: string | undefined;
}

/** The request, or what is wrong with it. */
function checkConsent(client: OAuthClient, parameters: Record<string, string>): ConsentRequest | string {
  const { client_id, redirect_uri: redirectUri, scope = "", state } = parameters;
  if (client_id !== client.id) return "No app is registered with this client_id.";
  if (redirectUri === undefined || !isRegistered(client, redirectUri)) {
    return "This redirect_uri isn't registered for the app.";
  }
  if (parameters.response_type !== "code") return 'The response_type must be "code".';
  const scopes = [...new Set(scope.split(/[ ,]+/).filter(Boolean))];
  if (scopes.length === 0) return "The scope parameter is missing.";
  const unknown = scopes.find((name) => !SCOPE_LABELS.has(name));
  if (unknown !== undefined) return `Unknown scope "${unknown}".`;
  return { redirectUri, scopes, state };
}

/** The app's redirect URL, with `parameters` and the app's own state. */
function redirectUrl({ redirectUri, state }: ConsentRequest, parameters: Record<string, string>): string {
  const url = new URL(redirectUri);
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  if (state !== undefined) url.searchParams.set("state", state);
  return url.href;
}

function isRegistered({ redirectUris }: OAuthClient, redirectUri: string): boolean {
  return redirectUris?.includes(redirectUri) ?? /^https?:$/.test(URL.parse(redirectUri)?.protocol ?? "");
}

const STYLES = ["/__pinterest/consent.css"];

/** `GET /oauth/` and `POST /oauth/decision`: the consent page and its form. Fewer scopes simulate who grants less. */
export function oauthPages(pinterest: Pinterest): Hono<StandInEnv> {
  const app = createApp();
  app.get("/oauth", (c) => {
    const request = checkConsent(pinterest.client, c.req.query());
    if (typeof request === "string") return problemPage(c, request);
    const accounts = [...pinterest.store.state.accounts.values()];
    return c.html(consentPage(pinterest.client, request, accounts), 200, PAGE_HEADERS);
  });
  app.post("/oauth/decision", async (c) => {
    const form = Object.fromEntries(new URLSearchParams(await c.req.text()));
    const request = checkConsent(pinterest.client, { response_type: "code", ...form });
    if (typeof request === "string") return problemPage(c, request);
    if (form.decision === "deny" || isSimulating(c, "consent-denied")) {
      return c.redirect(redirectUrl(request, { error: "access_denied" }), 302);
    }
    if (form.decision !== "approve") return problemPage(c, 'The decision must be "approve" or "deny".');
    const account = findByUsername(pinterest.store.state, form.username ?? "");
    if (account === undefined) return problemPage(c, "Choose one of the listed accounts.");
    return c.redirect(approvalUrl(pinterest, c, request, account), 302);
  });
  return app;
}

/** The redirect with a code; faults change the code or the state. */
function approvalUrl(pinterest: Pinterest, c: Context<StandInEnv>, request: ConsentRequest, account: Account): string {
  if (isSimulating(c, "missing-code")) return redirectUrl(request, {});
  const returned = isSimulating(c, "tampered-state") ? { ...request, state: randomBytes(16).toString("hex") } : request;
  return redirectUrl(returned, { code: issueCode(pinterest, request, account) });
}

function issueCode({ store, clock }: Pinterest, request: ConsentRequest, account: Account): string {
  const { redirectUri, scopes } = request;
  const code = randomBytes(20).toString("hex");
  const issuedAt = clock.now().toISOString();
  store.append({ kind: "code", code: { code, redirectUri, scopes, accountId: account.id, issuedAt } });
  return code;
}

function consentPage(client: OAuthClient, request: ConsentRequest, accounts: Account[]): Markup {
  const appName = client.name ?? `App ${client.id}`;
  const hidden = {
    client_id: client.id,
    redirect_uri: request.redirectUri,
    response_type: "code",
    scope: request.scopes.join(","),
    ...(request.state !== undefined && { state: request.state }),
  };
  return page({
    title: `Authorize ${appName}: Pinterest sandbox`,
    styles: STYLES,
    body: html`
<main class="consent">
  <form class="sheet" method="post" action="/oauth/decision">
    <p class="from">Pinterest sandbox <span class="chip">Stand-in</span></p>
    <h1 class="title">Give ${appName} access to your Pinterest account?</h1>
    <p class="muted small lead">This is a stand-in for Pinterest’s consent page. The accounts are made up, and nothing leaves this machine.</p>
    ${hiddenInputs(hidden)}
    <fieldset class="accounts">
      <legend>Choose one of ${accounts.length} accounts</legend>
      <div class="rows">${accounts.map(accountRow)}</div>
    </fieldset>
    <section class="scopes" aria-labelledby="scopes">
      <h2 id="scopes">${appName} will be able to</h2>
      <ul>${request.scopes.map((scope) => html`<li>${SCOPE_LABELS.get(scope)}</li>`)}</ul>
    </section>
    <div class="actions">
      <button class="btn btn-2" name="decision" value="deny">Deny</button>
      <button class="btn btn-1" name="decision" value="approve">Give access</button>
    </div>
    <p class="muted small back">You’ll return to <span class="host">${new URL(request.redirectUri).host}</span></p>
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
    <h1 class="title">This request isn’t valid</h1>
    <p class="note-failed" role="alert">${problem}</p>
  </div>
</main>`;
  return c.html(page({ title: "Pinterest sandbox", styles: STYLES, body }), 400, PAGE_HEADERS);
}

const CODE_LIFETIME_MS = 10 * 60_000;
const ACCESS_TOKEN_SECONDS = 2_592_000;
const REFRESH_TOKEN_SECONDS = 5_184_000;

const FEWER_SCOPES = ["boards:read", "pins:read", "user_accounts:read"];

/** `POST /oauth/token`: exchanges a code, or rotates a refresh token. Both can be used once. */
export function oauthTokenApi(pinterest: Pinterest): Hono<StandInEnv> {
  const app = createApp();
  app.post("/oauth/token", async (c) => {
    checkClient(pinterest, c.req.header("authorization"));
    const form = await readForm(pinterest, c);
    const type = form.grant_type;
    if (type === "refresh_token") return c.json(tokenResponse(refreshGrant(pinterest, form), type));
    if (type !== "authorization_code") {
      throw new ApiError(invalidRequest(`grant_type '${type}' is not supported by this stand-in`));
    }
    const grant = exchangeCode(pinterest, form, isSimulating(c, "fewer-scopes") ? FEWER_SCOPES : undefined);
    return c.json(tokenResponse(grant, type));
  });
  return app;
}

function checkClient({ client }: Pinterest, header: string | undefined): void {
  const given = Buffer.from(header?.match(/^Basic (\S+)$/i)?.[1] ?? "", "base64").toString("utf8");
  if (!isSameText(given, `${client.id}:${client.secret}`)) throw new ApiError(ERRORS.authenticationFailed);
}

/** `continuous_refresh` is documented but no longer in the description; it has no effect for current apps. */
async function readForm(pinterest: Pinterest, c: Context<StandInEnv>): Promise<Record<string, string>> {
  const form = Object.fromEntries(new URLSearchParams(await c.req.text()));
  const { continuous_refresh: _, ...described } = form;
  return checkBody(pinterest, c, "/oauth/token", described);
}

function exchangeCode(pinterest: Pinterest, form: Record<string, string>, allowed: string[] | undefined): Grant {
  const { store, clock } = pinterest;
  const code = store.state.codes.get(form.code ?? "");
  const isFresh = code !== undefined && clock.now().getTime() - new Date(code.issuedAt).getTime() < CODE_LIFETIME_MS;
  if (!isFresh || code.redirectUri !== form.redirect_uri) throw new ApiError(ERRORS.grantInvalid);
  const scopes = code.scopes.filter((scope) => allowed === undefined || allowed.includes(scope));
  const grant = newGrant(pinterest, code.accountId, scopes);
  store.append({ kind: "grant", grant, usedCode: code.code });
  return grant;
}

function refreshGrant(pinterest: Pinterest, form: Record<string, string>): Grant {
  const { store, clock } = pinterest;
  const old = store.state.byRefreshToken.get(form.refresh_token ?? "");
  if (old === undefined || new Date(old.refreshExpiresAt) <= clock.now()) {
    throw new ApiError(ERRORS.authenticationFailed);
  }
  const scopes = form.scope === undefined ? old.scopes : form.scope.split(/[ ,]+/).filter(Boolean);
  if (scopes.some((scope) => !old.scopes.includes(scope))) {
    throw new ApiError(invalidRequest("scope exceeds what was granted"));
  }
  const grant = newGrant(pinterest, old.accountId, scopes);
  store.append({ kind: "grant", grant, usedRefreshToken: old.refreshToken });
  return grant;
}

function newGrant({ clock }: Pinterest, accountId: string, scopes: string[]): Grant {
  const inSeconds = (seconds: number) => new Date(clock.now().getTime() + seconds * 1000).toISOString();
  return {
    accountId,
    scopes,
    accessToken: `pina_${randomBytes(48).toString("base64url")}`,
    accessExpiresAt: inSeconds(ACCESS_TOKEN_SECONDS),
    refreshToken: `pinr_${randomBytes(48).toString("base64url")}`,
    refreshExpiresAt: inSeconds(REFRESH_TOKEN_SECONDS),
  };
}

function tokenResponse(grant: Grant, responseType: string): Record<string, unknown> {
  return {
    access_token: grant.accessToken,
    refresh_token: grant.refreshToken,
    response_type: responseType,
    token_type: "bearer",
    expires_in: ACCESS_TOKEN_SECONDS,
    refresh_token_expires_in: REFRESH_TOKEN_SECONDS,
    refresh_token_expires_at: Math.floor(new Date(grant.refreshExpiresAt).getTime() / 1000),
    scope: grant.scopes.join(" "),
  };
}
