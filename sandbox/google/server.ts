import { createHash, generateKeyPairSync, type KeyObject, randomBytes } from "node:crypto";
import type { Context, Hono } from "hono";
import { html } from "hono/html";
import { exportJWK, SignJWT } from "jose";
import { type ControlState, createStandInApp, openControlState } from "#sandbox/kit/control.ts";
import { applyFaults, type FaultScenarios, isSimulating } from "#sandbox/kit/faults.ts";
import { type Handle, type ListenOptions, type StandInEnv, serve } from "#sandbox/kit/serve.ts";
import { hiddenInputs, type Markup, PAGE_HEADERS, page } from "#sandbox/kit/ui/page.ts";
import { isSameText } from "#sandbox/kit/values.ts";

export type GoogleOptions = ListenOptions & {
  dataDir: string;
  client: { id: string; secret: string; redirectUris: string[] };
};

const TOKEN = "POST /token";

/** The predefined faults; those without a response are simulated by the token endpoint. */
const GOOGLE_SCENARIOS: FaultScenarios = {
  "unverified-email": { match: TOKEN, about: "The email address is not verified" },
  "wrong-nonce": { match: TOKEN, about: "The ID token belongs to another sign-in" },
  "wrong-issuer": { match: TOKEN, about: "The ID token is from another issuer" },
  cut: { match: "* /*", about: "The connection closes, nothing is done", cut: true },
  "server-error": { match: "* /*", about: "500", status: 500, body: { error: "internal_failure" } },
};

interface Account {
  sub: string;
  email: string;
  given_name: string;
  family_name: string;
}

/** Offered on its page. Any other address works too. */
const ACCOUNTS: readonly Account[] = [
  { sub: "108214400000000000001", email: "fern.moss@gmail.example", given_name: "Fern", family_name: "Moss" },
  { sub: "108214400000000000002", email: "ada.stone@gmail.example", given_name: "Ada", family_name: "Stone" },
];

interface Grant {
  account: Account;
  nonce: string | undefined;
  codeChallenge: string;
  redirectUri: string;
  issuedAtMs: number;
}

const CODE_LIFETIME_MS = 10 * 60_000;
const ID_TOKEN_SECONDS = 3_600;
const KEY_ID = "stand-in";

interface Google {
  client: GoogleOptions["client"];
  control: ControlState;
  privateKey: KeyObject;
  publicKey: KeyObject;
  grants: Map<string, Grant>;
  /** Where it listens, whatever name a request calls it by. */
  issuer: string;
}

/** Starts Google's sign-in: OpenID discovery, the consent page, the token endpoint, and the keys. */
export async function startGoogle(options: GoogleOptions): Promise<Handle> {
  const control = openControlState(options.dataDir, { scenarios: GOOGLE_SCENARIOS, settings: {} });
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
  const google = { client: options.client, control, privateKey, publicKey, grants: new Map(), issuer: "" };
  const handle = await serve(createGoogleApp(google), options, control.close);
  google.issuer = handle.url;
  return handle;
}

function createGoogleApp(google: Google): Hono<StandInEnv> {
  const { grants } = google;
  const counts = () => ({ openCodes: grants.size });
  const app = createStandInApp(google.control, { counts, reset: () => grants.clear() });
  app.use(
    "*",
    applyFaults(google.control.faults, () => ({})),
  );
  app.get("/.well-known/openid-configuration", (c) => c.json(discovery(google.issuer)));
  app.get("/oauth2/v3/certs", async (c) => {
    const key = { ...(await exportJWK(google.publicKey)), kid: KEY_ID, alg: "RS256", use: "sig" };
    return c.json({ keys: [key] });
  });
  app.get("/o/oauth2/v2/auth", (c) => {
    const problem = problemOf(google, c.req.query());
    return problem ? problemPage(c, problem) : c.html(consentPage(c.req.query()), 200, PAGE_HEADERS);
  });
  app.post("/decision", async (c) => decide(google, c, Object.fromEntries(new URLSearchParams(await c.req.text()))));
  app.post("/token", async (c) => exchange(google, c, new URLSearchParams(await c.req.text())));
  app.all("*", (c) => c.json({ error: "not_implemented", error_description: `${c.req.method} ${c.req.path}` }, 501));
  return app;
}

const discovery = (url: string) => ({
  issuer: url,
  authorization_endpoint: `${url}/o/oauth2/v2/auth`,
  token_endpoint: `${url}/token`,
  jwks_uri: `${url}/oauth2/v3/certs`,
  response_types_supported: ["code"],
  subject_types_supported: ["public"],
  id_token_signing_alg_values_supported: ["RS256"],
  scopes_supported: ["openid", "email", "profile"],
  token_endpoint_auth_methods_supported: ["client_secret_post", "client_secret_basic"],
  code_challenge_methods_supported: ["S256"],
});

type Parameters = Record<string, string>;

function problemOf({ client }: Google, parameters: Parameters): string | undefined {
  const { client_id, redirect_uri = "", response_type, scope = "", code_challenge, code_challenge_method } = parameters;
  if (client_id !== client.id) return "No app is registered with this client_id.";
  if (!client.redirectUris.includes(redirect_uri)) return "This redirect_uri isn’t registered for the app.";
  if (response_type !== "code") return 'The response_type must be "code".';
  if (!scope.split(" ").includes("openid")) return "The scope must contain openid.";
  return code_challenge && code_challenge_method === "S256" ? undefined : "The code challenge is missing.";
}

