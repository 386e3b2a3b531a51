import type { Context } from "hono";
import type { FaultScenarios, PreparedFault } from "../kit/faults.ts";
import type { StandInEnv } from "../kit/serve.ts";
import { invalidRequest, missingScopes, REFUSALS, type Refusal } from "./refusals.ts";
import { findGrant, objectOf } from "./requests.ts";
import type { Pinterest } from "./wire.ts";

const LIMIT_REACHED = {
  "x-ratelimit-limit": '100, 100;w=1;name="safety_net_app_id_user_id", 100;w=60;name="org_write_app_id_user_id"',
  "x-ratelimit-remaining": "0",
  "x-ratelimit-reset": "3",
};
const NONE_LEFT = { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "40" };
const LONG_MS = 30_000;

const CREATE = "POST /v5/pins";
const TOKEN = "POST /v5/oauth/token";
const DECISION = "POST /oauth/decision";
const ANY = "* /v5/*";
const BULK = "GET /v5/pins/analytics";
const ANALYTICS = "GET /v5/*analytics*";

const answer = ({ status, code, message }: Refusal) => ({ status, body: { code, message } });
const refuse = (match: string, about: string, refusal: Refusal): PreparedFault => {
  return { match, about, ...answer(refusal) };
};
const play = (match: string, about: string, part: string): PreparedFault => ({ match, about, play: part });
const lose = (about: string, more: PreparedFault): PreparedFault => {
  return { match: CREATE, about, after: "creating", ...more };
};

/** The prepared faults, to name in `POST /__control/faults {scenario, …}`; each strikes at `match` unless told otherwise. */
export const PINTEREST_SCENARIOS: FaultScenarios = {
  "reply-lost-after-creating": lose("The pin is made, the connection ends without an answer", { cut: true }),
  "reply-torn-after-creating": { match: CREATE, about: "The pin is made, half of the answer arrives", torn: true },
  "hang-after-creating": lose("The pin is made, the answer never comes", { hang: true }),
  "slow-after-creating": lose("The pin is made, the answer takes 30 seconds", { delayMs: LONG_MS }),
  "server-error-after-creating": lose("The pin is made, the answer is 500", answer(REFUSALS.serverError)),
  "unavailable-after-creating": lose("The pin is made, the answer is 503", answer(REFUSALS.unavailable)),
  "malformed-after-creating": lose("The pin is made, the answer is broken JSON", { malformed: true }),
  "ok-instead-of-created": play(CREATE, "The pin is made, the answer is 200 in place of 201", "ok-instead-of-created"),

  cut: { match: ANY, about: "The connection ends, nothing is done", cut: true },
  hang: { match: ANY, about: "No answer, nothing is done", hang: true },
  slow: { match: ANY, about: "The right answer, five seconds late", delayMs: 5_000 },
  malformed: { match: ANY, about: "Broken JSON, nothing is done", malformed: true },
  "server-error": refuse(ANY, "500, nothing is done", REFUSALS.serverError),
  unavailable: refuse(ANY, "503, nothing is done", REFUSALS.unavailable),
  "rate-limited": { ...refuse(ANY, "429 with structured limit headers", REFUSALS.rateLimited), headers: LIMIT_REACHED },
  "rate-limited-bare": refuse(ANY, "429 without any header", REFUSALS.rateLimited),
  "rate-limited-retry-after": {
    ...refuse(ANY, "429 with Retry-After: 2 and limit headers", REFUSALS.rateLimited),
    headers: { ...LIMIT_REACHED, "retry-after": "2" },
  },
  "token-dead": refuse(ANY, "401: the access token is not accepted", REFUSALS.authenticationFailed),
  "restricted-feature": refuse(ANY, "401/3: a beta feature", REFUSALS.restrictedFeature),
  "not-permitted": refuse(ANY, "403/29: not yours", REFUSALS.notPermitted),

  "trial-access": refuse(CREATE, "403/29: a trial app may not create pins", REFUSALS.trialAccess),
  "missing-scope": refuse(CREATE, "403: the token lacks pins:write", missingScopes(["pins:write"])),
  "spam-block": refuse(CREATE, "403: the account is blocked for spam", REFUSALS.spamBlock),
  "image-too-small": refuse(CREATE, "403/233", REFUSALS.imageTooSmall),
  "image-broken": refuse(CREATE, "403/235", REFUSALS.imageBroken),
  "image-unreachable": refuse(CREATE, "400: the picture could not be fetched", REFUSALS.imageUnreachable),
  "link-invalid": refuse(CREATE, "400/1: the link is refused", REFUSALS.linkInvalid),
  "board-gone": refuse(CREATE, "404/40", REFUSALS.boardGone),
  "board-busy": refuse(CREATE, "409: try again", REFUSALS.boardBusy),
  "ai-disclosures-unknown": refuse(
    CREATE,
    "400: an older deployment, which does not know ai_disclosures",
    invalidRequest("body has an unknown field 'ai_disclosures'"),
  ),

  "consent-denied": play(DECISION, "The user denies, whatever is pressed", "consent-denied"),
  "tampered-state": play(DECISION, "The browser comes back with another state", "tampered-state"),
  "missing-code": play(DECISION, "The browser comes back without a code", "missing-code"),
  "slow-consent": { match: "GET /oauth/", about: "The consent page takes five seconds", delayMs: 5_000 },
  "fewer-scopes": play(TOKEN, "Grants only boards:read, pins:read and user_accounts:read", "fewer-scopes"),
  "grant-refused": refuse(TOKEN, "400/283: the code is used, too old or for another address", REFUSALS.grantInvalid),
  "token-call-refused": refuse(TOKEN, "401/2: wrong secret, or a dead refresh token", REFUSALS.authenticationFailed),
  "token-call-fails": refuse(TOKEN, "500 at the token call", REFUSALS.serverError),
  "token-reply-lost": {
    match: TOKEN,
    about: "The refresh token is rotated, the answer is lost",
    cut: true,
    after: "creating",
  },

  "null-counts": play("GET /v5/user_account", "All counts of the account are null", "null-counts"),
  "short-pages": play("GET /v5/boards", "Pages hold half of what was asked, and go on", "short-pages"),
  "pin-gone": refuse("* /v5/pins/:id", "404/50", REFUSALS.pinGone),
  "analytics-restricted": refuse(BULK, "401/3: the app is not let into the beta", REFUSALS.restrictedFeature),
  "analytics-refused": refuse(ANALYTICS, "403/29: this user's figures are not ours to see", REFUSALS.notPermitted),
  "analytics-limited": {
    ...refuse(ANALYTICS, "429: no calls are left for 40 seconds", REFUSALS.rateLimited),
    headers: { "x-ratelimit-limit": '60, 60;w=60;name="org_analytics_app_id_user_id"', ...NONE_LEFT },
  },
  "analytics-down": refuse(ANALYTICS, "503, nothing is done", REFUSALS.unavailable),
  "analytics-slow": { match: ANALYTICS, about: "The right answer, five seconds late", delayMs: 5_000 },
  "analytics-pins-missing": play(BULK, "Every third pin is left out of the answer", "analytics-pins-missing"),
  "analytics-days-missing": play(
    ANALYTICS,
    "Every fourth day is left out, the others come in disorder",
    "analytics-days-missing",
  ),
  "analytics-nonsense": play(
    ANALYTICS,
    "Days with negative, huge and missing numbers, and with a status that nobody knows",
    "analytics-nonsense",
  ),
  "analytics-processing": play(ANALYTICS, "No day is ready yet", "analytics-processing"),
};

