import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { publishAttempts } from "#db/schema/publishing.ts";
import type { PinId } from "#lib/core/ids.ts";
import { addMs, DAY_MS, HOUR_MS, MINUTE_MS } from "#lib/core/time.ts";
import { deleteDrafts } from "#lib/features/pins/drafts.ts";
import { settleAttempt } from "#lib/features/publishing/attempts.ts";
import { CALL_LEASE_MS, TEXTS } from "#lib/features/publishing/constants.ts";
import { startDuePins } from "#lib/features/publishing/due-pins.ts";
import { claimPin, sendPin } from "#lib/features/publishing/publisher.ts";
import { publishNow } from "#lib/features/publishing/retries.ts";
import { reschedulePin } from "#lib/features/publishing/scheduling.ts";
import { reschedulePinInput } from "#lib/features/publishing/schema.ts";
import { until } from "#tests/support/poll.ts";
import { CREATE, type Creator, publishingSetup } from "./publishing-harness.ts";

const setup = publishingSetup();

const code = (expected: string) => expect.objectContaining({ code: expected });
const at = (ms: number) => addMs(setup.job().now(), ms);

/** Scheduled for later. */
const waiting = async (creator: Creator): Promise<PinId> => {
  const pinId = await setup.draft(creator);
  await setup.schedule(creator, [pinId]);
  await reschedulePin(creator.ctx, { pinId, at: at(DAY_MS) });
  return pinId;
};

const current = async (pinId: PinId) => ({ pinId, scheduleGeneration: (await setup.pin(pinId)).scheduleGeneration });

const claimed = async (creator: Creator) => {
  const scheduled = await setup.scheduled(creator);
  const claim = await claimPin(setup.job(), scheduled);
  if (claim.kind !== "attempt") throw new Error(claim.kind);
  return { ...scheduled, attemptId: claim.attemptId };
};

describe("reschedule and publish now", () => {
  test("a rescheduled pin goes out once, at its new time", async () => {
    const creator = await setup.insertCreator();
    const old = await setup.scheduled(creator);
    const later = at(2 * HOUR_MS);
    expect(await reschedulePin(creator.ctx, { pinId: old.pinId, at: later })).toEqual({
      scheduled_at: later.toISOString(),
    });
    expect(await setup.drive(old)).toEqual({ kind: "done", result: "superseded" });
    expect(await setup.publicPins(creator)).toEqual([]);
    const next = await current(old.pinId);
    expect(next.scheduleGeneration).toBe(old.scheduleGeneration + 1);
    expect(await claimPin(setup.job(), next)).toMatchObject({ kind: "wait" });
    expect(await setup.drive(next)).toMatchObject({ result: "published" });
    expect(await setup.drive(old)).toMatchObject({ result: "superseded" });
    expect(await setup.publicPins(creator)).toHaveLength(1);
  });

  test("publish now sends a draft and a scheduled pin at once and records the user's choice", async () => {
    const creator = await setup.insertCreator();
    const [draft, scheduled] = [await setup.draft(creator), await waiting(creator)];
    for (const pinId of [draft, scheduled]) {
      await publishNow(creator.ctx, { pinId });
      expect(await setup.pin(pinId)).toMatchObject({ status: "scheduled", chosenAt: expect.any(Date) });
      expect(await setup.drive(await current(pinId))).toMatchObject({ result: "published" });
    }
    expect(await setup.publicPins(creator)).toHaveLength(2);
  });

  test("R-API-31 refuses another user's, unknown, and deleted pins, and other statuses", async () => {
    const [creator, stranger] = [await setup.insertCreator(), await setup.insertCreator()];
    const [mine, deleted, draft] = [await waiting(creator), await setup.draft(creator), await setup.draft(creator)];
    await deleteDrafts(creator.ctx, { pinIds: [deleted] });
    for (const [ctx, pinId] of [
      [stranger.ctx, mine],
      [creator.ctx, deleted],
      [creator.ctx, "pin_00000000000000000000000000"],
      [creator.ctx, "' or 1=1 --"],
    ] as const) {
      await expect(publishNow(ctx, { pinId })).rejects.toEqual(code("not_found"));
      await expect(reschedulePin(ctx, { pinId, at: at(HOUR_MS) })).rejects.toEqual(code("not_found"));
    }
    await expect(reschedulePin(creator.ctx, { pinId: draft, at: at(HOUR_MS) })).rejects.toMatchObject({
      message: TEXTS.notScheduled,
    });
    const published = await setup.scheduled(creator);
    await setup.drive(published);
    await expect(publishNow(creator.ctx, published)).rejects.toMatchObject({ message: TEXTS.notPublishable });
    await expect(reschedulePin(creator.ctx, { ...published, at: at(HOUR_MS) })).rejects.toEqual(code("wrong_state"));
    expect(await setup.publicPins(creator)).toHaveLength(1);
  });

  test("refuses past, too distant, and invalid times; a time that just passed means now", async () => {
    const creator = await setup.insertCreator();
    const pinId = await waiting(creator);
    const before = await setup.pin(pinId);
    for (const wrong of [at(-2 * MINUTE_MS), at(367 * DAY_MS)]) {
      await expect(reschedulePin(creator.ctx, { pinId, at: wrong })).rejects.toEqual(code("invalid"));
    }
    for (const wrong of ["tomorrow", "2026-11-22T10:00:00", "", 1, null, "2026-13-01T00:00:00Z"]) {
      expect(reschedulePinInput.safeParse({ pinId, at: wrong }).success, String(wrong)).toBe(false);
    }
    expect(await setup.pin(pinId)).toEqual(before);
    const { scheduled_at } = await reschedulePin(creator.ctx, { pinId, at: at(-5_000) });
    expect(Date.parse(scheduled_at)).toBeGreaterThan(at(-30_000).getTime());
    expect(await setup.drive(await current(pinId))).toMatchObject({ result: "published" });
  });

  test("with the engine down the new schedule stands, and the next scan starts it", async () => {
    const creator = await setup.insertCreator();
    const pinId = await waiting(creator);
    setup.harness.failNextSend();
    await publishNow(creator.ctx, { pinId });
    expect(await setup.pin(pinId)).toMatchObject({ status: "scheduled" });
    await startDuePins(setup.job());
    const next = await current(pinId);
    const isNext = expect.stringMatching(`^publish:${pinId}:${next.scheduleGeneration}:`);
    expect(setup.harness.sentEvents.at(-1)).toMatchObject({ id: isNext });
    expect(await setup.drive(next)).toMatchObject({ result: "published" });
  });
});

