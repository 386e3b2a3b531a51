import { AppError, unreachable } from "#lib/core/errors.ts";
import { addMs } from "#lib/core/time.ts";
import { PLANS, type PlanSlug } from "#lib/features/billing/plans.ts";
import type { PinterestProblem } from "#lib/integrations/pinterest/port.ts";
import {
  ACCOUNTS_PATH,
  CONNECTION_COOKIE,
  CONNECTION_FAILURES,
  type ConnectionFailure,
  REFRESH_EARLY_MS,
  REQUIRED_SCOPES,
} from "./constants.ts";

/** the text of the 403. */
export const accountLimitText = (plan: PlanSlug): string =>
  `Your ${PLANS[plan].name} plan allows ${PLANS[plan].accounts} connected Pinterest account(s). Upgrade to connect more.`;

/** more accounts than the plan allows, as after a smaller plan: nothing is removed. Null when they are not too many. */
export const overLimitText = (plan: PlanSlug, accounts: number): string | null =>
  accounts > PLANS[plan].accounts
    ? `You have ${accounts} connected accounts, and your ${PLANS[plan].name} plan allows ${PLANS[plan].accounts}. All of them stay and go on working; another one can be connected once there are fewer.`
    : null;

/** The required scopes that Pinterest did not grant. */
export const missingScopes = (granted: readonly string[]): string[] =>
  REQUIRED_SCOPES.filter((scope) => !granted.includes(scope));

/** How an attempt to connect ended. */
export type ConnectionOutcome = { kind: "connected" } | { kind: "failed"; reason: ConnectionFailure };

/** Where the callback sends the browser. */
export const connectionRedirect = (outcome: ConnectionOutcome): string =>
  outcome.kind === "connected" ? `${ACCOUNTS_PATH}?success=1` : `${ACCOUNTS_PATH}?error=${outcome.reason}`;

const isConnectionFailure = (value: string): value is ConnectionFailure => Object.hasOwn(CONNECTION_FAILURES, value);

/** What the notice says for the `error` value of the address; a value of someone else's making is not shown. */
export const connectionFailureText = (value: string): string =>
  CONNECTION_FAILURES[isConnectionFailure(value) ? value : "failed"];

/** The cookie that belongs to a consent's state. The state is a random text first, so no two consents share one. */
export const connectionCookieName = (state: string): string =>
  `${CONNECTION_COOKIE}_${state.slice(0, 12).replace(/[^\w-]/g, "")}`;

/** Whether an access token should be renewed before it is used (R-SRV-05). */
export const isDueForRefresh = (accessExpiresAt: Date, now: Date): boolean =>
  now >= addMs(accessExpiresAt, -REFRESH_EARLY_MS);

/** A problem of a read as the error that people see: reconnect, wait, or a refusal with Pinterest's reason. */
export const toProviderError = (problem: PinterestProblem): AppError => {
  const { kind, text, retryAfterSeconds } = problem;
  switch (kind) {
    case "token_dead":
    case "missing_scope":
      return new AppError("reconnect_needed", { text });
    case "not_found":
      return new AppError("not_found", { text });
    case "rate_limited":
    case "busy":
    case "unavailable":
      return new AppError("provider_unavailable", {
        text,
        ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
      });
    case "rejected":
    case "restricted":
    case "spam_block":
    case "trial_access":
      return new AppError("refused", { text });
    default:
      return unreachable(kind);
  }
};