function decide(google: Google, c: Context<StandInEnv>, form: Parameters): Response | Promise<Response> {
  const problem = problemOf(google, form);
  if (problem) return problemPage(c, problem);
  const { redirect_uri: redirectUri = "", state, nonce, code_challenge: codeChallenge = "" } = form;
  const url = new URL(redirectUri);
  if (state !== undefined) url.searchParams.set("state", state);
  if (form.decision !== "approve") {
    url.searchParams.set("error", "access_denied");
    return c.redirect(url.href, 302);
  }
  const account = accountOf(form.other?.trim() || form.email || "");
  if (!account) return problemPage(c, "Choose an account, or type an email address.");
  const code = randomBytes(20).toString("hex");
  google.grants.set(code, { account, nonce, codeChallenge, redirectUri, issuedAtMs: now(google) });
  url.searchParams.set("code", code);
  return c.redirect(url.href, 302);
}

const now = ({ control }: Google): number => control.clock.now().getTime();

/** The same address is always the same account. */
function accountOf(email: string): Account | undefined {
  if (!/^[^@\s]+@[^@\s]+\.[^@\s]+$/.test(email)) return undefined;
  const listed = ACCOUNTS.find((account) => account.email === email);
  const digits = BigInt(`0x${createHash("sha256").update(email).digest("hex").slice(0, 16)}`);
  const [name = ""] = email.split("@");
  return listed ?? { sub: `1${digits}`, email, given_name: name, family_name: "" };
}

async function exchange(google: Google, c: Context<StandInEnv>, form: URLSearchParams): Promise<Response> {
  const { client, grants } = google;
  const [id, secret] = clientOf(c.req.header("authorization"), form);
  if (id !== client.id || !isSameText(secret ?? "", client.secret)) return c.json({ error: "invalid_client" }, 401);
  const code = form.get("code") ?? "";
  const grant = grants.get(code);
  grants.delete(code);
  const verifier = createHash("sha256")
    .update(form.get("code_verifier") ?? "")
    .digest("base64url");
  const isValid =
    grant !== undefined &&
    now(google) - grant.issuedAtMs < CODE_LIFETIME_MS &&
    grant.redirectUri === form.get("redirect_uri") &&
    grant.codeChallenge === verifier;
  if (!isValid) return c.json({ error: "invalid_grant" }, 400);
  const claims = {
    ...grant.account,
    email_verified: !isSimulating(c, "unverified-email"),
    nonce: isSimulating(c, "wrong-nonce") ? "another" : grant.nonce,
  };
  const seconds = Math.floor(now(google) / 1000);
  const idToken = await new SignJWT(claims)
    .setProtectedHeader({ alg: "RS256", kid: KEY_ID })
    .setIssuer(isSimulating(c, "wrong-issuer") ? "https://accounts.example" : google.issuer)
    .setAudience(client.id)
    .setIssuedAt(seconds)
    .setExpirationTime(seconds + ID_TOKEN_SECONDS)
    .sign(google.privateKey);
  const access_token = randomBytes(20).toString("hex");
  return c.json({ access_token, token_type: "Bearer", expires_in: ID_TOKEN_SECONDS, id_token: idToken });
}

function clientOf(header: string | undefined, form: URLSearchParams): (string | null | undefined)[] {
  const basic = /^Basic (\S+)$/i.exec(header ?? "")?.[1];
  if (!basic) return [form.get("client_id"), form.get("client_secret")];
  return Buffer.from(basic, "base64").toString("utf8").split(":").map(decodeURIComponent);
}

/** The fields of the form, which a request can't fill in. */
const ANSWERS = ["email", "other", "decision"];

function consentPage(parameters: Parameters): Markup {
  return page({
    title: "Sign in: Google sandbox",
    body: html`
<main class="sheet">
  <form method="post" action="/decision">
    <p>Google sandbox <span class="chip">Stand-in</span></p>
    <h1>Sign in with Google</h1>
    <p class="muted small">The accounts are made up, and nothing leaves this machine.</p>
    ${hiddenInputs(Object.fromEntries(Object.entries(parameters).filter(([name]) => !ANSWERS.includes(name))))}
    <fieldset>
      <legend>Choose an account</legend>
      ${ACCOUNTS.map(
        ({ email }, at) =>
          html`<p><label><input type="radio" name="email" value="${email}" ${at === 0 ? "checked" : ""}> ${email}</label></p>`,
      )}
      <p><label>Another email address <input type="email" name="other"></label></p>
    </fieldset>
    <p>
      <button class="btn btn-2" name="decision" value="deny">Cancel</button>
      <button class="btn btn-1" name="decision" value="approve">Continue</button>
    </p>
  </form>
</main>`,
  });
}

function problemPage(c: Context<StandInEnv>, problem: string): Response | Promise<Response> {
  const body = html`<main class="sheet"><h1>This request isn’t valid</h1><p role="alert">${problem}</p></main>`;
  return c.html(page({ title: "Google sandbox", body }), 400, PAGE_HEADERS);
}
