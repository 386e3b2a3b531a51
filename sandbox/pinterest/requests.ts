import type { Context } from "hono";
import type { StandInEnv } from "../kit/serve.ts";
import { pathParts } from "../kit/spec.ts";
import { ApiError, ERRORS, invalidRequest, missingScopes } from "./errors.ts";
import type { Account, Grant } from "./model.ts";
import type { RateCategory } from "./rate-limits.ts";
import type { Pinterest } from "./wire.ts";

export interface Caller {
  account: Account;
  scopes: Set<string>;
}

/** Checks token, scopes and limit, and adds the limit's headers. @throws ApiError 401/2, 403 naming scopes, 429/8. */
export function authorize(
  pinterest: Pinterest,
  c: Context<StandInEnv>,
  category: RateCategory,
  needed: readonly string[],
): Caller {
  const grant = findGrant(pinterest, c.req.header("authorization"));
  const account = grant && pinterest.store.state.accounts.get(grant.accountId);
  if (grant === undefined || account === undefined) throw new ApiError(ERRORS.authenticationFailed);
  const scopes = new Set(grant.scopes);
  const missing = needed.filter((scope) => !scopes.has(scope));
  if (missing.length > 0) throw new ApiError(missingScopes(missing));
  const { allowed, headers } = pinterest.limits.count(account.id, category);
  for (const [name, value] of Object.entries(headers)) c.header(name, value);
  if (!allowed) throw new ApiError(ERRORS.rateLimited);
  return { account, scopes };
}

/** The valid grant of an `Authorization` header, if any. */
export function findGrant({ store, clock }: Pinterest, header: string | undefined): Grant | undefined {
  const token = header?.match(/^Bearer (\S+)$/i)?.[1];
  const grant = token === undefined ? undefined : store.state.byAccessToken.get(token);
  return grant !== undefined && new Date(grant.accessExpiresAt) > clock.now() ? grant : undefined;
}

/** Checks the query and path ids of a GET (`/boards/{board_id}`); returns the query. @throws ApiError 400. */
export function checkQuery({ spec }: Pinterest, c: Context<StandInEnv>, path: string): Record<string, string> {
  // A list is sent as one parameter with commas, or as several of the same name.
  const query = Object.fromEntries(Object.entries(c.req.queries()).map(([name, values]) => [name, values.join()]));
  const result = spec.check("GET", path, { path: pathParts(path, c.req.path.replace(/^\/v5/, "")), query });
  if (!result.ok) throw new ApiError(invalidRequest(result.errors[0] ?? "query"));
  return query;
}

/** A body, checked against the description. @throws ApiError 400 with the first problem. */
export function checkBody<T>({ spec }: Pinterest, c: Context<StandInEnv>, path: string, body: T): T {
  const result = spec.check("POST", path, { query: c.req.query(), body });
  if (!result.ok) throw new ApiError(invalidRequest(result.errors[0] ?? "body"));
  return body;
}

/** A JSON body, checked against the description. @throws ApiError 400 */
export async function readBody<T>(pinterest: Pinterest, c: Context<StandInEnv>, path: string): Promise<T> {
  // Of the type of its description, against which it is checked.
  const body: T = await c.req.json().catch((cause: unknown) => {
    throw new ApiError(invalidRequest("body is not JSON"), { cause });
  });
  return checkBody(pinterest, c, path, body);
}

const DEFAULT_PAGE_SIZE = 25;

/**
 * The page after `bookmark`, and the bookmark of the next one, null at the end. `shareOfPage` makes pages shorter.
 * @throws ApiError 400 for an unknown bookmark.
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
  if (index === -1) throw new ApiError(invalidRequest("unknown bookmark"));
  return index + 1;
}