/** Faults can be aimed with `where: {account, board, title, link, pin}`; on the token call with `where: {account, grant}`. */
export async function labelsOf(pinterest: Pinterest, c: Context<StandInEnv>): Promise<Record<string, string>> {
  const { codes, byRefreshToken, accounts } = pinterest.store.state;
  const isToken = c.req.path.endsWith("/oauth/token");
  const form = new URLSearchParams(isToken ? await c.req.text() : "");
  const accountId =
    findGrant(pinterest, c.req.header("authorization"))?.accountId ??
    codes.get(form.get("code") ?? "")?.accountId ??
    byRefreshToken.get(form.get("refresh_token") ?? "")?.accountId;
  const account = accounts.get(accountId ?? "")?.username;
  if (isToken) return texts({ account, grant: form.get("grant_type") });
  if (c.req.method === "POST") {
    const { board_id, title, link } = objectOf(await c.req.text());
    return texts({ account, board: board_id, title, link });
  }
  const [, board] = /^\/v5\/boards\/(\d+)/.exec(c.req.path) ?? [];
  // Which pins a call reads, all of them where it reads many: `*` on both sides finds one of them.
  const pin = c.req.query("pin_ids") ?? /^\/v5\/pins\/(\d+)/.exec(c.req.path)?.[1];
  return texts({ account, board, pin });
}

/** The consent form can be aimed at with `where: {account, decision}`. */
export async function decisionLabels(c: Context<StandInEnv>): Promise<Record<string, string>> {
  if (c.req.method !== "POST") return {};
  const form = new URLSearchParams(await c.req.text());
  return texts({ account: form.get("username"), decision: form.get("decision") });
}

function texts(found: Record<string, unknown>): Record<string, string> {
  const entries = Object.entries(found);
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === "string"));
}
