import { expect, test } from "vitest";
import type { ChildName } from "#tests/support/app.ts";
import { until } from "#tests/support/poll.ts";
import { countEnded, expectMadeOnce, type Order, orderPins } from "./support/generation.ts";
import { makeMakers } from "./support/makers.ts";
import { memoryOf } from "./support/memory.ts";
import { productForFile } from "./support/product.ts";

const product = productForFile();

const MAKERS = 5;
const PINS_EACH = 10;
const ASKED = MAKERS * PINS_EACH;
const LIMIT_MB = 500;

/** kill -9 when some pins are made and some are not, then the restart that the supervisor would make. */
const killInTheMiddle = async (name: ChildName, orders: readonly Order[]): Promise<number> => {
  const { app } = product();
  const isMiddle = async () => (await countEnded(product(), orders)) >= ASKED / 3;
  await until(isMiddle, { deadlineMs: 60_000, everyMs: 20, what: "a third of the pins" });
  await app.kill9(name);
  const ended = await countEnded(product(), orders);
  expect(ended, "killed too late to mean anything").toBeLessThan(ASKED * 0.8);
  await app.restart(name);
  return ended;
};

test.each<ChildName>(["app", "executor"])(
  "R-SRV-01 R-TRK-15 kill -9 of the %s while 50 pins are made: each is made once, and no credit is missing",
  async (name) => {
    const orders = await orderPins(product(), await makeMakers(product(), MAKERS), PINS_EACH);
    const ended = await killInTheMiddle(name, orders);
    const restartedAt = performance.now();
    const areAllEnded = async () => (await countEnded(product(), orders)) === ASKED;
    await until(areAllEnded, { deadlineMs: 120_000, everyMs: 100, what: "all pins" });
    const seconds = ((performance.now() - restartedAt) / 1000).toFixed(1);
    await expectMadeOnce(product(), orders);
    console.info(
      `generating, ${name} killed with ${ended} of ${ASKED} made: the others took ${seconds} s after its start`,
    );
  },
);

test("after both, the app's memory is under 500 MB", () => {
  const { nowMb, peakMb } = memoryOf(product().app.pid("app"));
  console.info(`app memory after generating: ${nowMb} MB, at most ${peakMb} MB`);
  expect(nowMb).toBeLessThan(LIMIT_MB);
});
