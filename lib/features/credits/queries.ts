import "server-only";
import { and, count, eq, getTableColumns, inArray, min, type SQL, sql, sum } from "drizzle-orm";
import { creditBalances, creditLines, creditTransfers } from "#db/schema/credits.ts";
import { users } from "#db/schema/identity.ts";
import { preparedOnce } from "#db/sql.ts";
import type { Ctx } from "#lib/context.ts";
import type { UserId } from "#lib/core/ids.ts";
import type { PlanSlug } from "#lib/features/billing/plans.ts";
import { lateCause, type PurchasedLot, restoreCause, revokeCause } from "./policy.ts";

export type Balance = typeof creditBalances.$inferSelect;

/** A balance for showing. `availableCredits` is allowance plus purchased; held credits are not in it. */
export interface BalanceView {
  availableCredits: number;
  allowance: number;
  purchased: number;
  held: number;
}

const balanceStatement = preparedOnce((db) =>
  db
    .select()
    .from(creditBalances)
    .where(eq(creditBalances.userId, sql.placeholder("userId")))
    .prepare("balance"),
);

/** The cached balance of a user; null before the first need. */
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

/** A balance with what says whether a new allowance is due. One query, asked by every screen. */
export const findStanding = async (
  ctx: Ctx,
  userId: UserId,
): Promise<{ balance: Balance; plan: PlanSlug; planEndsAt: Date | null } | null> => {
  const [row] = await standingStatement(ctx.db).execute({ userId });
  return row ?? null;
};

const LOT_KINDS = ["purchase", "grant", "revoke", "restore"] as const;

/** All grants of purchased credits that a user ever got, oldest first, each less what was taken back of it. */
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

const feltIn = (account: "allowance" | "purchased") =>
  sql<number>`coalesce(sum(${creditLines.credits}) filter (where ${creditLines.account} = ${account}), 0)::int`;

/** A movement as one user's buckets felt it. */
export interface FeltTransfer {
  grantCause: string | null;
  allowance: number;
  purchased: number;
}

/** The movement of a cause, if it is this user's and happened. */
export const findTransfer = async (ctx: Ctx, userId: UserId, cause: string): Promise<FeltTransfer | null> => {
  const [row] = await ctx.db
    .select({ grantCause: creditTransfers.grantCause, allowance: feltIn("allowance"), purchased: feltIn("purchased") })
    .from(creditTransfers)
    .innerJoin(creditLines, eq(creditLines.transferId, creditTransfers.id))
    .where(and(eq(creditTransfers.cause, cause), eq(creditTransfers.userId, userId)))
    .groupBy(creditTransfers.id);
  return row ?? null;
};

/** What a revocation took in all: at once, and later of what came back from work. Null when it never happened. */
export const findTaken = async (ctx: Ctx, userId: UserId, cause: string): Promise<FeltTransfer | null> => {
  const first = await findTransfer(ctx, userId, cause);
  if (!first) return null;
  const [late] = await ctx.db
    .select({ allowance: feltIn("allowance"), purchased: feltIn("purchased") })
    .from(creditTransfers)
    .innerJoin(creditLines, eq(creditLines.transferId, creditTransfers.id))
    .where(
      and(eq(creditTransfers.userId, userId), sql`starts_with(${creditTransfers.cause}, ${lateCause(cause)}::text)`),
    );
  const { grantCause, allowance, purchased } = first;
  return { grantCause, allowance: allowance + (late?.allowance ?? 0), purchased: purchased + (late?.purchased ?? 0) };
};

/** What became of a paid period's allowance before: all that was issued for it, and what went when another took its place. */
export interface PastPeriod {
  /** Start of the newest period of the same subscription that was ever opened, as its cause has it; null for none. */
  newest: string | null;
  /** How often something was issued for it. */
  times: number;
  /** Issued when it was opened and raised; and whenever it came back. */
  given: number;
  comeBack: number;
  expired: number;
}

