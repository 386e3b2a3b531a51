import "server-only";
import { type SQL, sql } from "drizzle-orm";
import type { Ctx } from "#lib/context.ts";

export interface LedgerReport {
  /** One sentence per fault; empty when the ledger is sound. */
  faults: string[];
  transfers: number;
  /** Sum of all lines; anything but zero is a fault. */
  sumCredits: number;
}

interface Check {
  label: string;
  /** Yields one row `subject` per fault. */
  query: SQL;
}

const CHECKS: readonly Check[] = [
  {
    label: "The lines of a transfer do not sum to zero",
    query: sql`select transfer_id as subject from credit_lines group by transfer_id having sum(credits) <> 0`,
  },
  {
    label: "A transfer has no lines",
    query: sql`select t.id as subject from credit_transfers t
      where not exists (select 1 from credit_lines l where l.transfer_id = t.id)`,
  },
  {
    label: "A balance differs from its lines",
    query: sql`with sums as (
        select t.user_id,
          coalesce(sum(l.credits) filter (where l.account = 'allowance'), 0) as allowance,
          coalesce(sum(l.credits) filter (where l.account = 'purchased'), 0) as purchased,
          coalesce(sum(l.credits) filter (where l.account = 'held'), 0) as held
        from credit_transfers t join credit_lines l on l.transfer_id = t.id group by t.user_id)
      select coalesce(b.user_id, s.user_id) as subject
      from credit_balances b full join sums s on s.user_id = b.user_id
      where (coalesce(b.allowance, 0), coalesce(b.purchased, 0), coalesce(b.held, 0))
        <> (coalesce(s.allowance, 0), coalesce(s.purchased, 0), coalesce(s.held, 0))`,
  },
  {
    label: "Held credits differ from the open reservations",
    query: sql`select b.user_id as subject from credit_balances b
      where b.held <> (select coalesce(sum(r.from_allowance + r.from_purchased), 0) from credit_reservations r
        where r.user_id = b.user_id and r.settled_at is null)`,
  },
  {
    label: "A balance is negative",
    query: sql`select user_id as subject from credit_balances where least(allowance, purchased, held) < 0`,
  },
];

/** Checks the whole ledger against itself (R-SRV-01); for tests and operators. Reads everything, changes nothing. */
export const checkLedger = async (ctx: Ctx): Promise<LedgerReport> => {
  const faults: string[] = [];
  for (const { label, query } of CHECKS) {
    const rows = await ctx.db.execute<{ subject: string }>(query);
    faults.push(...rows.map(({ subject }) => `${label}: ${subject}`));
  }
  const [totals] = await ctx.db.execute<{ transfers: number; sum: number }>(
    sql`select (select count(*)::int from credit_transfers) as transfers,
      (select coalesce(sum(credits), 0)::int from credit_lines) as sum`,
  );
  return { faults, transfers: totals?.transfers ?? 0, sumCredits: totals?.sum ?? 0 };
};
