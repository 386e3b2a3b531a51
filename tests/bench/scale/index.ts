import { contextOf, type TestHarness } from "#tests/support/context.ts";
import type { Bench, BenchOptions, BenchResult } from "../harness/bench.ts";
import { inBenchHarness } from "../harness/harness.ts";
import { round } from "../harness/statistics.ts";
import {
  countLinkSteps,
  type Measured,
  measureDispatch,
  measureGroups,
  measureImages,
  measureLists,
  measureMetrics,
  measureSlots,
} from "./scenarios.ts";
import { insertPinsAndTasks, insertUsers, insertWaitingTasks } from "./seed.ts";
import { measureSizes } from "./sizes.ts";

const SIZES = {
  full: { users: 1_000, tasksEach: 40, rows: 300_000, calls: 30, images: 100_000, imagesBefore: 1_000, groups: 10_000 },
  small: { users: 50, tasksEach: 20, rows: 5_000, calls: 5, images: 2_000, imagesBefore: 200, groups: 500 },
} as const;

/** For one dispatch with 1,000 users. */
const TARGET_MS = 10;
const SLOTS = 10;

const measure = async (harness: TestHarness, { size, log }: BenchOptions): Promise<BenchResult> => {
  const { users, tasksEach, rows, calls, images, imagesBefore, groups } = SIZES[size];
  const job = contextOf(harness, { kind: "job", name: "bench" });
  const ctx = { ...job, settings: { ...job.settings, imageConcurrency: SLOTS } };
  log(`inserting ${users} users, ${users * tasksEach} waiting tasks, ${rows} pins and tasks`);
  await insertUsers(ctx, users);
  await insertWaitingTasks(ctx, users, tasksEach);
  await insertPinsAndTasks(ctx, users, rows);
  log("dispatching");
  const dispatched = await measureDispatch(ctx, users, calls);
  const all: Measured[] = [...dispatched];
  log("deleting images");
  all.push(...(await measureImages(ctx, { images, imagesBefore })));
  log("deleting groups");
  all.push(...(await measureGroups(ctx, users, groups)));
  log("reading lists of ids");
  all.push(...(await measureLists(ctx, rows, calls)));
  log("storing metrics");
  all.push(...(await measureMetrics(harness, calls)), ...countLinkSteps(300), ...countLinkSteps(900));
  log("asking for image slots");
  for (const slots of [20, 500]) all.push(...(await measureSlots(ctx, slots, 4 * calls)));
  log("measuring rows");
  const sizes = await measureSizes(ctx, size === "full" ? 20_000 : 1_000);
  const dispatchMs = dispatched[0]?.now ?? Number.NaN;
  return {
    verdict: dispatchMs <= TARGET_MS ? "met" : "missed",
    reason: `${round(dispatchMs)} ms to dispatch after an image with ${users} working users (target ${TARGET_MS})`,
    table: [
      ["", "unit", "before", "now"],
      ...all.map(({ what, unit, before, now }) => [what, unit, before === null ? "" : round(before), round(now)]),
      ...sizes.map(({ table, heapBytes, indexBytes }) => [
        `a row of ${table}`,
        "bytes, with indexes",
        heapBytes,
        heapBytes + indexBytes,
      ]),
    ],
    metrics: { measured: all, sizes },
  };
};

/** The statements of the version before are kept in `before.ts` and run in the same database. */
export const scaleBench: Bench = {
  name: "scale",
  what: `work that grows with users and pins, before and after 2026-11-25; target: a dispatch within ${TARGET_MS} ms`,
  run: (options) => inBenchHarness("scale", (harness) => measure(harness, options)),
};
