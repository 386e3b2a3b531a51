import "server-only";
import { and, count, eq, getTableColumns, inArray, min, type SQL, sql, sum } from "drizzle-orm";
import { creditBalances, creditLines, creditTransfers } from "#db/schema/credits.ts";
import { users } from "#db/schema/identity.ts";
import { isAnyOf, preparedOnce } from "#db/sql.ts";
import type { Ctx } from "#lib/context.ts";
import type { UserId } from "#lib/core/ids.ts";
import type { PlanSlug } from "#lib/features/billing/plans.ts";
import { deferredRevokeCause, type PurchasedLot, restoreCause, revokeCause } from "./policy.ts";

export type Balance = typeof creditBalances.$inferSelect;

/** Without reserved credits. */
export interface BalanceView {
  availableCredits: number;
  allowance: number;
  purchased: number;
  held: number;
  isAllowanceTaken: boolean;
}

const balanceStatement = preparedOnce((db) =>
  db
    .select()
    .from(creditBalances)
    .where(eq(creditBalances.userId, sql.placeholder("userId")))
    .prepare("balance"),
);

/** Null before the first use. */
export const findBalance = async (ctx: Ctx, userId: UserId): Promise<Balance | null> => {
  const [row] = await balanceStatement(ctx.db).execute({ userId });
  return row ?? null;
};

const standingStatement = preparedOnce((db) =>
  db
    .select({ balance: getTableColumns(creditBalances), plan: users.plan, planEndsAt: users.planEndsAt })
    .from(creditBalances)
    .innerJoin(users, eq(users.id, creditBalances.userId))
    .where(eq(creditBalances.userId, sql.placeholder("userId")))
    .prepare("credit_standing"),
);

/** One query, because every screen needs it. */
export const findBalanceAndPlan = async (
  ctx: Ctx,
  userId: UserId,
): Promise<{ balance: Balance; plan: PlanSlug; planEndsAt: Date | null } | null> => {
  const [row] = await standingStatement(ctx.db).execute({ userId });
  return row ?? null;
};

const LOT_KINDS = ["purchase", "grant", "revoke", "restore"] as const;

/** Oldest first, less what was revoked. */
export const findLots = async (ctx: Ctx, userId: UserId): Promise<PurchasedLot[]> => {
  const cause = sql<string>`coalesce(${creditTransfers.grantCause}, ${creditTransfers.cause})`;
  const rows = await ctx.db
    .select({ cause, credits: sum(creditLines.credits) })
    .from(creditTransfers)
    .innerJoin(creditLines, and(eq(creditLines.transferId, creditTransfers.id), eq(creditLines.account, "purchased")))
    .where(and(eq(creditTransfers.userId, userId), inArray(creditTransfers.kind, [...LOT_KINDS])))
    .groupBy(cause)
    .orderBy(min(creditTransfers.number));
  return rows.map((row) => ({ cause: row.cause, credits: Number(row.credits) }));
};

const sumIn = (account: "allowance" | "purchased") =>
  sql<number>`coalesce(sum(${creditLines.credits}) filter (where ${creditLines.account} = ${account}), 0)::int`;

interface BucketTransfer {
  grantCause: string | null;
  allowance: number;
  purchased: number;
}

export const findTransfer = async (ctx: Ctx, userId: UserId, cause: string): Promise<BucketTransfer | null> => {
  const [row] = await ctx.db
    .select({ grantCause: creditTransfers.grantCause, allowance: sumIn("allowance"), purchased: sumIn("purchased") })
    .from(creditTransfers)
    .innerJoin(creditLines, eq(creditLines.transferId, creditTransfers.id))
    .where(and(eq(creditTransfers.cause, cause), eq(creditTransfers.userId, userId)))
    .groupBy(creditTransfers.id);
  return row ?? null;
};

/** In a query on `credit_transfers t`. */
const isUnrestored = sql`not exists (
  select 1 from credit_transfers r where r.cause = ${restoreCause("")} || substr(t.cause, ${revokeCause("").length + 1}))`;

/** Includes what was taken later from released credits; null when there is none. */
export const findRevoked = async (ctx: Ctx, userId: UserId, cause: string): Promise<BucketTransfer | null> => {
  const first = await findTransfer(ctx, userId, cause);
  if (!first) return null;
  const [late] = await ctx.db
    .select({ allowance: sumIn("allowance"), purchased: sumIn("purchased") })
    .from(creditTransfers)
    .innerJoin(creditLines, eq(creditLines.transferId, creditTransfers.id))
    .where(
      and(
        eq(creditTransfers.userId, userId),
        sql`starts_with(${creditTransfers.cause}, ${deferredRevokeCause(cause)}::text)`,
      ),
    );
  const { grantCause, allowance, purchased } = first;
  return { grantCause, allowance: allowance + (late?.allowance ?? 0), purchased: purchased + (late?.purchased ?? 0) };
};

/** What was demanded, without what was restored. */
export const sumRevocations = async (ctx: Ctx, userId: UserId, causes: readonly string[]): Promise<number> => {
  const [row] = await ctx.db.execute<{ credits: number }>(sql`
    select coalesce(sum(coalesce(t.demanded, (select 0 - sum(l.credits) from credit_lines l
      where l.transfer_id = t.id and l.account in ('allowance', 'purchased')))), 0)::int as credits
    from credit_transfers t where t.user_id = ${userId} and ${isAnyOf(sql`t.cause`, causes)} and ${isUnrestored}`);
  return row?.credits ?? 0;
};

