import { setTimeout as delay } from "node:timers/promises";
import { sql } from "drizzle-orm";
import { Logger, makeWorkerUtils, run } from "graphile-worker";
import { openDatabase } from "#db/client.ts";
import { createDatabase, dropDatabase } from "#scripts/postgres.ts";
import { allOffsetsMs, type Lateness, type Scenario } from "./scenario.ts";

/** From the last insert to the first due time. */
const LEAD_MS = 3_000;
const CLAIM_MAX = 100;
const CHECK_MS = 5;
const WITHIN_MS = 5 * 60_000;

const inDatabase = async (serverUrl: string, name: string, work: (url: string) => Promise<Lateness>) => {
  const url = await createDatabase(serverUrl, name);
  try {
    return await work(url);
  } finally {
    await dropDatabase(serverUrl, name);
  }
};

const toLateness = (scenario: Scenario, begunAt: Map<number, number[]>, startMs: number): Lateness => {
  const offsetsMs = allOffsetsMs(scenario);
  const lateMs = [...begunAt].flatMap(([n, times]) => times.map((at) => at - startMs - (offsetsMs[n] ?? 0)));
  const twice = [...begunAt.values()].filter((times) => times.length > 1).length;
  return { lateMs, missing: scenario.offsetsMs.length - begunAt.size, twice };
};

const note = (begunAt: Map<number, number[]>, n: number): void => {
  begunAt.set(n, [...(begunAt.get(n) ?? []), Date.now()]);
};

const untilAll = async (begunAt: Map<number, number[]>, count: number): Promise<void> => {
  const deadline = Date.now() + WITHIN_MS;
  while (begunAt.size < count && Date.now() < deadline) await delay(20);
};

/** Baseline: one table and a loop that takes due rows, a hundred at a time, and does nothing with them. */
export const drainTable = (serverUrl: string, scenario: Scenario): Promise<Lateness> =>
  inDatabase(serverUrl, `bench_loop_${process.pid}`, async (url) => {
    const { db, close } = openDatabase(url, 2);
    const begunAt = new Map<number, number[]>();
    await db.execute(sql`create table job (n int primary key, due_at timestamptz, done boolean default false)`);
    const startMs = Date.now() + LEAD_MS;
    await db.execute(sql`insert into job (n, due_at)
      select ordinality - 1, to_timestamp(ms::float8 / 1000)
      from json_array_elements_text(${JSON.stringify(allOffsetsMs(scenario).map((ms) => startMs + ms))}::json)
      with ordinality as due(ms, ordinality)`);
    await db.execute(sql`create index on job (due_at) where not done`);
    const deadline = Date.now() + WITHIN_MS;
    while (begunAt.size < scenario.offsetsMs.length && Date.now() < deadline) {
      const rows = await db.execute<{ n: number }>(sql`update job set done = true where n in (
        select n from job where not done and due_at <= now() order by due_at limit ${CLAIM_MAX} for update skip locked
      ) returning n`);
      for (const { n } of rows) note(begunAt, n);
      if (rows.length < CLAIM_MAX) await delay(CHECK_MS);
    }
    await close();
    return toLateness(scenario, begunAt, startMs);
  });

/** graphile-worker with default settings: polls every two seconds and runs one job at a time. */
export const runGraphile = (serverUrl: string, scenario: Scenario): Promise<Lateness> =>
  inDatabase(serverUrl, `bench_graphile_${process.pid}`, async (url) => {
    const begunAt = new Map<number, number[]>();
    const logger = new Logger(() => () => {});
    const utils = await makeWorkerUtils({ connectionString: url, logger });
    await utils.migrate();
    const startMs = Date.now() + LEAD_MS + scenario.offsetsMs.length + scenario.waiting;
    await utils.addJobs(
      allOffsetsMs(scenario).map((ms, n) => ({ identifier: "begin", payload: { n }, runAt: new Date(startMs + ms) })),
    );
    const begin = async (payload: unknown) => note(begunAt, Number(Object(payload).n));
    try {
      const runner = await run({ connectionString: url, logger, noHandleSignals: true, taskList: { begin } });
      await untilAll(begunAt, scenario.offsetsMs.length).finally(() => runner.stop());
    } finally {
      await utils.release();
    }
    return toLateness(scenario, begunAt, startMs);
  });
