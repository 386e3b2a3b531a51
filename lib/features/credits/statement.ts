import "server-only";
import { type SQL, sql } from "drizzle-orm";
import type { creditTransfers } from "#db/schema/credits.ts";
import type { Ctx } from "#lib/context.ts";
import { AppError, requireUserId } from "#lib/core/errors.ts";
import { isId } from "#lib/core/ids.ts";
import { nextLink } from "#lib/core/paging.ts";
import { toIso } from "#lib/core/time.ts";
import { ensureAllowance } from "./allowance.ts";
import { HISTORY_CALL, HISTORY_TEXTS } from "./constants.ts";
import { availableOf, describeEntry, isAllowanceTaken, type ReservedFor } from "./policy.ts";
import type { BalanceView } from "./queries.ts";
import type { CreditsWire, HistoryInput, HistoryWire } from "./schema.ts";

/** Includes the current allowance. @throws AppError `unauthenticated` */
export const readBalance = async (ctx: Ctx): Promise<BalanceView> => {
  const userId = requireUserId(ctx);
  const balance = await ensureAllowance(ctx, { userId });
  const { allowance, purchased, held } = balance;
  const isTaken = isAllowanceTaken(balance);
  return { availableCredits: availableOf(balance), allowance, purchased, held, isAllowanceTaken: isTaken };
};

export interface StatementEntry {
  id: string;
  createdAt: Date;
  kind: Exclude<(typeof creditTransfers.$inferSelect)["kind"], "spend">;
  note: string;
  reference: string | null;
  /** Null while it is open. */
  outcome: "spend" | "release" | null;
  credits: number;
  balanceAfter: number;
}

interface Statement {
  entries: StatementEntry[];
  nextCursor: string | null;
}

type Row = Omit<StatementEntry, "createdAt" | "balanceAfter"> & { at_ms: number; balance_after: number };

const spendableSum = (transferId: SQL) =>
  sql`(select coalesce(sum(l.credits), 0) from credit_lines l
    where l.transfer_id = ${transferId} and l.account in ('allowance', 'purchased'))`;

/** One query, so that balance and entries match. Spending is no entry: the reservation already lowered the balance. */
const statementOf = (userId: string, { cursor, limit }: HistoryInput): SQL => sql`
  with page as (
    select t.number, t.id, t.kind, t.note, t.cause, t.created_at, ${spendableSum(sql`t.id`)}::int as credits
    from credit_transfers t
    where t.user_id = ${userId} and t.kind <> 'spend' ${
      cursor === undefined
        ? sql``
        : sql`and t.number < (select c.number from credit_transfers c where c.id = ${cursor} and c.user_id = ${userId})`
    }
    order by t.number desc ${limit === undefined ? sql`` : sql`limit ${limit + 1}`}),
  newest as (select max(number) as number from page),
  start as (
    select b.allowance + b.purchased - (
      select coalesce(sum(${spendableSum(sql`t.id`)}), 0) from credit_transfers t
      where t.user_id = ${userId} and t.number > (select number from newest))::int as balance
    from credit_balances b where b.user_id = ${userId})
  select p.id, p.kind, p.note, p.credits, r.reference, r.outcome,
    floor(extract(epoch from p.created_at) * 1000)::float8 as at_ms,
    ((select balance from start) - coalesce(sum(p.credits) over (
      order by p.number desc rows between unbounded preceding and 1 preceding), 0))::int as balance_after
  from page p
  left join credit_reservations r on r.reference = case p.kind
    when 'reserve' then substr(p.cause, length('reserve:') + 1)
    when 'release' then substr(p.cause, length('settle:') + 1) end
  order by p.number desc`;

const requireOwnCursor = async (ctx: Ctx, userId: string, cursor: string | undefined): Promise<void> => {
  if (cursor === undefined) return;
  const [found] = isId("transfer", cursor)
    ? await ctx.db.execute(sql`select 1 from credit_transfers where id = ${cursor} and user_id = ${userId}`)
    : [];
  if (!found) throw new AppError("invalid", { text: HISTORY_TEXTS.foreignCursor });
};

/** @throws AppError `unauthenticated`; `invalid` for a foreign cursor */
export const readStatement = async (ctx: Ctx, input: HistoryInput): Promise<Statement> => {
  const userId = requireUserId(ctx);
  await requireOwnCursor(ctx, userId, input.cursor);
  await ensureAllowance(ctx, { userId });
  const rows = await ctx.db.execute<Row & Record<string, unknown>>(statementOf(userId, input));
  const page = input.limit === undefined ? [...rows] : rows.slice(0, input.limit);
  const entries = page.map(({ at_ms, balance_after, id, kind, note, reference, outcome, credits }) => {
    return { id, kind, note, reference, outcome, credits, createdAt: new Date(at_ms), balanceAfter: balance_after };
  });
  return { entries, nextCursor: rows.length > page.length ? (entries.at(-1)?.id ?? null) : null };
};

export const toCreditsWire = (balance: BalanceView): CreditsWire => ({ available_credits: balance.availableCredits });

interface HistoryPage {
  entries: readonly (StatementEntry & { pin: ReservedFor | null })[];
  nextCursor: string | null;
}

export const toHistoryWire = ({ entries }: HistoryPage): HistoryWire => ({
  entries: entries.map((entry) => ({
    id: entry.id,
    created_at: toIso(entry.createdAt),
    ...describeEntry(entry),
    credits: entry.credits,
    balance_after: entry.balanceAfter,
  })),
});

export const toHistoryLink = (page: HistoryPage, request: Request): Record<string, string> =>
  nextLink(page.nextCursor, request);

export const toHistoryPath = ({ nextCursor }: HistoryPage, limit: number): string | null =>
  nextCursor === null ? null : `${HISTORY_CALL}?${new URLSearchParams({ limit: String(limit), cursor: nextCursor })}`;