export interface PastPeriod {
  /** Of the newest opened period, as in its cause; null for none. */
  newest: string | null;
  times: number;
  granted: number;
  returned: number;
  expired: number;
}

/** `causes` are prefixes. */
export const findPastPeriod = async (
  ctx: Ctx,
  userId: UserId,
  causes: { subscription: string; period: string; again: string; expiry: string },
): Promise<PastPeriod> => {
  const { cause, kind } = creditTransfers;
  const begins = (prefix: string) => sql`starts_with(${cause}, ${prefix}::text)`;
  const isGrant = sql`${begins(causes.period)} and not ${begins(causes.again)}`;
  const sumWhere = (which: SQL) => sql<number>`coalesce(sum(${creditLines.credits}) filter (where ${which}), 0)::int`;
  const [row] = await ctx.db
    .select({
      newest: sql<
        string | null
      >`max(substr(${cause}, ${causes.subscription.length + 1}, 24)) filter (where ${begins(causes.subscription)})`,
      times: sql<number>`(count(*) filter (where ${begins(causes.period)}))::int`,
      granted: sumWhere(isGrant),
      returned: sumWhere(begins(causes.again)),
      expired: sumWhere(begins(causes.expiry)),
    })
    .from(creditTransfers)
    .innerJoin(creditLines, and(eq(creditLines.transferId, creditTransfers.id), eq(creditLines.account, "allowance")))
    .where(and(eq(creditTransfers.userId, userId), inArray(kind, ["allowance", "expiry"])));
  if (!row) return { newest: null, times: 0, granted: 0, returned: 0, expired: 0 };
  return { ...row, expired: 0 - row.expired };
};

export const countTransfers = async (ctx: Ctx, userId: UserId, prefix: string): Promise<number> => {
  const { cause } = creditTransfers;
  const [row] = await ctx.db
    .select({ times: count() })
    .from(creditTransfers)
    .where(and(eq(creditTransfers.userId, userId), sql`starts_with(${cause}, ${prefix}::text)`));
  return row?.times ?? 0;
};

/** Not fully taken and not reversed. */
export interface Shortfall {
  number: number;
  cause: string;
  note: string;
  grantCause: string;
  demanded: number;
  isPlan: boolean;
}

export const findShortfalls = async (ctx: Ctx, userId: UserId): Promise<Shortfall[]> => {
  const rows = await ctx.db.execute<Shortfall & Record<string, unknown>>(sql`
    select t.number::float8 as number, t.cause, t.note, t.grant_cause as "grantCause", t.demanded,
      starts_with(t.grant_cause, 'allowance:') as "isPlan"
    from credit_transfers t where t.user_id = ${userId} and t.demanded is not null and ${isUnrestored}
    order by t.number`);
  return [...rows];
};

export interface GrantTransfer extends BucketTransfer {
  number: number;
  kind: string;
  cause: string;
}

export const findGrants = (ctx: Ctx, userId: UserId): Promise<GrantTransfer[]> =>
  ctx.db
    .select({
      number: creditTransfers.number,
      kind: creditTransfers.kind,
      cause: creditTransfers.cause,
      grantCause: creditTransfers.grantCause,
      allowance: sumIn("allowance"),
      purchased: sumIn("purchased"),
    })
    .from(creditTransfers)
    .innerJoin(creditLines, eq(creditLines.transferId, creditTransfers.id))
    .where(and(eq(creditTransfers.userId, userId), inArray(creditTransfers.kind, ["allowance", ...LOT_KINDS])))
    .groupBy(creditTransfers.id)
    .orderBy(creditTransfers.number);

/** Reserved before a movement and not returned since. */
export const sumUsed = async (ctx: Ctx, userId: UserId, before: number): Promise<number> => {
  const [row] = await ctx.db.execute<{ used: number }>(sql`
    select coalesce(sum(r.from_purchased), 0)::int as used
    from credit_reservations r join credit_transfers t on t.cause = 'reserve:' || r.reference
    where r.user_id = ${userId} and r.outcome is distinct from 'release' and t.number < ${before}`);
  return row?.used ?? 0;
};

/** Free credits reserved so far and not returned, and whether the email is confirmed. */
export const findEmailStanding = async (
  ctx: Ctx,
  userId: UserId,
): Promise<{ isConfirmed: boolean; freeUsed: number }> => {
  const [row] = await ctx.db.execute<{ isConfirmed: boolean; freeUsed: number }>(sql`
    select u.email_verified_at is not null as "isConfirmed",
      case when u.email_verified_at is not null then 0 else
        (select coalesce(sum(r.from_allowance), 0)::int from credit_reservations r
          where r.user_id = u.id and r.outcome is distinct from 'release'
            and not starts_with(coalesce(r.period, ''), 'paid:'))
      end as "freeUsed"
    from users u where u.id = ${userId}`);
  return row ?? { isConfirmed: true, freeUsed: 0 };
};

export const findReserved = async (
  ctx: Ctx,
  reserved: readonly { reference: string; fromAllowance: number; period: string | null }[],
): Promise<{ number: number; period: string | null; credits: number }[]> => {
  const byCause = new Map(reserved.map((item) => [`reserve:${item.reference}`, item]));
  const rows = await ctx.db
    .select({ number: creditTransfers.number, cause: creditTransfers.cause })
    .from(creditTransfers)
    .where(isAnyOf(creditTransfers.cause, byCause.keys()))
    .orderBy(creditTransfers.number);
  return rows.map(({ number, cause }) => {
    const reservation = byCause.get(cause);
    return { number, period: reservation?.period ?? null, credits: reservation?.fromAllowance ?? 0 };
  });
};
