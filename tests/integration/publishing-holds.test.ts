import { eq } from "drizzle-orm";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { pins } from "#db/schema/pins.ts";
import { HOUR_MS, MINUTE_MS } from "#lib/core/time.ts";
import { settleAttempt } from "#lib/features/publishing/attempts.ts";
import { BREAKDOWNS_MAX, CALL_LEASE_MS, TEXTS } from "#lib/features/publishing/constants.ts";
import { claimPin, releasePin, sendPin } from "#lib/features/publishing/publisher.ts";
import { removeAccount, sweepPins } from "#lib/features/publishing/queue.ts";
import type { ScheduledPin } from "#lib/features/publishing/schema.ts";
import { connectAccount, tryToConnect } from "#tests/support/connect-account.ts";
import { withhold } from "#tests/support/withhold.ts";
import { CREATE, type Maker, publishingWorld } from "./publishing-house.ts";

const world = publishingWorld();

const LIST = "GET /v5/boards/:id/pins";

const sentFor = ({ pinId }: ScheduledPin) =>
  world.house.sentEvents.filter(({ id }) => id.startsWith(`publish:${pinId}`)).length;

/** Sweeps a quarter of an hour later; tells whether that sent an event for the pin. */
const isSwept = async (scheduled: ScheduledPin) => {
  const before = sentFor(scheduled);
  await world.moveClock(15 * MINUTE_MS);
  await sweepPins(world.job());
  return sentFor(scheduled) > before;
};

const reconnect = async ({ ctx, account }: Maker) => {
  const outcome = await tryToConnect(ctx, world.pinterest, account.username, { accountId: account.id });
  expect(outcome).toEqual({ kind: "connected" });
};

const expectOnce = async (maker: Maker, { pinId }: ScheduledPin) => {
  const there = await world.publicPins(maker);
  expect(there).toHaveLength(1);
  expect(await world.pin(pinId)).toMatchObject({ status: "published", pinterestPinId: there[0]?.id, reason: null });
};

describe("the account's token", () => {
  test("401 in the middle of a batch: renewed, the same attempt goes on", async () => {
    const maker = await world.makeMaker();
    const scheduled = await world.scheduled(maker);
    await world.pinterest.strike({ match: CREATE, scenario: "token-dead", where: { account: maker.account.username } });
    await world.drive(scheduled);
    await expectOnce(maker, scheduled);
    expect(await world.receipt(scheduled.pinId)).toHaveLength(1);
  });

  test("401, and the process stands still while the token is renewed: nothing is sent any more", async () => {
    const maker = await world.makeMaker();
    const scheduled = await world.scheduled(maker);
    const claim = await claimPin(world.job(), scheduled);
    if (claim.kind !== "attempt") throw new Error(claim.kind);
    await world.pinterest.strike({ match: CREATE, scenario: "token-dead", where: { account: maker.account.username } });
    await world.pinterest.forgetCalls();
    const realNow = performance.now.bind(performance);
    let heldMs = 0;
    const clock = vi.spyOn(performance, "now").mockImplementation(() => realNow() + heldMs);
    onTestFinished(() => clock.mockRestore());
    const ctx = world.job();
    const refreshTokens: typeof ctx.pinterest.refreshTokens = async (input) => {
      const answer = await ctx.pinterest.refreshTokens(input);
      heldMs = CALL_LEASE_MS;
      return answer;
    };
    const held = { ...ctx, pinterest: { ...ctx.pinterest, refreshTokens } };
    await sendPin(held, { ...scheduled, attemptId: claim.attemptId });
    clock.mockRestore();
    expect(await world.pinterest.calls(CREATE)).toBe(1);
    const [attempt] = await world.receipt(scheduled.pinId);
    expect(attempt).toMatchObject({ problem: "unavailable", problemText: TEXTS.notSent });
    await world.drive(scheduled);
    await expectOnce(maker, scheduled);
  });

  test("dead: the pin stays scheduled and waits; connected again, the sweep starts it", async () => {
    const maker = await world.makeMaker();
    const [scheduled, next] = [await world.scheduled(maker), await world.scheduled(maker)];
    await world.pinterest.revoke(maker.account.username);
    expect(await world.drive(scheduled)).toMatchObject({ result: "held" });
    expect(await world.drive(next)).toMatchObject({ result: "held" });
    for (const { pinId } of [scheduled, next]) {
      expect(await world.pin(pinId)).toMatchObject({ status: "scheduled", reason: TEXTS.awaitsReconnect });
    }
    expect(await world.receipt(next.pinId)).toHaveLength(0);
    expect(await isSwept(scheduled)).toBe(false);
    await reconnect(maker);
    expect(await isSwept(scheduled)).toBe(true);
    await world.drive(scheduled);
    await expectOnce(maker, scheduled);
  });

  test("dead while looking: the search goes on after the reconnection, and nothing is sent again", async () => {
    const maker = await world.makeMaker();
    const scheduled = await world.scheduled(maker);
    const where = { account: maker.account.username };
    await world.pinterest.strike({ match: CREATE, scenario: "reply-lost-after-creating", where });
    const claim = await claimPin(world.job(), scheduled);
    if (claim.kind !== "attempt") throw new Error(claim.kind);
    await sendPin(world.job(), { ...scheduled, attemptId: claim.attemptId });
    await world.pinterest.revoke(maker.account.username);
    expect(await world.drive(scheduled)).toMatchObject({ result: "held" });
    expect(await world.receipt(scheduled.pinId)).toMatchObject([{ state: "calling" }]);
    await reconnect(maker);
    await world.pinterest.forgetCalls();
    expect(await isSwept(scheduled)).toBe(true);
    await world.drive(scheduled);
    await expectOnce(maker, scheduled);
    expect(await world.pinterest.calls(CREATE)).toBe(0);
  });

  test("a missing permission asks for a reconnection, naming it", async () => {
    const maker = await world.makeMaker();
    const scheduled = await world.scheduled(maker);
    await world.pinterest.strike({
      match: CREATE,
      scenario: "missing-scope",
      where: { account: maker.account.username },
    });
    expect(await world.drive(scheduled)).toMatchObject({ result: "held" });
    expect((await world.pin(scheduled.pinId)).reason).toContain("pins:write");
    await reconnect(maker);
    await world.drive(scheduled);
    await expectOnce(maker, scheduled);
  });
});

