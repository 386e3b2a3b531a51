import { expect, test } from "vitest";
import { DAY_MS, MINUTE_MS } from "#lib/core/time.ts";
import { SILENT_AFTER_MS } from "#lib/features/generation/constants.ts";
import { sweepTasks } from "#lib/features/generation/task-recovery.ts";
import type { ChildName } from "#tests/support/app.ts";
import { until } from "#tests/support/poll.ts";
import { insertCreators } from "./support/creators.ts";
import {
  countProgress,
  countResends,
  expectGeneratedOnce,
  type GenerationOrder,
  requestPins,
} from "./support/generation.ts";
import { memoryOf } from "./support/memory.ts";
import { productForFile, untilRunsEnded } from "./support/product.ts";

const product = productForFile();

const CREATORS = 5;
const PINS_EACH = 8;
const PINS_TOTAL = CREATORS * PINS_EACH;
const LIMIT_MB = 500;

/** Moves from the end of a month to the second day of the next, so that no allowance is renewed during the test. */
const avoidMonthEnd = async () => {
  const now = product().now();
  const leftMs = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1) - now.getTime();
  if (leftMs < DAY_MS) await product().passTime(leftMs + DAY_MS);
};

/** Starts the first user's pins earlier, so that some pins are finished while others begin. */
const orderInTwoWaves = async (): Promise<GenerationOrder[]> => {
  const creators = await insertCreators(product(), CREATORS);
  const first = await requestPins(product(), creators.slice(0, 1), PINS_EACH);
  const isFirstUnderWay = async () => (await countProgress(product(), first)).ended >= PINS_EACH / 2;
  await until(isFirstUnderWay, { deadlineMs: 60_000, what: "the first pins" });
  return [...first, ...(await requestPins(product(), creators.slice(1), PINS_EACH))];
};

/** kill -9 when half of the images are stored, then a restart like the supervisor's. */
const killInTheMiddle = async (name: ChildName, orders: readonly GenerationOrder[]) => {
  const { app } = product();
  const isMiddle = async () => (await countProgress(product(), orders)).stored >= PINS_TOTAL / 2;
  await until(isMiddle, { deadlineMs: 60_000, everyMs: 20, what: "half of the images" });
  const killedAt = performance.now();
  await app.kill9(name);
  const progress = await countProgress(product(), orders);
  expect(progress.ended).toBeGreaterThan(0);
  expect(progress.stored, "killed too late to mean anything").toBeLessThan(PINS_TOTAL * 0.9);
  await app.restart(name);
  return { ...progress, killedAt };
};

test("R-SRV-01 R-TRK-15 kill -9 of the app while 40 pins are generated: each is generated once, and no credit is missing", async () => {
  await avoidMonthEnd();
  const orders = await orderInTwoWaves();
  const { stored, ended, killedAt } = await killInTheMiddle("app", orders);
  const areAllEnded = async () => (await countProgress(product(), orders)).ended === PINS_TOTAL;
  await until(areAllEnded, { deadlineMs: 120_000, everyMs: 100, what: "all pins" });
  const seconds = ((performance.now() - killedAt) / 1000).toFixed(1);
  await expectGeneratedOnce(product(), orders);
  console.info(
    `generating, app killed with ${stored} of ${PINS_TOTAL} images stored and ${ended} pins ready: ` +
      `all ready ${seconds} s after the kill`,
  );
});

test("R-SRV-01 R-TRK-15 the sweep resends running tasks: two runs race for each pin, and one generates it", async () => {
  await avoidMonthEnd();
  const orders = await requestPins(product(), await insertCreators(product(), 3), 5);
  const isUnderWay = async () => (await countProgress(product(), orders)).stored > 0;
  await until(isUnderWay, { deadlineMs: 60_000, everyMs: 20, what: "the first image" });
  await product().passTime(SILENT_AFTER_MS + MINUTE_MS);
  // The product's own sweep may have been faster.
  await sweepTasks(product().ctx);
  const sent = await countResends(product(), orders);
  expect(sent).toBeGreaterThan(0);
  const areAllEnded = async () => (await countProgress(product(), orders)).ended === 15;
  await until(areAllEnded, { deadlineMs: 60_000, what: "all pins" });
  const runs = await untilRunsEnded(product(), "generate-pin", 15 + sent);
  expect(new Set(runs)).toEqual(new Set(["completed"]));
  await expectGeneratedOnce(product(), orders);
});

test("afterward, the app's memory is under 500 MB", () => {
  const { nowMb, peakMb } = memoryOf(product().app.pid("app"));
  console.info(`app memory after generating: ${nowMb} MB, at most ${peakMb} MB`);
  expect(nowMb).toBeLessThan(LIMIT_MB);
});
