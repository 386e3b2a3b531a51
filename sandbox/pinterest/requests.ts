import type { Context } from "hono";
import type { StandInEnv } from "../kit/serve.ts";
import type { Account, Grant } from "./model.ts";
import type { RateCategory } from "./rate-limits.ts";
import { invalidRequest, missingScopes, REFUSALS, RefusedError } from "./refusals.ts";
import type { Pinterest } from "./wire.ts";

/** Who calls, and with which scopes. */
export interface Caller {
  account: Account;
  scopes: Set<string>;
}

/**
 * Checks bearer token, scopes and rate limit, in this order, and puts the limit's headers on the answer.
 * @throws RefusedError 401/2, 403 naming the missing scopes, or 429/8.
 */
export function authorize(
  pinterest: Pinterest,
  c: Context<StandInEnv>,
  category: RateCategory,
  needed: readonly string[],
): Caller {
  const grant = findGrant(pinterest, c.req.header("authorization"));
  const account = grant && pinterest.store.state.accounts.get(grant.accountId);
  if (grant === undefined || account === undefined) throw new RefusedError(REFUSALS.authenticationFailed);
  const scopes = new Set(grant.scopes);
  const missing = needed.filter((scope) => !scopes.has(scope));
  if (missing.length > 0) throw new RefusedError(missingScopes(missing));
  const { allowed, headers } = pinterest.limits.count(account.id, category);
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

/**
 * Checks the query of a GET and the ids in its path (`/boards/{board_id}`), and returns the query.
 * @throws RefusedError 400 with the first fault.
 */
export function checkQuery({ spec }: Pinterest, c: Context<StandInEnv>, path: string): Record<string, string> {
  const query = c.req.query();
  const given = c.req.path.replace(/^\/v5/, "").split("/");
  const parts = path
    .split("/")
    .flatMap((part, at) => (part.startsWith("{") ? [[part.slice(1, -1), decodeURIComponent(given[at] ?? "")]] : []));
  const result = spec.check("GET", path, { path: Object.fromEntries(parts), query });
  if (!result.ok) throw new RefusedError(invalidRequest(result.errors[0] ?? "query"));
  return query;
}

/** The fields of a JSON object, parsed or as text; what is none has no fields: the call itself will refuse it. */
export function objectOf(value: unknown): Record<string, unknown> {
  if (typeof value !== "string") return typeof value === "object" && value !== null ? { ...value } : {};
  try {
    return objectOf(Object(JSON.parse(value)));
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}

/** Items of a page when the call does not say. */
const DEFAULT_PAGE_SIZE = 25;

/**
 * Cuts the page after `bookmark` out of a list whose items have stable ids.
 * @param shareOfPage less than 1 for pages that are shorter than was asked for.
 * @returns the page and the opaque mark of the next one; null at the end.
 * @throws RefusedError 400 for a bookmark that was never handed out.
 */
export function paginate<T extends { id: string }>(all: T[], query: Record<string, string>, shareOfPage = 1) {
  const size = Math.max(1, Math.floor(Number(query.page_size ?? DEFAULT_PAGE_SIZE) * shareOfPage));
  const start = query.bookmark ? positionAfter(all, query.bookmark) : 0;
  const items = all.slice(start, start + size);
  const last = items.at(-1);
  const isEnd = last === undefined || start + size >= all.length;
  return { items, bookmark: isEnd ? null : Buffer.from(`after:${last.id}`, "utf8").toString("base64url") };
}

function positionAfter(all: { id: string }[], bookmark: string): number {
  const mark = Buffer.from(bookmark, "base64url").toString("utf8");
  const index = all.findIndex(({ id }) => mark === `after:${id}`);
  if (index === -1) throw new RefusedError(invalidRequest("bookmark is not one of ours"));
  return index + 1;
}
