import { PLANS, type PlanSlug } from "#lib/features/identity/constants.ts";
import { ACCOUNTS_PATH, CONNECTION_FAILURES, type ConnectionFailure, REQUIRED_SCOPES } from "./constants.ts";

/** Whether a plan has room for one more connected account (R-ACC-12); over the limit nothing is removed. */
export const hasRoomForAccount = (plan: PlanSlug, connectedCount: number): boolean =>
  connectedCount < PLANS[plan].accounts;

/** the text of the 403. */
export const accountLimitText = (plan: PlanSlug): string =>
  `Your ${PLANS[plan].name} plan allows ${PLANS[plan].accounts} connected Pinterest account(s). Upgrade to connect more.`;

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
