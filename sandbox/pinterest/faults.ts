import type { Context } from "hono";
import type { FaultScenarios, PreparedFault } from "../kit/faults.ts";
import type { StandInEnv } from "../kit/serve.ts";
import { ERRORS, type ErrorReply, invalidRequest, missingScopes } from "./errors.ts";
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
const MEDIA = "GET /v5/media/:id";
const UPLOAD = "POST /media-upload";
const ANY = "* /v5/*";
const BULK = "GET /v5/pins/analytics";
const ANALYTICS = "GET /v5/*analytics*";
const TRENDS = "GET /v5/trends/*";

const respond = ({ status, code, message }: ErrorReply) => ({ status, body: { code, message } });
const refuse = (match: string, about: string, reply: ErrorReply): PreparedFault => {
  return { match, about, ...respond(reply) };
};
const simulate = (match: string, about: string, behavior: string): PreparedFault => ({ match, about, play: behavior });
const afterCreating = (about: string, more: PreparedFault): PreparedFault => {
  return { match: CREATE, about, after: "creating", ...more };
};

/** The predefined faults for `POST /__control/faults {scenario, …}`; each applies to `match` by default. */
export const PINTEREST_SCENARIOS: FaultScenarios = {
  "reply-lost-after-creating": afterCreating("The pin is created, then the connection closes without a response", {
    cut: true,
  }),
  "reply-torn-after-creating": {
    match: CREATE,
    about: "The pin is created, but only half of the response arrives",
    torn: true,
  },
  "hang-after-creating": afterCreating("The pin is created, but no response follows", { hang: true }),
  "slow-after-creating": afterCreating("The pin is created, and the response takes 30 seconds", { delayMs: LONG_MS }),
  "server-error-after-creating": afterCreating(
    "The pin is created, but the response is 500",
    respond(ERRORS.serverError),
  ),
  "unavailable-after-creating": afterCreating(
    "The pin is created, but the response is 503",
    respond(ERRORS.unavailable),
  ),
  "malformed-after-creating": afterCreating("The pin is created, but the response is broken JSON", { malformed: true }),
  "rewritten-after-creating": afterCreating(
    "The pin is created with other texts, then the connection closes without a response",
    { cut: true, play: "rewritten" },
  ),
  "ok-instead-of-created": simulate(
    CREATE,
    "The pin is created, but the response is 200 instead of 201",
    "ok-instead-of-created",
  ),

  cut: { match: ANY, about: "The connection closes, nothing is done", cut: true },
  hang: { match: ANY, about: "No response, nothing is done", hang: true },
  slow: { match: ANY, about: "A normal response, five seconds late", delayMs: 5_000 },
  malformed: { match: ANY, about: "Broken JSON, nothing is done", malformed: true },
  "server-error": refuse(ANY, "500, nothing is done", ERRORS.serverError),
  unavailable: refuse(ANY, "503, nothing is done", ERRORS.unavailable),
  "rate-limited": { ...refuse(ANY, "429 with structured limit headers", ERRORS.rateLimited), headers: LIMIT_REACHED },
  "rate-limited-bare": refuse(ANY, "429 without any header", ERRORS.rateLimited),
  "rate-limited-retry-after": {
    ...refuse(ANY, "429 with Retry-After: 2 and limit headers", ERRORS.rateLimited),
    headers: { ...LIMIT_REACHED, "retry-after": "2" },
  },
  "token-dead": refuse(ANY, "401: the access token is not accepted", ERRORS.authenticationFailed),
  "restricted-feature": refuse(ANY, "401/3: restricted beta feature", ERRORS.restrictedFeature),
  "not-permitted": refuse(ANY, "403/29: not permitted", ERRORS.notPermitted),

  "trial-access": refuse(CREATE, "403/29: trial apps may not create pins", ERRORS.trialAccess),
  "missing-scope": refuse(CREATE, "403: the token lacks pins:write", missingScopes(["pins:write"])),
  "spam-block": refuse(CREATE, "403: the account is blocked for spam", ERRORS.spamBlock),
  "image-too-small": refuse(CREATE, "403/233", ERRORS.imageTooSmall),
  "image-broken": refuse(CREATE, "403/235", ERRORS.imageBroken),
  "image-unreachable": refuse(CREATE, "400: the image could not be fetched", ERRORS.imageUnreachable),
  "link-invalid": refuse(CREATE, "400/1: the link is rejected", ERRORS.linkInvalid),
  "board-gone": refuse(CREATE, "404/40", ERRORS.boardNotFound),
  "board-busy": refuse(CREATE, "409: try again", ERRORS.boardBusy),
  "ai-disclosures-unknown": refuse(
    CREATE,
    "400: an older deployment that does not know ai_disclosures",
    invalidRequest("body has an unknown field 'ai_disclosures'"),
  ),

  "video-upload-cut": { match: UPLOAD, about: "The connection closes, and the video is not stored", cut: true },
  "video-upload-lost": {
    match: UPLOAD,
    about: "The video is stored, then the connection closes without a response",
    cut: true,
    after: "creating",
  },
  "video-upload-refused": {
    match: UPLOAD,
    about: "403: the form has expired",
    status: 403,
    body: "<Error><Code>AccessDenied</Code><Message>Invalid according to Policy: Policy expired.</Message></Error>",
  },
  "video-processing-fails": simulate(MEDIA, "The video can't be processed", "video-processing-fails"),
  "video-processing-stuck": simulate(MEDIA, "The video is still being processed", "video-processing-stuck"),

  "consent-denied": simulate(DECISION, "The user denies, whichever button is clicked", "consent-denied"),
  "tampered-state": simulate(DECISION, "The browser returns with a different state", "tampered-state"),
  "missing-code": simulate(DECISION, "The browser returns without a code", "missing-code"),
  "slow-consent": { match: "GET /oauth/", about: "The consent page takes five seconds", delayMs: 5_000 },
  "fewer-scopes": simulate(TOKEN, "Grants only boards:read, pins:read and user_accounts:read", "fewer-scopes"),
  "grant-refused": refuse(TOKEN, "400/283: the code was used, has expired or is for another URL", ERRORS.grantInvalid),
  "token-call-refused": refuse(TOKEN, "401/2: wrong secret, or an invalid refresh token", ERRORS.authenticationFailed),
  "token-call-fails": refuse(TOKEN, "500 on the token call", ERRORS.serverError),
  "token-reply-lost": {
    match: TOKEN,
    about: "The refresh token is rotated, but the response is lost",
    cut: true,
    after: "creating",
  },

  "null-counts": simulate("GET /v5/user_account", "All counts of the account are null", "null-counts"),
  "short-pages": simulate("GET /v5/boards", "Pages are half the requested size, with a next page", "short-pages"),
  "pin-gone": refuse("* /v5/pins/:id", "404/50", ERRORS.pinNotFound),
  "analytics-restricted": refuse(BULK, "401/3: the app is not in the beta", ERRORS.restrictedFeature),
  "analytics-refused": refuse(ANALYTICS, "403/29: no access to this user's analytics", ERRORS.notPermitted),
  "analytics-limited": {
    ...refuse(ANALYTICS, "429: no calls are left for 40 seconds", ERRORS.rateLimited),
    headers: { "x-ratelimit-limit": '60, 60;w=60;name="org_analytics_app_id_user_id"', ...NONE_LEFT },
  },
  "analytics-down": refuse(ANALYTICS, "503, nothing is done", ERRORS.unavailable),
  "analytics-slow": { match: ANALYTICS, about: "A normal response, five seconds late", delayMs: 5_000 },
  "analytics-pins-missing": simulate(BULK, "Every third pin is missing from the response", "analytics-pins-missing"),
  "analytics-days-missing": simulate(
    ANALYTICS,
    "Every fourth day is missing, and the others are out of order",
    "analytics-days-missing",
  ),
  "analytics-nonsense": simulate(
    ANALYTICS,
    "Days with negative, huge and missing numbers, and with an unknown status",
    "analytics-nonsense",
  ),
  "analytics-processing": simulate(ANALYTICS, "No day is ready yet", "analytics-processing"),
  "trends-refused": refuse(TRENDS, "403/29: no access to search trends", ERRORS.notPermitted),
  "trends-limited": {
    ...refuse(TRENDS, "429: no calls are left for 40 seconds", ERRORS.rateLimited),
    headers: { "x-ratelimit-limit": '60, 60;w=60;name="trends_read_app_id_user_id"', ...NONE_LEFT },
  },
  "trends-down": refuse(TRENDS, "503, nothing is done", ERRORS.unavailable),
  "trends-none": simulate(TRENDS, "No trend fits", "trends-none"),
};

/**
 * Labels that faults can match: `where: {account, board, title, link, pin}`; for the token call `where: {account,
 * grant}`.
 */
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
  // The pin of a call, or all pins of a bulk call: `*` on both sides matches one of them.
  const pin = c.req.query("pin_ids") ?? /^\/v5\/pins\/(\d+)/.exec(c.req.path)?.[1];
  return texts({ account, board, pin });
}

/** An upload's form is too large to be read for labels. */
export const uploadLabels = (): Record<string, string> => ({});

/** Labels of the consent form: `where: {account, decision}`. */
export async function consentLabels(c: Context<StandInEnv>): Promise<Record<string, string>> {
  if (c.req.method !== "POST") return {};
  const form = new URLSearchParams(await c.req.text());
  return texts({ account: form.get("username"), decision: form.get("decision") });
}

function texts(found: Record<string, unknown>): Record<string, string> {
  const entries = Object.entries(found);
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === "string"));
}
