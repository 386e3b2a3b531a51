import type { PinterestProblem } from "./port.ts";

/** What Pinterest answered instead of a success: HTTP status, its own code and its message, each as far as given. */
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
const MISSING_SCOPES = /missing:\s*\[([^\]]*)\]/i;
const RESTRICTED = /restricted feature/i;

const has = (status: number, ...codes: number[]) => {
  return (refusal: Refusal) =>
    refusal.status === status && (codes.length === 0 || (refusal.code !== undefined && codes.includes(refusal.code)));
};

const quoted = (message: string): string => (message === "" ? "" : `: ${message.slice(0, MESSAGE_MAX)}`);

const missingScopesText = ({ message }: Refusal): string => {
  const scopes = (MISSING_SCOPES.exec(message)?.[1] ?? "")
    .replace(/['"\s]/g, "")
    .split(",")
    .filter(Boolean);
  return `Pinterest asks you to connect this account again and to allow ${scopes.join(", ") || "all permissions"}.`;
};

/**
 * The decision table of BRIEF §3, first match wins. No rule looks at the code alone: some codes equal the HTTP
 * status, some do not.
 */
const RULES: readonly Rule[] = [
  {
    when: ({ message }) => SPAM_BLOCK.test(message),
    kind: "spam_block",
    text: "Pinterest has paused publishing for this account to fight spam. It is usually lifted within 24 hours.",
  },
  { when: has(429), kind: "rate_limited", text: "Pinterest asks us to slow down. This goes on by itself." },
  {
    when: ({ status, message }) => status >= 500 || status === 408 || SERVER_FAULT.test(message),
    kind: "unavailable",
    text: "Pinterest has a problem on its side.",
  },
  {
    when: (refusal) => has(401, 3)(refusal) || (refusal.status === 401 && RESTRICTED.test(refusal.message)),
    kind: "restricted",
    text: "Pinterest does not offer this feature to our app.",
  },
  {
    when: ({ status, code }) => status === 401 && (code === undefined || code === 2),
    kind: "token_dead",
    text: "Pinterest asks you to connect this account again.",
  },
  { when: has(401), kind: "rejected", text: "Pinterest does not allow access to this board or pin." },
  {
    when: ({ status, message }) => status === 403 && MISSING_SCOPES.test(message),
    kind: "missing_scope",
    text: missingScopesText,
  },
  {
    when: (refusal) => has(403, 29)(refusal) && TRIAL_ACCESS.test(refusal.message),
    kind: "trial_access",
    text: "Our app still awaits Pinterest's approval to publish. Your pins stay scheduled.",
  },
  { when: has(403, 233), kind: "rejected", text: "Pinterest finds the image too small. Please use a larger one." },
  { when: has(403, 235), kind: "rejected", text: "Pinterest cannot read the image. Please use another one." },
  { when: has(403), kind: "rejected", text: "Pinterest does not permit this for this account or board." },
  { when: has(404, 40), kind: "not_found", text: "The board no longer exists at Pinterest. Please choose another." },
  { when: has(404, 2031), kind: "not_found", text: "The board section no longer exists at Pinterest." },
  { when: has(404, 50), kind: "not_found", text: "The pin no longer exists at Pinterest." },
  { when: has(404), kind: "not_found", text: "Pinterest does not find this board or pin." },
  { when: has(409), kind: "busy", text: "The board is busy at Pinterest. This is tried again in a moment." },
  { when: ({ message }) => IMAGE_FETCH.test(message), kind: "busy", text: "Pinterest could not load the image." },
  {
    when: (refusal) => has(400, 1)(refusal) && INVALID_LINK.test(refusal.message),
    kind: "rejected",
    text: "Pinterest does not accept the link. Please change it.",
  },
  {
    when: ({ status }) => status >= 400,
    kind: "rejected",
    text: ({ message }) => `Pinterest did not accept this${quoted(message)}`,
  },
];

const UNEXPECTED: Pick<Rule, "kind" | "text"> = { kind: "unavailable", text: "Pinterest gave an unexpected answer." };

/** Decides what a refusal means, by status, code and message together (BRIEF §3). */
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

/** The token endpoint refuses a refresh token with 400, 401 or 403: then only a new consent helps. */
export const decideRefreshProblem = (refusal: Refusal): PinterestProblem => {
  const problem = decideProblem(refusal);
  const isDead =
    [400, 401, 403].includes(refusal.status) && ["rejected", "restricted", "token_dead"].includes(problem.kind);
  return isDead
    ? { ...problem, kind: "token_dead", text: "Pinterest asks you to connect this account again." }
    : problem;
};

/** No answer arrived: whether the call had an effect is not known. */
export const silenceProblem = (reason: "timeout" | "network" | "unsent"): PinterestProblem => ({
  kind: "unavailable",
  text: reason === "timeout" ? "Pinterest did not answer in time." : "Pinterest could not be reached.",
});

/** A success whose body cannot be read: whether the call had an effect is not known. */
export const unreadableProblem = (status: number): PinterestProblem => ({
  kind: "unavailable",
  text: "Pinterest gave an answer that could not be read.",
  httpStatus: status,
});
