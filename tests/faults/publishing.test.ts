import { afterEach, expect, test } from "vitest";
import type { ChildName } from "#tests/support/app.ts";
import { until } from "#tests/support/poll.ts";
import { type Creator, insertCreators } from "./support/creators.ts";
import { memoryOf } from "./support/memory.ts";
import { productForFile, untilSleeping } from "./support/product.ts";
import {
  CREATE,
  countPublished,
  expectPublishedOnce,
  readPins,
  schedulePins,
  titleOf,
  untilSettled,
} from "./support/publishing.ts";

const product = productForFile();

const CREATORS = 5;
const PINS_EACH = 10;
const ALL = CREATORS * PINS_EACH;
const LIMIT_MB = 500;
const MINUTE_MS = 60_000;
const LEAD_MS = 10 * MINUTE_MS;
const HALF_A_MINUTE_MS = 30_000;
const SWEEP_AFTER_MS = 6_000;
/** Usual delay of Pinterest here, and the delay of the two calls that the kill interrupts, which outlast a restart. */
const SLOW_MS = 150;
const LONG_MS = 10_000;
const LONG_CALLS = 2;
const THIRD = 2;

afterEach(() => product().pinterest.clearFaults());

/**
 * Half of the accounts wait before their pin is created, half for the answer afterward. Two accounts have a slow third
 * pin: when the app is killed, one of those exists already and the other is created after the kill.
 */
const addLatency = async (creators: readonly Creator[]): Promise<void> => {
  const { pinterest } = product();
  for (const [index, { username }] of creators.entries()) {
    const rule = { match: CREATE, after: index % 2 === 0 ? "creating" : "before" };
    const where = { account: username };
    if (index < LONG_CALLS) {
      await pinterest.addFault({ ...rule, delayMs: LONG_MS, where: { ...where, title: titleOf(THIRD) } });
    }
    await pinterest.addFault({ ...rule, delayMs: SLOW_MS, times: 500, where });
  }
};

/** The first pins of all accounts go out; the end of the test checks that none was early. */
const publishFirstPins = async (creators: readonly Creator[]): Promise<void> => {
  expect(await countPublished(product(), creators)).toBe(0);
  await untilSleeping(product());
  await product().passTime(LEAD_MS + HALF_A_MINUTE_MS);
  let sweepAt = performance.now() + SWEEP_AFTER_MS;
  const arePublished = async () => {
    // A run whose answer arrives while the clocks move sleeps too long, so the sweep wakes it. Only once: the slow
    // calls of the third pins must not be in flight when the clocks move next.
    if (performance.now() > sweepAt) {
      await product().passTime(2 * HALF_A_MINUTE_MS);
      sweepAt = Number.POSITIVE_INFINITY;
    }
    const { rows } = await readPins(product(), creators);
    return rows.filter(({ status }) => status === "published").length >= CREATORS;
  };
  await until(arePublished, { deadlineMs: 90_000, what: "the first pins to be published" });
};

const isInFlight = (attempt: { state: string; answeredAt: Date | null }): boolean =>
  attempt.state === "calling" && attempt.answeredAt === null;

const isThird = ({ title }: { title: string }): boolean => title === titleOf(THIRD);

