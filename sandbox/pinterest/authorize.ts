import type { Context } from "hono";
import type { StandInEnv } from "../kit/serve.ts";
import type { Account, Grant } from "./model.ts";
import type { RateCategory } from "./rate-limits.ts";
import { missingScopes, REFUSALS, RefusedError } from "./refusals.ts";
import type { Pinterest } from "./wire.ts";

/** What a call needs before it is looked at. */
export interface Needs {
  scopes: readonly string[];
  category: RateCategory;
}

/** Who calls, and with which scopes. */
export interface Caller {
  account: Account;
  scopes: Set<string>;
}

/**
 * Checks bearer token, scopes and rate limit, in this order, and puts the limit's headers on the answer.
 * @throws RefusedError 401/2, 403 naming the missing scopes, or 429/8.
 */
export function authorize(pinterest: Pinterest, c: Context<StandInEnv>, needs: Needs): Caller {
  const grant = findGrant(pinterest, c.req.header("authorization"));
  const account = grant && pinterest.store.state.accounts.get(grant.accountId);
  if (grant === undefined || account === undefined) throw new RefusedError(REFUSALS.authenticationFailed);
  c.set("note", [c.get("note"), account.username].filter(Boolean).join("; "));
  const scopes = new Set(grant.scopes);
  const missing = needs.scopes.filter((scope) => !scopes.has(scope));
  if (missing.length > 0) throw new RefusedError(missingScopes(missing));
  const { allowed, headers } = pinterest.limits.count(account.id, needs.category);
  for (const [name, value] of Object.entries(headers)) c.header(name, value);
  if (!allowed) throw new RefusedError(REFUSALS.rateLimited);
  return { account, scopes };
}

/** The living grant behind an `Authorization` header, if there is one. */
export function findGrant({ store, clock }: Pinterest, header: string | undefined): Grant | undefined {
  const token = header?.match(/^Bearer (\S+)$/i)?.[1];
  const grant = token === undefined ? undefined : store.state.byAccessToken.get(token);
  return grant !== undefined && new Date(grant.accessExpiresAt) > clock.now() ? grant : undefined;
}
