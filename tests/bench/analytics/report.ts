import { sql } from "drizzle-orm";
import { users } from "#db/schema/identity.ts";
import type { FullCtx } from "#lib/context.ts";
import type { Dimension } from "#lib/features/analytics/constants.ts";
import { recentSpan } from "#lib/features/analytics/policy.ts";
import { readReport } from "#lib/features/analytics/report.ts";
import { reportInput } from "#lib/features/analytics/schema.ts";
import { toReportWire } from "#lib/features/analytics/serializers.ts";
import { type SeededPin, seedAccount, seedPins } from "#tests/support/analytics-seed.ts";
import { contextOf, type TestHarness } from "#tests/support/context.ts";
import { insertLedgerUser } from "#tests/support/ledger-user.ts";
import { createRandom } from "#tests/support/random.ts";

const KEYWORDS = 400;
const BOARDS = 40;
const LINKS = 5_000;
const CAMPAIGNS = 7;
const HOUR_MS = 3_600_000;
const HOURS_OUT = 24 * 365;

/** An account whose published pins all have metrics. */
export interface SeededAccount {
  ctx: FullCtx;
  accountId: string;
}

/** Seeds a user in a time zone with daylight saving time, with published pins that have 88 final days each. */
export const seedReportAccount = async (harness: TestHarness, size: number, seed: number): Promise<SeededAccount> => {
  const job = contextOf(harness, { kind: "job", name: "bench" });
  const { userId } = await insertLedgerUser(job);
  await job.db.update(users).set({ timeZone: "America/New_York" }).where(sql`id = ${userId}`);
  const ctx = contextOf(harness, { kind: "user", userId, loginId: job.newId("login"), address: "127.0.0.1" });
  const accountId = await seedAccount(ctx);
  const random = createRandom(seed);
  const pins = Array.from({ length: size }, (): SeededPin => {
    const [impressions, link, campaign] = [random.below(200), random.below(LINKS), random.below(CAMPAIGNS)];
    return {
      row: {
        keyword: `Keyword ${random.below(KEYWORDS)}`,
        boardId: String(random.below(BOARDS)),
        source: random.below(3) === 0 ? "manual" : "ai",
        link: `https://example.com/articles/${link}?utm_source=pinterest&utm_campaign=${campaign}`,
        description: "Words about a pin. ".repeat(12),
        publishedAt: new Date(ctx.now().getTime() - random.below(HOURS_OUT) * HOUR_MS),
      },
      daily: { impressions, pinClicks: impressions >> 5, outboundClicks: impressions >> 6, saves: 1 },
    };
  });
  await seedPins(ctx, accountId, pins);
  return { ctx, accountId };
};

/** Copies the pins and metrics to another user, whose data a report must not read. */
export const copyToOtherAccount = async (harness: TestHarness, { accountId }: SeededAccount): Promise<void> => {
  const job = contextOf(harness, { kind: "job", name: "bench" });
  const { userId } = await insertLedgerUser(job);
  const other = await seedAccount(
    contextOf(harness, { kind: "user", userId, loginId: job.newId("login"), address: "127.0.0.1" }),
  );
  const theirs = sql`jsonb_build_object('user_id', ${userId}::text, 'account_id', ${other}::text)`;
  await job.db.execute(sql`insert into pins select copied.* from pins p cross join lateral
    jsonb_populate_record(p, ${theirs} || jsonb_build_object('id', p.id || 'c', 'pinterest_pin_id', p.id || 'c')) as copied
    where p.account_id = ${accountId}`);
  await job.db.execute(sql`insert into pin_metrics select copied.* from pin_metrics f cross join lateral
    jsonb_populate_record(f, ${theirs} || jsonb_build_object('pin_id', f.pin_id || 'c')) as copied
    where f.account_id = ${accountId}`);
};

/** Number of groups, and their totals. */
export type Found = string;

const span = ({ ctx }: SeededAccount) => recentSpan(ctx.now(), 30);

/** The report as users get it, including its JSON. */
export const ours = async (seeded: SeededAccount, by: Dimension): Promise<Found> => {
  const { firstDay, lastDay } = span(seeded);
  const days = { start_date: firstDay, end_date: lastDay };
  const report = await readReport(seeded.ctx, reportInput.parse({ accountId: seeded.accountId, by, ...days }));
  const wire = toReportWire(report, seeded.ctx);
  if (JSON.stringify(wire).length === 0) throw new Error("There is a report.");
  return [wire.rows.length + wire.more, wire.totals.impressions, wire.totals.outbound_clicks].join();
};

const KEYS: Partial<Record<Dimension, ReturnType<typeof sql>>> = {
  keyword: sql`lower(trim(p.keyword))`,
  board: sql`p.board_id`,
  hour: sql`extract(hour from p.published_at at time zone 'America/New_York')`,
  link: sql`regexp_replace(p.link, '[?].*$', '')`,
};

export const MEASURED = ["keyword", "board", "hour", "link"] as const satisfies readonly Dimension[];

/** The same sums by a bare query, without ranking, intervals, progress, checks or formatting. */
export const bare = async (seeded: SeededAccount, by: Dimension): Promise<Found> => {
  const { firstDay, lastDay } = span(seeded);
  const sum = (list: string) => {
    const totals = sql.raw(`f.${list}`);
    return sql`sum(${totals}[least(${lastDay}::date - f.first_day + 1, cardinality(${totals}))]
      - coalesce(${totals}[${firstDay}::date - f.first_day], 0))::float8`;
  };
  const rows = await seeded.ctx.db.execute<{ impressions: number; outbound: number }>(sql`
    select ${KEYS[by]} as key, count(*) as pins, ${sum("impressions")} as impressions, ${sum("pin_clicks")} as clicks,
      ${sum("outbound_clicks")} as outbound, ${sum("saves")} as saves
    from pins p join pin_metrics f on f.pin_id = p.id
    where p.account_id = ${seeded.accountId} and p.status = 'published' group by 1`);
  const all = [...rows];
  const total = (of: "impressions" | "outbound") => all.reduce((so, row) => so + row[of], 0);
  return [all.length, total("impressions"), total("outbound")].join();
};