/** @param causes how those begin: of the subscription's allowances, of the period's, of its coming back, of its expiries */
export const findPastPeriod = async (
  ctx: Ctx,
  userId: UserId,
  causes: { subscription: string; period: string; again: string; expiry: string },
): Promise<PastPeriod> => {
  const { cause, kind } = creditTransfers;
  const begins = (prefix: string) => sql`starts_with(${cause}, ${prefix}::text)`;
  const isGiven = sql`${begins(causes.period)} and not ${begins(causes.again)}`;
  const felt = (which: SQL) => sql<number>`coalesce(sum(${creditLines.credits}) filter (where ${which}), 0)::int`;
  const [row] = await ctx.db
    .select({
      newest: sql<
        string | null
      >`max(substr(${cause}, ${causes.subscription.length + 1}, 24)) filter (where ${begins(causes.subscription)})`,
      times: sql<number>`(count(*) filter (where ${begins(causes.period)}))::int`,
      given: felt(isGiven),
      comeBack: felt(begins(causes.again)),
      expired: felt(begins(causes.expiry)),
    })
    .from(creditTransfers)
    .innerJoin(creditLines, and(eq(creditLines.transferId, creditTransfers.id), eq(creditLines.account, "allowance")))
    .where(and(eq(creditTransfers.userId, userId), inArray(kind, ["allowance", "expiry"])));
  if (!row) return { newest: null, times: 0, given: 0, comeBack: 0, expired: 0 };
  return { ...row, expired: 0 - row.expired };
};

/** How many movements of a user have a cause that begins so. */
export const countTransfers = async (ctx: Ctx, userId: UserId, prefix: string): Promise<number> => {
  const { cause } = creditTransfers;
  const [row] = await ctx.db
    .select({ times: count() })
    .from(creditTransfers)
    .where(and(eq(creditTransfers.userId, userId), sql`starts_with(${cause}, ${prefix}::text)`));
  return row?.times ?? 0;
};

/** A refund or chargeback that found less than it was to take, and was not reversed. */
export interface Unmet {
  number: number;
  cause: string;
  note: string;
  grantCause: string;
  demanded: number;
  isPlan: boolean;
}

/** Those of a user, oldest first. */
export const findUnmet = async (ctx: Ctx, userId: UserId): Promise<Unmet[]> => {
  const rows = await ctx.db.execute<Unmet & Record<string, unknown>>(sql`
    select t.number::float8 as number, t.cause, t.note, t.grant_cause as "grantCause", t.demanded,
      starts_with(t.grant_cause, 'allowance:') as "isPlan"
    from credit_transfers t where t.user_id = ${userId} and t.demanded is not null and not exists (
      select 1 from credit_transfers r where r.cause = ${restoreCause("")} || substr(t.cause, ${revokeCause("").length + 1}))
    order by t.number`);
  return [...rows];
};

/** A movement by which credits were given, or taken back of what was given. */
export interface Gift extends FeltTransfer {
  number: number;
  kind: string;
  cause: string;
}

/** Those of a user, oldest first. */
export const findGifts = (ctx: Ctx, userId: UserId): Promise<Gift[]> =>
  ctx.db
    .select({
      number: creditTransfers.number,
      kind: creditTransfers.kind,
      cause: creditTransfers.cause,
      grantCause: creditTransfers.grantCause,
      allowance: feltIn("allowance"),
      purchased: feltIn("purchased"),
    })
    .from(creditTransfers)
    .innerJoin(creditLines, eq(creditLines.transferId, creditTransfers.id))
    .where(and(eq(creditTransfers.userId, userId), inArray(creditTransfers.kind, ["allowance", ...LOT_KINDS])))
    .groupBy(creditTransfers.id)
    .orderBy(creditTransfers.number);

/** Purchased credits that were reserved before a movement and have not come back since. */
export const sumUsed = async (ctx: Ctx, userId: UserId, before: number): Promise<number> => {
  const [row] = await ctx.db.execute<{ used: number }>(sql`
    select coalesce(sum(r.from_purchased), 0)::int as used
    from credit_reservations r join credit_transfers t on t.cause = 'reserve:' || r.reference
    where r.user_id = ${userId} and r.outcome is distinct from 'release' and t.number < ${before}`);
  return row?.used ?? 0;
};

/** The allowance in some reservations, with the numbers of the movements that made them. */
export const findReserved = async (
  ctx: Ctx,
  reserved: readonly { reference: string; fromAllowance: number; period: string | null }[],
): Promise<{ number: number; period: string | null; credits: number }[]> => {
  const byCause = new Map(reserved.map((one) => [`reserve:${one.reference}`, one]));
  const rows = await ctx.db
    .select({ number: creditTransfers.number, cause: creditTransfers.cause })
    .from(creditTransfers)
    .where(inArray(creditTransfers.cause, [...byCause.keys()]))
    .orderBy(creditTransfers.number);
  return rows.map(({ number, cause }) => {
    const one = byCause.get(cause);
    return { number, period: one?.period ?? null, credits: one?.fromAllowance ?? 0 };
  });
};
