import { expect, test } from "vitest";
import { DAY_MS, MINUTE_MS } from "#lib/core/time.ts";
import { SILENT_AFTER_MS } from "#lib/features/generation/constants.ts";
import { sweepTasks } from "#lib/features/generation/task-recovery.ts";
import type { ChildName } from "#tests/support/app.ts";
import { until } from "#tests/support/poll.ts";
import { countMade, countSentAgain, expectMadeOnce, type Order, orderPins } from "./support/generation.ts";
import { makeMakers } from "./support/makers.ts";
import { memoryOf } from "./support/memory.ts";
import { productForFile, untilRunsEnded } from "./support/product.ts";

const product = productForFile();

const MAKERS = 5;
const PINS_EACH = 8;
const ASKED = MAKERS * PINS_EACH;
const LIMIT_MB = 500;

/** Where a month is about to end, goes to the second day of the next: the time that passes renews no allowance. */
const leaveMonthsEnd = async () => {
  const now = product().now();
  const leftMs = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1) - now.getTime();
  if (leftMs < DAY_MS) await product().passTime(leftMs + DAY_MS);
};

/** Orders of all makers, the first one's some time before the others', so that some pins are ready while others begin. */
const orderInTwoWaves = async (): Promise<Order[]> => {
  const makers = await makeMakers(product(), MAKERS);
  const first = await orderPins(product(), makers.slice(0, 1), PINS_EACH);
  const isFirstUnderWay = async () => (await countMade(product(), first)).ended >= PINS_EACH / 2;
  await until(isFirstUnderWay, { deadlineMs: 60_000, what: "the first pins" });
  return [...first, ...(await orderPins(product(), makers.slice(1), PINS_EACH))];
};

/** kill -9 when half of the pictures are there, then the restart that the supervisor would make. */
const killInTheMiddle = async (name: ChildName, orders: readonly Order[]) => {
  const { app } = product();
  const isMiddle = async () => (await countMade(product(), orders)).drawn >= ASKED / 2;
  await until(isMiddle, { deadlineMs: 60_000, everyMs: 20, what: "half of the pictures" });
  const killedAt = performance.now();
  await app.kill9(name);
  const made = await countMade(product(), orders);
  expect(made.ended).toBeGreaterThan(0);
  expect(made.drawn, "killed too late to mean anything").toBeLessThan(ASKED * 0.9);
  await app.restart(name);
  return { ...made, killedAt };
};

test("R-SRV-01 R-TRK-15 kill -9 of the app while 40 pins are made: each is made once, and no credit is missing", async () => {
  await leaveMonthsEnd();
  const orders = await orderInTwoWaves();
  const { drawn, ended, killedAt } = await killInTheMiddle("app", orders);
  const areAllEnded = async () => (await countMade(product(), orders)).ended === ASKED;
  await until(areAllEnded, { deadlineMs: 120_000, everyMs: 100, what: "all pins" });
  const seconds = ((performance.now() - killedAt) / 1000).toFixed(1);
  await expectMadeOnce(product(), orders);
  console.info(
    `generating, app killed with ${drawn} of ${ASKED} pictures drawn and ${ended} pins ready: ` +
      `all ready ${seconds} s after the kill`,
  );
});

test("R-SRV-01 R-TRK-15 the sweep takes pins for lost that are being made: two runs race for each, one makes it", async () => {
  await leaveMonthsEnd();
  const orders = await orderPins(product(), await makeMakers(product(), 3), 5);
  const isUnderWay = async () => (await countMade(product(), orders)).drawn > 0;
  await until(isUnderWay, { deadlineMs: 60_000, everyMs: 20, what: "the first picture" });
  await product().passTime(SILENT_AFTER_MS + MINUTE_MS);
  // The product's own sweep of each minute may have been first.
  await sweepTasks(product().ctx);
  const sent = await countSentAgain(product(), orders);
  expect(sent).toBeGreaterThan(0);
  const areAllEnded = async () => (await countMade(product(), orders)).ended === 15;
  await until(areAllEnded, { deadlineMs: 60_000, what: "all pins" });
  const runs = await untilRunsEnded(product(), "generate-pin", 15 + sent);
  expect(new Set(runs)).toEqual(new Set(["completed"]));
  await expectMadeOnce(product(), orders);
});

test("after all of it, the app's memory is under 500 MB", () => {
  const { nowMb, peakMb } = memoryOf(product().app.pid("app"));
  console.info(`app memory after generating: ${nowMb} MB, at most ${peakMb} MB`);
  expect(nowMb).toBeLessThan(LIMIT_MB);
});