/** kill -9 while both slow calls are in flight, then the supervisor's restart. */
const killInTheMiddle = async (name: ChildName, creators: readonly Creator[]) => {
  const { app, pinterest } = product();
  const isMiddle = async () => {
    const { rows, attempts } = await readPins(product(), creators.slice(0, LONG_CALLS));
    const thirds = new Set(rows.filter(isThird).map(({ id }) => id));
    const inFlight = attempts.filter((attempt) => isInFlight(attempt) && thirds.has(attempt.pinId)).length;
    if (inFlight < LONG_CALLS || (await countPublished(product(), creators)) < ALL * 0.3) return false;
    // A recorded call may not have been sent: one that the kill prevented never arrives.
    return !(await pinterest.remainingFaults()).some(({ delayMs }) => delayMs === LONG_MS);
  };
  await until(isMiddle, { deadlineMs: 60_000, everyMs: 20, what: "two long calls" });
  const killedAt = performance.now();
  await app.kill9(name);
  const created = await countPublished(product(), creators);
  const inFlight = (await readPins(product(), creators)).attempts.filter(isInFlight).length;
  expect(created, "killed too late to mean anything").toBeLessThan(ALL * 0.8);
  await app.restart(name);
  // Clocks do not move while a call is really in flight, since its lease would expire too early.
  for (const { username } of creators.slice(0, LONG_CALLS)) {
    const hasArrived = async () => (await pinterest.pinsOf(username)).some(isThird);
    await until(hasArrived, { deadlineMs: 3 * LONG_MS, what: "the call sent before the kill" });
  }
  return { created, inFlight, killedAt };
};

test("R-SRV-03 kill -9 of the app while publishing 50 pins: none is lost, published twice, or published early", async () => {
  const creators = await insertCreators(product(), CREATORS);
  await product().pinterest.resetCalls();
  await addLatency(creators);
  const start = new Date(product().now().getTime() + LEAD_MS);
  await schedulePins(product(), creators, { pinsEach: PINS_EACH, start });
  await publishFirstPins(creators);
  await product().passTime(PINS_EACH * MINUTE_MS);
  const { created, inFlight, killedAt } = await killInTheMiddle("app", creators);
  const offsetBeforeMs = product().now().getTime() - Date.now();
  await untilSettled(product(), creators, 120_000);
  const seconds = ((performance.now() - killedAt) / 1000).toFixed(1);
  const movedSeconds = Math.round((product().now().getTime() - Date.now() - offsetBeforeMs) / 1000);
  const { attempts } = await expectPublishedOnce(product(), creators);
  const found = attempts.filter(({ outcome }) => outcome === "found").length;
  // A worker that died during a call cannot know its outcome.
  expect(found).toBeGreaterThanOrEqual(LONG_CALLS);
  console.info(
    `publishing, app killed with ${created} of ${ALL} pins there and ${inFlight} calls on their way: settled ` +
      `${seconds} s after the kill, and ${movedSeconds} s of moved time; ${found} found by looking, ` +
      `${attempts.length} attempts, ${await product().pinterest.calls(CREATE)} calls`,
  );
});

test("R-SRV-03 Pinterest's response is lost or broken after creating: a board check finds each pin", async () => {
  const creators = await insertCreators(product(), 3);
  await product().pinterest.resetCalls();
  const lost = [
    { scenario: "reply-lost-after-creating", skip: 2, times: 4 },
    { scenario: "server-error-after-creating", times: 2 },
    { scenario: "malformed-after-creating", times: 2 },
  ];
  for (const [index, fault] of lost.entries()) {
    await product().pinterest.addFault({ match: CREATE, ...fault, where: { account: creators[index]?.username } });
  }
  await schedulePins(product(), creators, { pinsEach: 7, start: product().now() });
  await untilSleeping(product());
  await product().passTime(7 * MINUTE_MS);
  await untilSettled(product(), creators, 120_000);
  const { attempts } = await expectPublishedOnce(product(), creators);
  const outcomes = Object.groupBy(attempts, ({ outcome }) => outcome ?? "none");
  expect(outcomes.found).toHaveLength(8);
  expect(outcomes.created).toHaveLength(21 - 8);
  expect(await product().pinterest.calls(CREATE)).toBe(21);
});

test("afterward the app uses less than 500 MB of memory", () => {
  const { nowMb, peakMb } = memoryOf(product().app.pid("app"));
  console.info(`app memory after publishing: ${nowMb} MB, at most ${peakMb} MB`);
  expect(nowMb).toBeLessThan(LIMIT_MB);
});
