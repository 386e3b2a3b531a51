import { sql } from "drizzle-orm";
import { users } from "#db/schema/identity.ts";
import type { FullCtx } from "#lib/context.ts";
import type { Dimension } from "#lib/features/analytics/constants.ts";
import { spanUpTo } from "#lib/features/analytics/policy.ts";
import { readReport } from "#lib/features/analytics/report.ts";
import { reportInput } from "#lib/features/analytics/schema.ts";
import { toReportWire } from "#lib/features/analytics/serializers.ts";
import { contextOf, type TestHouse } from "#tests/support/context.ts";
import { insertPlayer } from "#tests/support/ledger-player.ts";
import { createRandom } from "#tests/support/random.ts";
import { type SeededPin, seedAccount, seedPins } from "#tests/support/results-seed.ts";

const KEYWORDS = 400;
const BOARDS = 40;
const LINKS = 5_000;
const CAMPAIGNS = 7;
const HOUR_MS = 3_600_000;
const HOURS_OUT = 24 * 365;

/** An account whose published pins all have figures. */
export interface Shelf {
  ctx: FullCtx;
  accountId: string;
}

/** A user in a zone with summer time, and so many published pins of theirs with 88 final days each. */
export const fillShelf = async (house: TestHouse, size: number, seed: number): Promise<Shelf> => {
  const job = contextOf(house, { kind: "job", name: "bench" });
  const { userId } = await insertPlayer(job);
  await job.db.update(users).set({ timeZone: "America/New_York" }).where(sql`id = ${userId}`);
  const ctx = contextOf(house, { kind: "user", userId, loginId: job.newId("login"), address: "127.0.0.1" });
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

/** The same pins and figures once more, as somebody else's: what a report must not read. */
export const copyShelf = async (house: TestHouse, { accountId }: Shelf): Promise<void> => {
  const job = contextOf(house, { kind: "job", name: "bench" });
  const { userId } = await insertPlayer(job);
  const other = await seedAccount(
    contextOf(house, { kind: "user", userId, loginId: job.newId("login"), address: "127.0.0.1" }),
  );
  const theirs = sql`jsonb_build_object('user_id', ${userId}::text, 'account_id', ${other}::text)`;
  await job.db.execute(sql`insert into pins select copied.* from pins p cross join lateral
    jsonb_populate_record(p, ${theirs} || jsonb_build_object('id', p.id || 'c', 'pinterest_pin_id', p.id || 'c')) as copied
    where p.account_id = ${accountId}`);
  await job.db.execute(sql`insert into pin_figures select copied.* from pin_figures f cross join lateral
    jsonb_populate_record(f, ${theirs} || jsonb_build_object('pin_id', f.pin_id || 'c')) as copied
    where f.account_id = ${accountId}`);
};

/** What a report comes to: how many groups it has, and what all of them did. */
export type Found = string;

const span = ({ ctx }: Shelf) => spanUpTo(ctx.now(), 30);

/** The report as a reader gets it: through the product's verb, ranked, and as text. */
export const ours = async (shelf: Shelf, by: Dimension): Promise<Found> => {
  const { firstDay, lastDay } = span(shelf);
  const days = { start_date: firstDay, end_date: lastDay };
  const report = await readReport(shelf.ctx, reportInput.parse({ accountId: shelf.accountId, by, ...days }));
  const wire = toReportWire(report, shelf.ctx);
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

/** The same sums by a bare query, without ranking, intervals, progress, checks or shape. */
export const bare = async (shelf: Shelf, by: Dimension): Promise<Found> => {
  const { firstDay, lastDay } = span(shelf);
  const sum = (list: string) => {
    const totals = sql.raw(`f.${list}`);
    return sql`sum(${totals}[least(${lastDay}::date - f.first_day + 1, cardinality(${totals}))]
      - coalesce(${totals}[${firstDay}::date - f.first_day], 0))::float8`;
  };
  const rows = await shelf.ctx.db.execute<{ impressions: number; outbound: number }>(sql`
    select ${KEYS[by]} as key, count(*) as pins, ${sum("impressions")} as impressions, ${sum("pin_clicks")} as clicks,
      ${sum("outbound_clicks")} as outbound, ${sum("saves")} as saves
    from pins p join pin_figures f on f.pin_id = p.id
    where p.account_id = ${shelf.accountId} and p.status = 'published' group by 1`);
  const all = [...rows];
  const total = (of: "impressions" | "outbound") => all.reduce((so, row) => so + row[of], 0);
  return [all.length, total("impressions"), total("outbound")].join();
};
