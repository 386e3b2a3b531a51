import { sql } from "drizzle-orm";
import type { FullCtx } from "#lib/context.ts";
import { applyEvents } from "#lib/features/billing/events.ts";
import { receiveEvent } from "#lib/features/billing/webhooks.ts";
import { checkLedger } from "#lib/features/credits/ledger-check.ts";
import { contextOf, PADDLE_TEST_SECRET, type TestHarness } from "#tests/support/context.ts";
import { signed } from "#tests/support/payments.ts";
import { createRandom, type Random } from "#tests/support/random.ts";
import type { Bench, BenchOptions, BenchResult, Verdict } from "../harness/bench.ts";
import { inBenchHarness } from "../harness/harness.ts";
import { interleave, isTooNoisy, type Sample, timesOf } from "../harness/interleave.ts";
import { median, percentile, ratioOf, round } from "../harness/statistics.ts";
import { BUYERS, makeWebhooks, PACK_CREDITS } from "./webhooks.ts";

/** Number of webhooks, a quarter of them repeated, and of concurrent requests. */
const SIZES = { full: { webhooks: 10_000, rounds: 5 }, small: { webhooks: 400, rounds: 2 } } as const;
const AT_ONCE = 8;
/** The provider waits five seconds for the response. */
const TARGET_MS = 100;

const sample = async <T>(items: readonly T[], act: (item: T) => Promise<void>): Promise<Sample> => {
  const timesMs: number[] = [];
  let next = 0;
  const work = async () => {
    for (let nth = next++; nth < items.length; nth = next++) {
      const begunMs = performance.now();
      await act(items[nth] as T);
      timesMs.push(performance.now() - begunMs);
    }
  };
  const cpu = process.cpuUsage();
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  const { user, system } = process.cpuUsage(cpu);
  return { cpuMs: (user + system) / 1_000, timesMs };
};

/** Splits a list into equal parts, one for each run of a contender. */
const inParts = <T>(items: readonly T[], parts: number) => {
  const size = Math.ceil(items.length / parts);
  let part = -1;
  return (): readonly T[] => {
    part += 1;
    return items.slice(part * size, (part + 1) * size);
  };
};

/** Problems: credits missing or granted twice, or events not applied. */
const findFaults = async (ctx: FullCtx, sales: number): Promise<string[]> => {
  const { faults } = await checkLedger(ctx);
  const [row] = await ctx.db.execute<{ purchased: number; open: number }>(
    sql`select (select coalesce(sum(purchased), 0)::int from credit_balances) as purchased,
      (select count(*)::int from payment_events where applied_at is null) as open`,
  );
  const expected = sales * PACK_CREDITS;
  if (row?.purchased !== expected) faults.push(`${row?.purchased} credits were granted instead of ${expected}`);
  if (row?.open !== 0) faults.push(`${row?.open} events were not applied`);
  return faults;
};

const applyAll = async (ctx: FullCtx): Promise<{ events: number; tookMs: number }> => {
  const begunMs = performance.now();
  let events = 0;
  for (let left = "more"; left === "more"; ) {
    const done = await applyEvents(ctx, { eventId: null });
    events += done.applied;
    left = done.left;
  }
  return { events, tookMs: performance.now() - begunMs };
};

const toRow = (buyer: string, samples: readonly Sample[]): (string | number)[] => {
  const times = timesOf(samples);
  const cpuMs = samples.reduce((sum, item) => sum + item.cpuMs, 0) / times.length;
  return [buyer, round(median(times), 2), round(percentile(times, 99), 2), round(cpuMs, 2)];
};

const measure = async (harness: TestHarness, random: Random, { size, log }: BenchOptions): Promise<BenchResult> => {
  const { webhooks: number, rounds: count } = SIZES[size];
  const ctx = contextOf(harness, { kind: "webhook", source: "paddle" });
  log(`making ${number} webhooks of ${BUYERS} buyers`);
  const { bodies, sales } = await makeWebhooks(harness, random, number);
  await ctx.db.execute(sql`create table bare (id bigint generated always as identity primary key, body text not null)`);
  const part = inParts(bodies, count * 2);
  const bare = inParts(bodies, count);
  const text = new TextDecoder();
  const rounds = await interleave(
    {
      ours: () =>
        sample(part(), async (body) => {
          await receiveEvent(ctx, { body, signature: signed(body, PADDLE_TEST_SECRET) });
        }),
      reference: () =>
        sample(bare(), async (body) => {
          await ctx.db.execute(sql`insert into bare (body) values (${text.decode(body)})`);
        }),
    },
    { rounds: count, budgetMs: Number.POSITIVE_INFINITY },
  );
  log("applying the stored events");
  const applied = await applyAll(ctx);
  const faults = await findFaults(ctx, sales);
  const ours = [...rounds.ours, ...rounds.again];
  const p50Of = ({ timesMs }: Sample): number => median(timesMs);
  const ratio = ratioOf(rounds.ours.map(p50Of), rounds.reference.map(p50Of));
  const p99 = percentile(timesOf(ours), 99);
  const perSecond = Math.round((applied.events * 1_000) / applied.tookMs);
  const table = [
    ["contender", "p50 ms", "p99 ms", "CPU ms"],
    toRow("receiving a webhook", ours),
    toRow("one bare insert", rounds.reference),
  ];
  const metrics = { webhooks: number, sales, events: applied.events, perSecond, p99, ratio };
  if (faults.length > 0) return { verdict: "wrong", reason: faults.join("; "), table, metrics };
  const verdict: Verdict = isTooNoisy(rounds, p50Of) ? "inconclusive" : p99 <= TARGET_MS ? "met" : "missed";
  const reason = `${number} webhooks, ${sales} sales, each credited once; ${round(ratio.median, 2)} × one insert; ${perSecond} events applied per second`;
  return { verdict, reason, table, metrics };
};

/**
 * Webhooks in random order with repetitions, received by the use case and then applied, alternating with bare inserts.
 */
export const webhooksBench: Bench = {
  name: "webhooks",
  what: `receiving 10,000 shuffled, repeated webhooks vs. a bare insert; target: p99 under ${TARGET_MS} ms, each sale credited once`,
  run: (options) => inBenchHarness("webhooks", (harness) => measure(harness, createRandom(options.seed), options)),
};
