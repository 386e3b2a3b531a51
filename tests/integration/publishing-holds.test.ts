import { eq } from "drizzle-orm";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { pins } from "#db/schema/pins.ts";
import { HOUR_MS, MINUTE_MS } from "#lib/core/time.ts";
import { checkStorage } from "#lib/features/pins/storage-outages.ts";
import { settleAttempt } from "#lib/features/publishing/attempts.ts";
import { CALL_LEASE_MS, FAILED_RUNS_MAX, TEXTS } from "#lib/features/publishing/constants.ts";
import { startDuePins } from "#lib/features/publishing/due-pins.ts";
import { claimPin, releasePin, sendPin } from "#lib/features/publishing/publisher.ts";
import { removeAccount } from "#lib/features/publishing/queue.ts";
import type { ScheduledPin } from "#lib/features/publishing/schema.ts";
import { connectAccount, tryToConnect } from "#tests/support/connect-account.ts";
import { holdResponses } from "#tests/support/hold-responses.ts";
import { CREATE, type Creator, publishingSetup } from "./publishing-harness.ts";

const setup = publishingSetup();

const LIST = "GET /v5/boards/:id/pins";

const sentFor = ({ pinId }: ScheduledPin) =>
  setup.harness.sentEvents.filter(({ id }) => id.startsWith(`publish:${pinId}`)).length;

/** Scans 15 minutes later; returns whether that started a run for the pin. */
const isStarted = async (scheduled: ScheduledPin) => {
  const before = sentFor(scheduled);
  await setup.moveClock(15 * MINUTE_MS);
  await startDuePins(setup.job());
  return sentFor(scheduled) > before;
};

const reconnect = async ({ ctx, account }: Creator) => {
  const outcome = await tryToConnect(ctx, setup.pinterest, account.username, { accountId: account.id });
  expect(outcome).toEqual({ kind: "connected" });
};

const expectOnce = async (creator: Creator, { pinId }: ScheduledPin) => {
  const listed = await setup.publicPins(creator);
  expect(listed).toHaveLength(1);
  expect(await setup.pin(pinId)).toMatchObject({ status: "published", pinterestPinId: listed[0]?.id, reason: null });
};

