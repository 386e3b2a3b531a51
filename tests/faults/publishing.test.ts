import { afterEach, expect, test } from "vitest";
import type { ChildName } from "#tests/support/app.ts";
import { until } from "#tests/support/poll.ts";
import { type Maker, makeMakers } from "./support/makers.ts";
import { memoryOf } from "./support/memory.ts";
import { productForFile, untilNapping } from "./support/product.ts";
import {
  CREATE,
  countThere,
  expectPublishedOnce,
  readPins,
  schedulePins,
  titleOf,
  untilSettled,
} from "./support/publishing.ts";

const product = productForFile();

const MAKERS = 5;
const PINS_EACH = 10;
const ALL = MAKERS * PINS_EACH;
const LIMIT_MB = 500;
const MINUTE_MS = 60_000;
const LEAD_MS = 10 * MINUTE_MS;
const HALF_A_MINUTE_MS = 30_000;
const NUDGE_AFTER_MS = 6_000;
/** How long Pinterest usually takes here, and how long for the two calls that the kill meets: they outlive a restart. */
const SLOW_MS = 150;
const LONG_MS = 10_000;
const LONG_ONES = 2;
const THIRD = 2;

afterEach(() => product().pinterest.clearFaults());

/**
 * Half of the accounts wait before their pin is made, half for the answer after it. Of two accounts the third pin
 * takes long: when the app is killed, one of these is there and the other one will be made after its death.
 */
const slowDown = async (makers: readonly Maker[]): Promise<void> => {
  const { pinterest } = product();
  for (const [index, { username }] of makers.entries()) {
    const rule = { match: CREATE, after: index % 2 === 0 ? "creating" : "before" };
    const where = { account: username };
    if (index < LONG_ONES) {
      await pinterest.strike({ ...rule, delayMs: LONG_MS, where: { ...where, title: titleOf(THIRD) } });
    }
    await pinterest.strike({ ...rule, delayMs: SLOW_MS, times: 500, where });
  }
};

/** The first pins of all accounts become due and go out; how early any of them was, is checked at the end. */
const publishTheFirst = async (makers: readonly Maker[]): Promise<void> => {
  expect(await countThere(product(), makers)).toBe(0);
  await untilNapping(product());
  await product().passTime(LEAD_MS + HALF_A_MINUTE_MS);
  let nudgeAt = performance.now() + NUDGE_AFTER_MS;
  const areOut = async () => {
    // A run whose answer was on its way while the clocks were moved sleeps too long by them: the sweep wakes it.
    // Once only: the third pins, whose calls take long, must not be on their way when the clocks are moved next.
    if (performance.now() > nudgeAt) {
      await product().passTime(2 * HALF_A_MINUTE_MS);
      nudgeAt = Number.POSITIVE_INFINITY;
    }
    const { rows } = await readPins(product(), makers);
    return rows.filter(({ status }) => status === "published").length >= MAKERS;
  };
  await until(areOut, { deadlineMs: 90_000, what: "the first pins to be published" });
};

const isOnItsWay = (attempt: { state: string; answeredAt: Date | null }): boolean =>
  attempt.state === "calling" && attempt.answeredAt === null;

const isThird = ({ title }: { title: string }): boolean => title === titleOf(THIRD);

