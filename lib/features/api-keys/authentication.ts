import "server-only";
import { and, desc, eq, isNull, sql } from "drizzle-orm";
import { apiKeys, apiKeyUses } from "#db/schema/api-keys.ts";
import { users } from "#db/schema/identity.ts";
import { preparedOnce } from "#db/sql.ts";
import type { Ctx } from "#lib/context.ts";
import { sha256 } from "#lib/core/crypto.ts";
import { requireUserId } from "#lib/core/errors.ts";
import type { ApiKeyId, UserId } from "#lib/core/ids.ts";
import { HOUR_MS, toIso } from "#lib/core/time.ts";
import { type Audience, type Scope, USES_SHOWN, USES_SHOWN_PER_KEY } from "./constants.ts";
import { isSecret, type KeyState, stateOf } from "./policy.ts";
import type { KeyUseView } from "./schema.ts";

export interface FoundKey {
  id: ApiKeyId;
  userId: UserId;
  scopes: readonly Scope[];
  state: KeyState;
  /** Which of our servers accepts an app's token; null for keys, which all accept. */
  audience: Audience | null;
}

const keyStatement = preparedOnce((db) =>
  db
    .select({
      ...{ id: apiKeys.id, userId: apiKeys.userId, scopes: apiKeys.scopes },
      ...{ expiresAt: apiKeys.expiresAt, revokedAt: apiKeys.revokedAt },
      ...{ audience: apiKeys.audience, accessExpiresAt: apiKeys.accessExpiresAt },
      // This process's clock may be wrong.
      now: sql`now()`.mapWith(apiKeys.createdAt),
    })
    .from(apiKeys)
    .innerJoin(users, eq(users.id, apiKeys.userId))
    .where(and(eq(apiKeys.secretHash, sql.placeholder("secretHash")), isNull(users.closedAt)))
    .prepare("api_key"),
);

/** Null for a secret that isn't ours, or whose user was deleted. */
export const findKey = async (ctx: Ctx, secret: string): Promise<FoundKey | null> => {
  if (!isSecret(secret)) return null;
  const [row] = await keyStatement(ctx.db).execute({ secretHash: sha256(secret) });
  if (!row) return null;
  const { id, userId, scopes, audience, accessExpiresAt, revokedAt, now } = row;
  const expiresAt = accessExpiresAt ?? row.expiresAt;
  return { id, userId, scopes: scopes as Scope[], audience, state: stateOf({ expiresAt, revokedAt }, now) };
};

export interface KeyUse {
  keyId: ApiKeyId;
  /** Method and path pattern. */
  call: string;
  status: number;
  network: string;
  at: Date;
}

const hourOf = (at: Date): string => toIso(new Date(Math.floor(at.getTime() / HOUR_MS) * HOUR_MS));

const groupOf = ({ keyId, call, status, network, at }: KeyUse): string =>
  JSON.stringify([keyId, hourOf(at), call, status, network]);

const toRow = (group: string, uses: readonly KeyUse[]) => {
  const [key_id, hour, call, status, network] = JSON.parse(group) as [string, string, string, number, string];
  const last_at = toIso(new Date(Math.max(...uses.map(({ at }) => at.getTime()))));
  return { key_id, hour, call, status, network, calls: uses.length, last_at };
};

/** In one statement, however many. Uses of deleted keys are dropped. */
export const recordUses = async (ctx: Ctx, uses: readonly KeyUse[]): Promise<void> => {
  const rows = JSON.stringify([...Map.groupBy(uses, groupOf)].map(([group, own]) => toRow(group, own)));
  // Sorted, so that concurrent processes don't deadlock.
  await ctx.db.execute(sql`
    with used as (
      select u.* from jsonb_to_recordset(${rows}::jsonb) as u(key_id text, hour timestamptz, call text, status int,
        network text, calls int, last_at timestamptz)
      join ${apiKeys} k on k.id = u.key_id order by u.key_id, u.hour, u.call, u.status, u.network),
    counted as (
      insert into ${apiKeyUses} as known (key_id, hour, call, status, network, calls, last_at) select * from used
      on conflict (key_id, hour, call, status, network) do update
        set calls = known.calls + excluded.calls, last_at = greatest(known.last_at, excluded.last_at))
    update ${apiKeys} set last_used_at = greatest(last_used_at, latest.at)
    from (select key_id, max(last_at) as at from used group by key_id order by key_id) as latest
    where id = latest.key_id`);
};

/** The latest first. Each key's are read by the primary key, so that a long history costs nothing. */
export const listUses = async (ctx: Ctx): Promise<KeyUseView[]> => {
  const { keyId, hour, call, status, network, calls, lastAt } = apiKeyUses;
  const latest = ctx.db
    .select({ hour, call, status, network, calls, lastAt })
    .from(apiKeyUses)
    .where(eq(keyId, apiKeys.id))
    .orderBy(desc(hour), desc(lastAt))
    .limit(USES_SHOWN_PER_KEY)
    .as("latest");
  const rows = await ctx.db
    .select({
      ...{ keyId: apiKeys.id, keyName: apiKeys.name, hour: latest.hour, call: latest.call },
      ...{ status: latest.status, network: latest.network, calls: latest.calls, lastAt: latest.lastAt },
    })
    .from(apiKeys)
    .innerJoinLateral(latest, sql`true`)
    .where(eq(apiKeys.userId, requireUserId(ctx)))
    .orderBy(desc(latest.lastAt), desc(latest.hour), latest.call)
    .limit(USES_SHOWN);
  return rows.map(({ keyId: key, hour: began, ...row }) => ({
    id: [key, toIso(began), row.call, row.status, row.network].join(" "),
    ...row,
    lastAt: toIso(row.lastAt),
  }));
};
