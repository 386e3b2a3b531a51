import "server-only";
import { type SQL, sql } from "drizzle-orm";
import type { Ctx } from "#lib/context.ts";

interface LedgerReport {
  faults: string[];
  transfers: number;
  /** Anything but zero is a fault. */
  sumCredits: number;
}

interface Check {
  label: string;
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
    query: sql`select user_id as subject from credit_balances where least(allowance, purchased, held, granted) < 0`,
  },
  {
    label: "A movement has no cause",
    query: sql`select id as subject from credit_transfers where cause = ''`,
  },
  {
    label: "A reservation differs from the movement that made it",
    query: sql`with made as (
        select substr(t.cause, length('reserve:') + 1) as reference, t.user_id,
          coalesce(-sum(l.credits) filter (where l.account = 'allowance'), 0) as from_allowance,
          coalesce(-sum(l.credits) filter (where l.account = 'purchased'), 0) as from_purchased
        from credit_transfers t join credit_lines l on l.transfer_id = t.id where t.kind = 'reserve' group by t.id)
      select coalesce(r.reference, m.reference) as subject
      from credit_reservations r full join made m on m.reference = r.reference
      where (r.user_id, r.from_allowance, r.from_purchased) is distinct from (m.user_id, m.from_allowance, m.from_purchased)`,
  },
  {
    label: "A reservation's outcome differs from its settlement",
    query: sql`with settled as (
        select substr(cause, length('settle:') + 1) as reference, kind from credit_transfers
        where kind in ('spend', 'release'))
      select coalesce(r.reference, s.reference) as subject
      from (select reference, outcome from credit_reservations where settled_at is not null) r
      full join settled s on s.reference = r.reference where r.outcome is distinct from s.kind`,
  },
  {
    label: "A revocation has no grant",
    query: sql`select t.id as subject from credit_transfers t
      left join credit_transfers g on g.cause = t.grant_cause and g.user_id = t.user_id
      where t.kind in ('revoke', 'restore') and g.id is null`,
  },
  {
    label: "A purchase lost more than its credits, or got back more than it lost",
    query: sql`with taken as (
        select t.grant_cause, sum(l.credits) as credits from credit_transfers t
        join credit_lines l on l.transfer_id = t.id and l.account = 'purchased'
        where t.kind in ('revoke', 'restore') group by t.grant_cause),
      given as (
        select t.cause, l.credits from credit_transfers t
        join credit_lines l on l.transfer_id = t.id and l.account = 'purchased' where t.kind in ('purchase', 'grant'))
      select taken.grant_cause as subject from taken join given on given.cause = taken.grant_cause
      where taken.credits > 0 or given.credits + taken.credits < 0`,
  },
];

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
