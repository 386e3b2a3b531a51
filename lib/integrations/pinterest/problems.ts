import type { PinterestProblem } from "./port.ts";

export interface Refusal {
  status: number;
  code?: number | undefined;
  message: string;
  retryAfterSeconds?: number | undefined;
}

interface Rule {
  when(refusal: Refusal): boolean;
  kind: PinterestProblem["kind"];
  /** Safe to show to the account's owner. */
  text: string | ((refusal: Refusal) => string);
}

const MESSAGE_MAX = 300;

const SPAM_BLOCK = /block \(pins\)|combat spam/i;
const SERVER_FAULT = /something went wrong on our end/i;
const IMAGE_FETCH = /could not fetch the image|unable to reach the url/i;
const INVALID_LINK = /invalid (url|link)/i;
const TRIAL_ACCESS = /trial access/i;
const MISSING_SCOPES = /missing:\s*\[[^\]]*\]/i;
const RESTRICTED = /restricted feature/i;

const has = (status: number, ...codes: number[]) => {
  return (refusal: Refusal) =>
    refusal.status === status && (codes.length === 0 || (refusal.code !== undefined && codes.includes(refusal.code)));
};

const quoted = (message: string): string => (message === "" ? "" : `: ${message.slice(0, MESSAGE_MAX)}`);

/** First match wins. No rule uses the code alone: some codes equal the HTTP status, some do not. */
const RULES: readonly Rule[] = [
  {
    when: ({ message }) => SPAM_BLOCK.test(message),
    kind: "spam_block",
    text: "Pinterest paused publishing for this account to fight spam. The pause usually ends within 24 hours.",
  },
  { when: has(429), kind: "rate_limited", text: "Pinterest asked us to slow down. We'll pick up again automatically." },
  {
    when: ({ status, message }) => status >= 500 || status === 408 || SERVER_FAULT.test(message),
    kind: "unavailable",
    text: "Pinterest is having problems right now.",
  },
  {
    when: (refusal) => has(401, 3)(refusal) || (refusal.status === 401 && RESTRICTED.test(refusal.message)),
    kind: "restricted",
    text: "Pinterest doesn't let our app do this. Please contact support.",
  },
  {
    when: ({ status, code }) => status === 401 && (code === undefined || code === 2),
    kind: "token_dead",
    text: "Please reconnect this Pinterest account.",
  },
  {
    when: has(401),
    kind: "rejected",
    text: "This account doesn't have access to this board or pin. Choose another board.",
  },
  {
    when: ({ status, message }) => status === 403 && MISSING_SCOPES.test(message),
    kind: "missing_scope",
    text: "Please reconnect this Pinterest account and allow all requested permissions.",
  },
  {
    when: (refusal) => has(403, 29)(refusal) && TRIAL_ACCESS.test(refusal.message),
    kind: "trial_access",
    text: "Our app is still waiting for Pinterest's approval to publish. Your pins stay scheduled.",
  },
  { when: has(403, 233), kind: "rejected", text: "Pinterest says the image is too small. Please use a larger one." },
  { when: has(403, 235), kind: "rejected", text: "Pinterest can't read the image. Please use another one." },
  {
    when: has(403),
    kind: "rejected",
    text: "Pinterest doesn't allow this for this account or board. Try another board, or check your account on Pinterest.",
  },
  {
    when: has(404, 40),
    kind: "not_found",
    text: "The board no longer exists on Pinterest. Please choose another one.",
  },
  {
    when: has(404, 2031),
    kind: "not_found",
    text: "The board section no longer exists on Pinterest. Please choose another section or board.",
  },
  { when: has(404, 50), kind: "not_found", text: "The pin no longer exists on Pinterest." },
  {
    when: has(404),
    kind: "not_found",
    text: "Pinterest can't find this board or pin. Check that it still exists on Pinterest.",
  },
  {
    when: has(409),
    kind: "busy",
    text: "Pinterest is still processing another change to this board. We'll try again in a moment.",
  },
  {
    when: ({ message }) => IMAGE_FETCH.test(message),
    kind: "busy",
    text: "Pinterest couldn't load the image. Please try again.",
  },
  {
    when: (refusal) => has(400, 1)(refusal) && INVALID_LINK.test(refusal.message),
    kind: "rejected",
    text: "Pinterest didn't accept the link. Please change it.",
  },
  {
    when: ({ status }) => status >= 400,
    kind: "rejected",
    text: ({ message }) => `Pinterest didn't accept this${quoted(message)}`,
  },
];

const UNEXPECTED: Pick<Rule, "kind" | "text"> = { kind: "unavailable", text: "Pinterest sent an unexpected response." };

export const decideProblem = (refusal: Refusal): PinterestProblem => {
  const { kind, text } = RULES.find((rule) => rule.when(refusal)) ?? UNEXPECTED;
  return {
    kind,
    text: typeof text === "string" ? text : text(refusal),
    httpStatus: refusal.status,
    ...(refusal.code !== undefined && { providerCode: refusal.code }),
    ...(refusal.message !== "" && { providerMessage: refusal.message.slice(0, MESSAGE_MAX) }),
    ...(refusal.retryAfterSeconds !== undefined && { retryAfterSeconds: refusal.retryAfterSeconds }),
  };
};

/** The token endpoint rejects a dead refresh token with 400, 401 or 403; only a new consent helps. */
export const decideRefreshProblem = (refusal: Refusal): PinterestProblem => {
  const problem = decideProblem(refusal);
  const isDead =
    [400, 401, 403].includes(refusal.status) && ["rejected", "restricted", "token_dead"].includes(problem.kind);
  return isDead ? { ...problem, kind: "token_dead", text: "Please reconnect this Pinterest account." } : problem;
};

/** No response: whether the call had an effect is unknown. */
export const noResponseProblem = (reason: "timeout" | "network" | "unsent"): PinterestProblem => ({
  kind: "unavailable",
  text: reason === "timeout" ? "Pinterest didn't respond in time." : "We couldn't reach Pinterest.",
});

/** A success with an unreadable body: whether the call had an effect is unknown. */
export const unreadableProblem = (status: number): PinterestProblem => ({
  kind: "unavailable",
  text: "We couldn't read Pinterest's response.",
  httpStatus: status,
});