describe("R-SRV-03 moved during a run", () => {
  test("claimed but not called: the run makes no call, and the pin goes out once under its new schedule", async () => {
    const creator = await setup.insertCreator();
    for (const move of [
      (pinId: PinId) => publishNow(creator.ctx, { pinId }),
      (pinId: PinId) => reschedulePin(creator.ctx, { pinId, at: at(HOUR_MS) }),
    ]) {
      await setup.pinterest.resetCalls();
      const attempt = await claimed(creator);
      await move(attempt.pinId);
      expect(await sendPin(setup.job(), attempt)).toEqual({ kind: "not_called" });
      expect(await settleAttempt(setup.job(), attempt)).toEqual({ kind: "done", result: "superseded" });
      expect(await setup.pinterest.calls(CREATE)).toBe(0);
      expect(await setup.attempts(attempt.pinId)).toMatchObject([{ outcome: "abandoned", calledAt: null }]);
      expect(await setup.drive(await current(attempt.pinId))).toMatchObject({ result: "published" });
      expect(await setup.pinterest.calls(CREATE)).toBe(1);
    }
    expect(await setup.publicPins(creator)).toHaveLength(2);
  });

  test("its call is in flight: refused, and the pin is published once", async () => {
    const creator = await setup.insertCreator();
    const where = { account: creator.account.username };
    await setup.pinterest.addFault({ match: CREATE, delayMs: 1_500, where });
    const scheduled = await setup.scheduled(creator);
    const run = setup.drive(scheduled);
    const isCalling = async () => (await setup.attempts(scheduled.pinId))[0]?.calledAt ?? undefined;
    await until(isCalling, { what: "the call" });
    await expect(publishNow(creator.ctx, scheduled)).rejects.toEqual(code("wrong_state"));
    await expect(reschedulePin(creator.ctx, { ...scheduled, at: at(HOUR_MS) })).rejects.toEqual(code("wrong_state"));
    expect(await run).toMatchObject({ result: "published" });
    expect(await setup.publicPins(creator)).toHaveLength(1);
  });

  test("its answer is recorded but not settled: it counts as published", async () => {
    const creator = await setup.insertCreator();
    const attempt = await claimed(creator);
    await sendPin(setup.job(), attempt);
    await expect(publishNow(creator.ctx, attempt)).rejects.toMatchObject({ message: TEXTS.alreadyPublished });
    expect((await setup.pin(attempt.pinId)).status).toBe("published");
    expect(await setup.publicPins(creator)).toHaveLength(1);
  });

  test("its outcome is unknown: the new run checks the board before it sends anything", async () => {
    const creator = await setup.insertCreator();
    const where = { account: creator.account.username };
    await setup.pinterest.addFault({ match: CREATE, scenario: "reply-lost-after-creating", where });
    const attempt = await claimed(creator);
    await sendPin(setup.job(), attempt);
    // Simulates a call whose response is pending.
    const unanswered = { answeredAt: null, problem: null };
    await creator.ctx.db.update(publishAttempts).set(unanswered).where(eq(publishAttempts.id, attempt.attemptId));
    await expect(publishNow(creator.ctx, attempt)).rejects.toMatchObject({ message: TEXTS.beingPublished });
    await setup.moveClock(CALL_LEASE_MS);
    await publishNow(creator.ctx, attempt);
    expect(await setup.pin(attempt.pinId)).toMatchObject({ status: "scheduled", mayBePublished: true, reason: null });
    await setup.pinterest.resetCalls();
    expect(await setup.drive(await current(attempt.pinId))).toMatchObject({ result: "published" });
    expect(await setup.pinterest.calls(CREATE)).toBe(0);
    expect(await setup.publicPins(creator)).toHaveLength(1);
  });

  test("run, publish now and reschedule in any order leave one pin on the board", async () => {
    const creator = await setup.insertCreator();
    const ROUNDS = 6;
    for (let round = 0; round < ROUNDS; round += 1) {
      const scheduled = await setup.scheduled(creator);
      const { pinId } = scheduled;
      const moves = [
        () => setup.drive(scheduled),
        () => publishNow(creator.ctx, { pinId }),
        () => reschedulePin(creator.ctx, { pinId, at: at(MINUTE_MS) }),
        () => publishNow(creator.ctx, { pinId }),
      ];
      // A different move goes first each round.
      await Promise.allSettled([...moves.slice(round % 4), ...moves.slice(0, round % 4)].map((move) => move()));
      const last = await current(pinId);
      await Promise.all([setup.drive(last), setup.drive(scheduled)]);
      expect((await setup.pin(pinId)).status).toBe("published");
      expect(await setup.publicPins(creator)).toHaveLength(round + 1);
    }
  });
});