describe("the account's token", () => {
  test("401 in the middle of a batch: the token is refreshed and the same attempt continues", async () => {
    const creator = await setup.insertCreator();
    const scheduled = await setup.scheduled(creator);
    await setup.pinterest.addFault({
      match: CREATE,
      scenario: "token-dead",
      where: { account: creator.account.username },
    });
    await setup.drive(scheduled);
    await expectOnce(creator, scheduled);
    expect(await setup.attempts(scheduled.pinId)).toHaveLength(1);
  });

  test("401, and the process stalls while the token is refreshed: nothing more is sent", async () => {
    const creator = await setup.insertCreator();
    const scheduled = await setup.scheduled(creator);
    const claim = await claimPin(setup.job(), scheduled);
    if (claim.kind !== "attempt") throw new Error(claim.kind);
    await setup.pinterest.addFault({
      match: CREATE,
      scenario: "token-dead",
      where: { account: creator.account.username },
    });
    await setup.pinterest.resetCalls();
    const realNow = performance.now.bind(performance);
    let heldMs = 0;
    const clock = vi.spyOn(performance, "now").mockImplementation(() => realNow() + heldMs);
    onTestFinished(() => clock.mockRestore());
    const ctx = setup.job();
    const refreshTokens: typeof ctx.pinterest.refreshTokens = async (input) => {
      const answer = await ctx.pinterest.refreshTokens(input);
      heldMs = CALL_LEASE_MS;
      return answer;
    };
    const held = { ...ctx, pinterest: { ...ctx.pinterest, refreshTokens } };
    await sendPin(held, { ...scheduled, attemptId: claim.attemptId });
    clock.mockRestore();
    expect(await setup.pinterest.calls(CREATE)).toBe(1);
    const [attempt] = await setup.attempts(scheduled.pinId);
    expect(attempt).toMatchObject({ problem: "unavailable", problemText: TEXTS.notSent });
    await setup.drive(scheduled);
    await expectOnce(creator, scheduled);
  });

  test("dead: the pin stays scheduled; once reconnected, the scan starts it", async () => {
    const creator = await setup.insertCreator();
    const [scheduled, next] = [await setup.scheduled(creator), await setup.scheduled(creator)];
    await setup.pinterest.revoke(creator.account.username);
    expect(await setup.drive(scheduled)).toMatchObject({ result: "held" });
    expect(await setup.drive(next)).toMatchObject({ result: "held" });
    for (const { pinId } of [scheduled, next]) {
      expect(await setup.pin(pinId)).toMatchObject({ status: "scheduled", reason: TEXTS.reconnectNeeded });
    }
    expect(await setup.attempts(next.pinId)).toHaveLength(0);
    expect(await isStarted(scheduled)).toBe(false);
    await reconnect(creator);
    expect(await isStarted(scheduled)).toBe(true);
    await setup.drive(scheduled);
    await expectOnce(creator, scheduled);
  });

  test("dead during reconciliation: board checks continue after reconnecting, and nothing is sent again", async () => {
    const creator = await setup.insertCreator();
    const scheduled = await setup.scheduled(creator);
    const where = { account: creator.account.username };
    await setup.pinterest.addFault({ match: CREATE, scenario: "reply-lost-after-creating", where });
    const claim = await claimPin(setup.job(), scheduled);
    if (claim.kind !== "attempt") throw new Error(claim.kind);
    await sendPin(setup.job(), { ...scheduled, attemptId: claim.attemptId });
    await setup.pinterest.revoke(creator.account.username);
    expect(await setup.drive(scheduled)).toMatchObject({ result: "held" });
    expect(await setup.attempts(scheduled.pinId)).toMatchObject([{ state: "calling" }]);
    await reconnect(creator);
    await setup.pinterest.resetCalls();
    expect(await isStarted(scheduled)).toBe(true);
    await setup.drive(scheduled);
    await expectOnce(creator, scheduled);
    expect(await setup.pinterest.calls(CREATE)).toBe(0);
  });

  test("a missing permission is named and needs a reconnect", async () => {
    const creator = await setup.insertCreator();
    const scheduled = await setup.scheduled(creator);
    await setup.pinterest.addFault({
      match: CREATE,
      scenario: "missing-scope",
      where: { account: creator.account.username },
    });
    expect(await setup.drive(scheduled)).toMatchObject({ result: "held" });
    expect((await setup.pin(scheduled.pinId)).reason).toContain("allow all requested permissions");
    await reconnect(creator);
    await setup.drive(scheduled);
    await expectOnce(creator, scheduled);
  });
});

describe("A-13 the account is removed while a pin's call is in flight", () => {
  const callInFlight = async (scenario?: string) => {
    const creator = await setup.insertCreator();
    const scheduled = await setup.scheduled(creator);
    const where = { account: creator.account.username };
    if (scenario) await setup.pinterest.addFault({ match: CREATE, scenario, where });
    const claim = await claimPin(setup.job(), scheduled);
    if (claim.kind !== "attempt") throw new Error(claim.kind);
    const attempt = { ...scheduled, attemptId: claim.attemptId };
    const slow = holdResponses(setup.job(), "createPin");
    const calling = sendPin(slow.ctx, attempt);
    await slow.arrived;
    expect(await setup.attempts(scheduled.pinId)).toMatchObject([{ state: "calling", answeredAt: null }]);
    await removeAccount(creator.ctx, { accountId: creator.account.id });
    return { creator, scheduled, attempt, calling, answer: slow.open };
  };

  test("its answer still counts: published", async () => {
    const { creator, scheduled, attempt, calling, answer } = await callInFlight();
    expect(await setup.pin(scheduled.pinId)).toMatchObject({ status: "scheduled" });
    answer();
    await calling;
    expect(await settleAttempt(setup.job(), attempt)).toMatchObject({ result: "published" });
    await expectOnce(creator, scheduled);
  });

  test("no answer: a marked draft after the lease, whose board is checked before it is sent again", async () => {
    const { creator, scheduled, calling, answer } = await callInFlight("reply-lost-after-creating");
    answer();
    await calling;
    await setup.moveClock(CALL_LEASE_MS);
    expect(await isStarted(scheduled)).toBe(true);
    expect(await setup.drive(scheduled)).toMatchObject({ result: "draft" });
    expect(await setup.pin(scheduled.pinId)).toMatchObject({ status: "draft", mayBePublished: true });
    expect((await connectAccount(creator.ctx, setup.pinterest, creator.account.username)).id).toBe(creator.account.id);
    await setup.schedule(creator, [scheduled.pinId]);
    await setup.pinterest.resetCalls();
    await setup.drive({ ...scheduled, scheduleGeneration: 2 });
    await expectOnce(creator, scheduled);
    expect(await setup.pinterest.calls(CREATE)).toBe(0);
  });
});

