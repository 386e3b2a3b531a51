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

export const accountLimitText = (plan: PlanSlug): string =>
  `Your ${PLANS[plan].name} plan allows ${PLANS[plan].accounts} connected Pinterest account(s). Upgrade to connect more.`;

/** As after a downgrade. Null within the limit. */
export const overLimitText = (plan: PlanSlug, accounts: number): string | null =>
  accounts > PLANS[plan].accounts
    ? `You have ${accounts} connected accounts, and your ${PLANS[plan].name} plan includes ${PLANS[plan].accounts}. They'll all keep working, but you can't connect another until you remove some or upgrade.`
    : null;

export const missingScopes = (granted: readonly string[]): string[] =>
  REQUIRED_SCOPES.filter((scope) => !granted.includes(scope));

export type ConnectionOutcome = { kind: "connected" } | { kind: "failed"; reason: ConnectionFailure };

export const connectionRedirect = (outcome: ConnectionOutcome): string =>
  outcome.kind === "connected" ? `${ACCOUNTS_PATH}?success=1` : `${ACCOUNTS_PATH}?error=${outcome.reason}`;

const isConnectionFailure = (value: string): value is ConnectionFailure => Object.hasOwn(CONNECTION_FAILURES, value);

/** Unknown values get a generic text and are never shown. */
export const connectionFailureText = (value: string): string =>
  CONNECTION_FAILURES[isConnectionFailure(value) ? value : "failed"];

/** The state starts with a random nonce, so names do not collide. */
export const connectionCookieName = (state: string): string =>
  `${CONNECTION_COOKIE}_${state.slice(0, 12).replace(/[^\w-]/g, "")}`;

export const isDueForRefresh = (accessExpiresAt: Date, now: Date): boolean =>
  now >= addMs(accessExpiresAt, -REFRESH_EARLY_MS);

/** Safe to show. */
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
