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
import { availableOf, describeEntry, type ReservedFor } from "./policy.ts";
import type { BalanceView } from "./queries.ts";
import type { CreditsWire, HistoryInput, HistoryWire } from "./schema.ts";

/**
 * The signed-in user's credits, with the present period's allowance in them (R-CRED-01, R-API-04).
 * @throws AppError `unauthenticated`
 */
export const readBalance = async (ctx: Ctx): Promise<BalanceView> => {
  const userId = requireUserId(ctx);
  const balance = await ensureAllowance(ctx, { userId });
  const { allowance, purchased, held } = balance;
  return { availableCredits: availableOf(balance), allowance, purchased, held };
};

/** A movement that its user felt: what it did to the available credits. */
export interface StatementEntry {
  id: string;
  createdAt: Date;
  kind: Exclude<(typeof creditTransfers.$inferSelect)["kind"], "spend">;
  note: string;
  /** What the credits of a reservation are, or were, held for. */
  reference: string | null;
  /** Of a reservation: how it ended; null while it is open. */
  outcome: "spend" | "release" | null;
  /** Signed. */
  credits: number;
  balanceAfter: number;
}

/** Entries, newest first, and where the next page begins. */
interface Statement {
  entries: StatementEntry[];
  nextCursor: string | null;
}

type Row = Omit<StatementEntry, "createdAt" | "balanceAfter"> & { at_ms: number; balance_after: number };

const felt = (transferId: SQL) =>
  sql`(select coalesce(sum(l.credits), 0) from credit_lines l
    where l.transfer_id = ${transferId} and l.account in ('allowance', 'purchased'))`;

/**
 * One statement, so that balance and entries are of one moment. Spending is no entry: the credits left the balance when
 * they were reserved, and that entry knows how it ended. What is newer than the page is added up, not what is older.
 */
const statementOf = (userId: string, { cursor, limit }: HistoryInput): SQL => sql`
  with page as (
    select t.number, t.id, t.kind, t.note, t.cause, t.created_at, ${felt(sql`t.id`)}::int as credits
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
      select coalesce(sum(${felt(sql`t.id`)}), 0) from credit_transfers t
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

/**
 * What happened to the actor's available credits, newest first, with the balance after each (DESIGN §6).
 * @throws AppError `unauthenticated`; `invalid` for a cursor that is not of this list.
 */
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

/** R-ENT-03, R-CRED-01 */
export const toCreditsWire = (balance: BalanceView): CreditsWire => ({ available_credits: balance.availableCredits });

/** A page of the history; `pin`: what a reservation was for, where that is still known. */
interface HistoryPage {
  entries: readonly (StatementEntry & { pin: ReservedFor | null })[];
  nextCursor: string | null;
}

/** The statement in words. */
export const toHistoryWire = ({ entries }: HistoryPage): HistoryWire => ({
  entries: entries.map((entry) => ({
    id: entry.id,
    created_at: toIso(entry.createdAt),
    ...describeEntry(entry),
    credits: entry.credits,
    balance_after: entry.balanceAfter,
  })),
});

/** The `Link` header that leads to older entries, if there are any (DESIGN §7). */
export const toHistoryLink = (page: HistoryPage, request: Request): Record<string, string> =>
  nextLink(page.nextCursor, request);

/** The call that answers the older entries; null when there are none. */
export const toHistoryPath = ({ nextCursor }: HistoryPage, limit: number): string | null =>
  nextCursor === null ? null : `${HISTORY_CALL}?${new URLSearchParams({ limit: String(limit), cursor: nextCursor })}`;