describe("internal errors", () => {
  test("the run releases the pin with a growing delay, and the scan starts another run", async () => {
    const creator = await setup.insertCreator();
    const scheduled = await setup.scheduled(creator);
    await claimPin(setup.job(), scheduled);
    await releasePin(setup.job(), scheduled);
    expect(await setup.pin(scheduled.pinId)).toMatchObject({
      status: "scheduled",
      reason: TEXTS.internalErrorRetrying,
    });
    expect(await isStarted(scheduled)).toBe(true);
    await setup.drive(scheduled);
    await expectOnce(creator, scheduled);
  });

  test.each([
    ["before anything was sent: failed, and safe to retry", undefined, TEXTS.internalError, false],
    ["with an unclear call: failed, and it may be published", "cut", TEXTS.unclear, true],
  ])("too many times, %s", async (_, scenario, reason, mayBePublished) => {
    const creator = await setup.insertCreator();
    const scheduled = await setup.scheduled(creator);
    const where = { account: creator.account.username };
    if (scenario) {
      await setup.pinterest.addFault({ match: CREATE, scenario, where });
      await setup.pinterest.addFault({ match: LIST, scenario: "unavailable", times: 50, where });
      await setup.drive(scheduled, { rounds: 1 });
    } else await claimPin(setup.job(), scheduled);
    for (let breakdown = 0; breakdown <= FAILED_RUNS_MAX; breakdown += 1) {
      await releasePin(setup.job(), scheduled);
      await setup.moveClock(5 * HOUR_MS);
      await startDuePins(setup.job());
    }
    expect(await setup.pin(scheduled.pinId)).toMatchObject({ status: "failed", reason, mayBePublished });
    expect(await setup.attempts(scheduled.pinId)).toMatchObject([{ state: "settled" }]);
  });

  test("a pin that was started often does not fail at its first crash", async () => {
    const creator = await setup.insertCreator();
    const scheduled = await setup.scheduled(creator);
    await setup.harness.database.db
      .update(pins)
      .set({ sweeps: 2 * FAILED_RUNS_MAX })
      .where(eq(pins.id, scheduled.pinId));
    await claimPin(setup.job(), scheduled);
    await releasePin(setup.job(), scheduled);
    expect(await setup.pin(scheduled.pinId)).toMatchObject({ status: "scheduled", failedRuns: 1 });
    expect(await isStarted(scheduled)).toBe(true);
    await setup.drive(scheduled);
    await expectOnce(creator, scheduled);
  });

  test("the image is missing in storage: failed with a reason, nothing sent", async () => {
    const creator = await setup.insertCreator();
    await checkStorage(setup.job());
    const scheduled = await setup.scheduled(creator, { imageKey: "pins/nowhere.jpg" });
    expect(await setup.drive(scheduled)).toMatchObject({ result: "failed" });
    expect(await setup.pin(scheduled.pinId)).toMatchObject({ reason: TEXTS.imageMissing, mayBePublished: false });
    expect(await setup.attempts(scheduled.pinId)).toMatchObject([{ outcome: "rejected", calledAt: null }]);
  });
});