describe("A-13 the account is removed while a pin is on its way", () => {
  const callInFlight = async (scenario?: string) => {
    const maker = await world.makeMaker();
    const scheduled = await world.scheduled(maker);
    const where = { account: maker.account.username };
    if (scenario) await world.pinterest.strike({ match: CREATE, scenario, where });
    const claim = await claimPin(world.job(), scheduled);
    if (claim.kind !== "attempt") throw new Error(claim.kind);
    const attempt = { ...scheduled, attemptId: claim.attemptId };
    const slow = withhold(world.job(), "createPin");
    const calling = sendPin(slow.ctx, attempt);
    await slow.arrived;
    expect(await world.receipt(scheduled.pinId)).toMatchObject([{ state: "calling", answeredAt: null }]);
    await removeAccount(maker.ctx, { accountId: maker.account.id });
    return { maker, scheduled, attempt, calling, answer: slow.open };
  };

  test("its answer still counts: published", async () => {
    const { maker, scheduled, attempt, calling, answer } = await callInFlight();
    expect(await world.pin(scheduled.pinId)).toMatchObject({ status: "scheduled" });
    answer();
    await calling;
    expect(await settleAttempt(world.job(), attempt)).toMatchObject({ result: "published" });
    await expectOnce(maker, scheduled);
  });

  test("no answer: after the lease a marked draft, which is looked for before it ever goes out again", async () => {
    const { maker, scheduled, calling, answer } = await callInFlight("reply-lost-after-creating");
    answer();
    await calling;
    await world.moveClock(CALL_LEASE_MS);
    expect(await isSwept(scheduled)).toBe(true);
    expect(await world.drive(scheduled)).toMatchObject({ result: "draft" });
    expect(await world.pin(scheduled.pinId)).toMatchObject({ status: "draft", mayBePublished: true });
    expect((await connectAccount(maker.ctx, world.pinterest, maker.account.username)).id).toBe(maker.account.id);
    await world.schedule(maker, [scheduled.pinId]);
    await world.pinterest.forgetCalls();
    await world.drive({ ...scheduled, scheduleGeneration: 2 });
    await expectOnce(maker, scheduled);
    expect(await world.pinterest.calls(CREATE)).toBe(0);
  });
});

describe("our own side breaks down", () => {
  test("the run gives the pin back with a growing pause, and the sweep starts another", async () => {
    const maker = await world.makeMaker();
    const scheduled = await world.scheduled(maker);
    await claimPin(world.job(), scheduled);
    await releasePin(world.job(), scheduled);
    expect(await world.pin(scheduled.pinId)).toMatchObject({ status: "scheduled", reason: TEXTS.ourFaultAgain });
    expect(await isSwept(scheduled)).toBe(true);
    await world.drive(scheduled);
    await expectOnce(maker, scheduled);
  });

  test.each([
    ["before anything was sent: failed, and safe to retry", undefined, TEXTS.ourFault, false],
    ["with an unclear call: failed, and it may be published", "cut", TEXTS.unclear, true],
  ])("too often, %s", async (_, scenario, reason, mayBePublished) => {
    const maker = await world.makeMaker();
    const scheduled = await world.scheduled(maker);
    const where = { account: maker.account.username };
    if (scenario) {
      await world.pinterest.strike({ match: CREATE, scenario, where });
      await world.pinterest.strike({ match: LIST, scenario: "unavailable", times: 50, where });
      await world.drive(scheduled, { naps: 1 });
    } else await claimPin(world.job(), scheduled);
    for (let breakdown = 0; breakdown <= BREAKDOWNS_MAX; breakdown += 1) {
      await releasePin(world.job(), scheduled);
      await world.moveClock(2 * HOUR_MS);
      await sweepPins(world.job());
    }
    expect(await world.pin(scheduled.pinId)).toMatchObject({ status: "failed", reason, mayBePublished });
    expect(await world.receipt(scheduled.pinId)).toMatchObject([{ state: "settled" }]);
  });

  test("a pin that the sweep took up often is not given up at its first breakdown", async () => {
    const maker = await world.makeMaker();
    const scheduled = await world.scheduled(maker);
    await world.house.database.db
      .update(pins)
      .set({ sweeps: 2 * BREAKDOWNS_MAX })
      .where(eq(pins.id, scheduled.pinId));
    await claimPin(world.job(), scheduled);
    await releasePin(world.job(), scheduled);
    expect(await world.pin(scheduled.pinId)).toMatchObject({ status: "scheduled", breakdowns: 1 });
    expect(await isSwept(scheduled)).toBe(true);
    await world.drive(scheduled);
    await expectOnce(maker, scheduled);
  });

  test("the picture is missing in the storage: failed with a reason, nothing sent", async () => {
    const maker = await world.makeMaker();
    const scheduled = await world.scheduled(maker, { imageKey: "pins/nowhere.jpg" });
    expect(await world.drive(scheduled)).toMatchObject({ result: "failed" });
    expect(await world.pin(scheduled.pinId)).toMatchObject({ reason: TEXTS.imageMissing, mayBePublished: false });
    expect(await world.receipt(scheduled.pinId)).toMatchObject([{ outcome: "rejected", calledAt: null }]);
  });
});