/** kill -9 while both long calls are on their way, then the restart that the supervisor would make. */
const killInTheMiddle = async (name: ChildName, makers: readonly Maker[]) => {
  const { app, pinterest } = product();
  const isMiddle = async () => {
    const { rows, attempts } = await readPins(product(), makers.slice(0, LONG_ONES));
    const thirds = new Set(rows.filter(isThird).map(({ id }) => id));
    const onTheirWay = attempts.filter((attempt) => isOnItsWay(attempt) && thirds.has(attempt.pinId)).length;
    if (onTheirWay < LONG_ONES || (await countThere(product(), makers)) < ALL * 0.3) return false;
    // Written down is not sent: a call that the kill came before never arrives.
    return !(await pinterest.waitingFaults()).some(({ delayMs }) => delayMs === LONG_MS);
  };
  await until(isMiddle, { deadlineMs: 60_000, everyMs: 20, what: "two long calls" });
  const killedAt = performance.now();
  await app.kill9(name);
  const there = await countThere(product(), makers);
  const onTheirWay = (await readPins(product(), makers)).attempts.filter(isOnItsWay).length;
  expect(there, "killed too late to mean anything").toBeLessThan(ALL * 0.8);
  await app.restart(name);
  // No time is moved while a call is really on its way: that would end its lease before it ends.
  for (const { username } of makers.slice(0, LONG_ONES)) {
    const hasArrived = async () => (await pinterest.pinsOf(username)).some(isThird);
    await until(hasArrived, { deadlineMs: 3 * LONG_MS, what: "the call of before the kill" });
  }
  return { there, onTheirWay, killedAt };
};

test("R-SRV-03 kill -9 of the app while 50 pins go out: none is lost, none goes out twice or early", async () => {
  const makers = await makeMakers(product(), MAKERS);
  await product().pinterest.forgetCalls();
  await slowDown(makers);
  const start = new Date(product().now().getTime() + LEAD_MS);
  await schedulePins(product(), makers, { pinsEach: PINS_EACH, start });
  await publishTheFirst(makers);
  await product().passTime(PINS_EACH * MINUTE_MS);
  const { there, onTheirWay, killedAt } = await killInTheMiddle("app", makers);
  const offsetBeforeMs = product().now().getTime() - Date.now();
  await untilSettled(product(), makers, 120_000);
  const seconds = ((performance.now() - killedAt) / 1000).toFixed(1);
  const movedSeconds = Math.round((product().now().getTime() - Date.now() - offsetBeforeMs) / 1000);
  const { attempts } = await expectPublishedOnce(product(), makers);
  const found = attempts.filter(({ outcome }) => outcome === "found").length;
  // Whoever died in a call cannot know its outcome.
  expect(found).toBeGreaterThanOrEqual(LONG_ONES);
  console.info(
    `publishing, app killed with ${there} of ${ALL} pins there and ${onTheirWay} calls on their way: settled ` +
      `${seconds} s after the kill, and ${movedSeconds} s of moved time; ${found} found by looking, ` +
      `${attempts.length} attempts, ${await product().pinterest.calls(CREATE)} calls`,
  );
});

test("R-SRV-03 Pinterest cuts, breaks or garbles the reply after creating: each pin is found by looking", async () => {
  const makers = await makeMakers(product(), 3);
  await product().pinterest.forgetCalls();
  const lost = [
    { scenario: "reply-lost-after-creating", skip: 2, times: 4 },
    { scenario: "server-error-after-creating", times: 2 },
    { scenario: "malformed-after-creating", times: 2 },
  ];
  for (const [index, fault] of lost.entries()) {
    await product().pinterest.strike({ match: CREATE, ...fault, where: { account: makers[index]?.username } });
  }
  await schedulePins(product(), makers, { pinsEach: 7, start: product().now() });
  await untilNapping(product());
  await product().passTime(7 * MINUTE_MS);
  await untilSettled(product(), makers, 120_000);
  const { attempts } = await expectPublishedOnce(product(), makers);
  const outcomes = Object.groupBy(attempts, ({ outcome }) => outcome ?? "none");
  expect(outcomes.found).toHaveLength(8);
  expect(outcomes.created).toHaveLength(21 - 8);
  expect(await product().pinterest.calls(CREATE)).toBe(21);
});

test("after all of it, the app's memory is under 500 MB", () => {
  const { nowMb, peakMb } = memoryOf(product().app.pid("app"));
  console.info(`app memory after publishing: ${nowMb} MB, at most ${peakMb} MB`);
  expect(nowMb).toBeLessThan(LIMIT_MB);
});
