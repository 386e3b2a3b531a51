import type { Context } from "hono";
import { commonFaults, doneFaults, type FaultScenarios, type PreparedFault, textsOf } from "../kit/faults.ts";
import type { StandInEnv } from "../kit/serve.ts";
import { parseJson } from "../kit/values.ts";
import { ERRORS, type ErrorReply, invalidRequest, missingScopes } from "./errors.ts";
import { findGrant } from "./requests.ts";
import type { Pinterest } from "./wire.ts";

const LIMIT_REACHED = {
  "x-ratelimit-limit": '100, 100;w=1;name="safety_net_app_id_user_id", 100;w=60;name="org_write_app_id_user_id"',
  "x-ratelimit-remaining": "0",
  "x-ratelimit-reset": "3",
};
const noneLeft = (category: string) => ({
  "x-ratelimit-limit": `60, 60;w=60;name="${category}_app_id_user_id"`,
  "x-ratelimit-remaining": "0",
  "x-ratelimit-reset": "40",
});

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
const limit = (match: string, about: string, headers: Record<string, string>): PreparedFault => {
  return { ...refuse(match, about, ERRORS.rateLimited), headers };
};
const CREATED = doneFaults(CREATE, "The pin is created");

/** The predefined faults; those without a response are simulated by the routes. */
export const PINTEREST_SCENARIOS: FaultScenarios = {
  "reply-lost-after-creating": CREATED.lost,
  "reply-torn-after-creating": {
    match: CREATE,
    about: "The pin is created, but half of the response arrives",
    torn: true,
  },
  "hang-after-creating": CREATED.hanging,
  "slow-after-creating": CREATED.slow,
  "server-error-after-creating": CREATED.answered("500", respond(ERRORS.serverError)),
  "unavailable-after-creating": CREATED.answered("503", respond(ERRORS.unavailable)),
  "malformed-after-creating": CREATED.answered("broken JSON", { malformed: true }),
  "rewritten-after-creating": doneFaults(CREATE, "The pin is created with other texts").lost,
  "ok-instead-of-created": { match: CREATE, about: "The pin is created, but the response is 200 instead of 201" },

  ...commonFaults(ANY),
  "server-error": refuse(ANY, "500, nothing is done", ERRORS.serverError),
  unavailable: refuse(ANY, "503, nothing is done", ERRORS.unavailable),
  "rate-limited": limit(ANY, "429 with structured limit headers", LIMIT_REACHED),
  "rate-limited-bare": refuse(ANY, "429 without any header", ERRORS.rateLimited),
  "rate-limited-retry-after": limit(ANY, "429 with Retry-After: 2 and limit headers", {
    ...LIMIT_REACHED,
    "retry-after": "2",
  }),
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
  "video-upload-lost": doneFaults(UPLOAD, "The video is stored").lost,
  "video-upload-refused": {
    match: UPLOAD,
    about: "403: the form has expired",
    status: 403,
    body: "<Error><Code>AccessDenied</Code><Message>Invalid according to Policy: Policy expired.</Message></Error>",
  },
  "video-processing-fails": { match: MEDIA, about: "The video can't be processed" },
  "video-processing-stuck": { match: MEDIA, about: "The video is still being processed" },

  "consent-denied": { match: DECISION, about: "The user denies, whichever button is clicked" },
  "tampered-state": { match: DECISION, about: "The browser returns with a different state" },
  "missing-code": { match: DECISION, about: "The browser returns without a code" },
  "slow-consent": { match: "GET /oauth/", about: "The consent page takes five seconds", delayMs: 5_000 },
  "fewer-scopes": { match: TOKEN, about: "Grants only boards:read, pins:read and user_accounts:read" },
  "grant-refused": refuse(TOKEN, "400/283: the code was used, has expired or is for another URL", ERRORS.grantInvalid),
  "token-call-refused": refuse(TOKEN, "401/2: wrong secret, or an invalid refresh token", ERRORS.authenticationFailed),
  "token-call-fails": refuse(TOKEN, "500 on the token call", ERRORS.serverError),
  "token-reply-lost": doneFaults(TOKEN, "The refresh token is rotated").lost,

  "null-counts": { match: "GET /v5/user_account", about: "All counts of the account are null" },
  "short-pages": { match: "GET /v5/boards", about: "Pages are half the requested size, with a next page" },
  "pin-gone": refuse("* /v5/pins/:id", "404/50", ERRORS.pinNotFound),
  "analytics-restricted": refuse(BULK, "401/3: the app is not in the beta", ERRORS.restrictedFeature),
  "analytics-refused": refuse(ANALYTICS, "403/29: no access to this user's analytics", ERRORS.notPermitted),
  "analytics-limited": limit(ANALYTICS, "429: no calls are left for 40 seconds", noneLeft("org_analytics")),
  "analytics-down": refuse(ANALYTICS, "503, nothing is done", ERRORS.unavailable),
  "analytics-slow": { match: ANALYTICS, about: "A normal response, five seconds late", delayMs: 5_000 },
  "analytics-pins-missing": { match: BULK, about: "Every third pin is missing from the response" },
  "analytics-days-missing": { match: ANALYTICS, about: "Every fourth day is missing, and the others are out of order" },
  "analytics-nonsense": {
    match: ANALYTICS,
    about: "Days with negative, huge and missing numbers, and with an unknown status",
  },
  "analytics-processing": { match: ANALYTICS, about: "No day is ready yet" },
  "trends-refused": refuse(TRENDS, "403/29: no access to search trends", ERRORS.notPermitted),
  "trends-limited": limit(TRENDS, "429: no calls are left for 40 seconds", noneLeft("trends_read")),
  "trends-down": refuse(TRENDS, "503, nothing is done", ERRORS.unavailable),
  "trends-none": { match: TRENDS, about: "No trend fits" },
};

/** Labels that faults can match: account, board, title, link and pin; account and grant for the token call. */
export const labelsOf = (pinterest: Pinterest) => async (c: Context<StandInEnv>) => {
  const { codes, byRefreshToken, accounts } = pinterest.store.state;
  const isToken = c.req.path.endsWith("/oauth/token");
  const form = new URLSearchParams(isToken ? await c.req.text() : "");
  const accountId =
    findGrant(pinterest, c.req.header("authorization"))?.accountId ??
    codes.get(form.get("code") ?? "")?.accountId ??
    byRefreshToken.get(form.get("refresh_token") ?? "")?.accountId;
  const account = accounts.get(accountId ?? "")?.username;
  if (isToken) return textsOf({ account, grant: form.get("grant_type") });
  if (c.req.method === "POST") {
    const { board_id, title, link } = Object(parseJson(await c.req.text()));
    return textsOf({ account, board: board_id, title, link });
  }
  const [, board] = /^\/v5\/boards\/(\d+)/.exec(c.req.path) ?? [];
  // The pin of a call, or all pins of a bulk call: `*` on both sides matches one of them.
  const pin = c.req.query("pin_ids") ?? /^\/v5\/pins\/(\d+)/.exec(c.req.path)?.[1];
  return textsOf({ account, board, pin });
};

/** Labels of the consent form: `where: {account, decision}`. */
export async function consentLabels(c: Context<StandInEnv>): Promise<Record<string, string>> {
  if (c.req.method !== "POST") return {};
  const form = new URLSearchParams(await c.req.text());
  return textsOf({ account: form.get("username"), decision: form.get("decision") });
}
