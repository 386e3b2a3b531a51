import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { publishAttempts } from "#db/schema/publishing.ts";
import type { PinId } from "#lib/core/ids.ts";
import { addMs, DAY_MS, HOUR_MS, MINUTE_MS } from "#lib/core/time.ts";
import { deleteDrafts } from "#lib/features/pins/drafts.ts";
import { settleAttempt } from "#lib/features/publishing/attempts.ts";
import { CALL_LEASE_MS, TEXTS } from "#lib/features/publishing/constants.ts";
import { claimPin, sendPin } from "#lib/features/publishing/publisher.ts";
import { publishNow } from "#lib/features/publishing/retries.ts";
import { reschedulePin } from "#lib/features/publishing/scheduling.ts";
import { reschedulePinInput } from "#lib/features/publishing/schema.ts";
import { until } from "#tests/support/poll.ts";
import { CREATE, type Maker, publishingWorld } from "./publishing-house.ts";

const world = publishingWorld();

const code = (expected: string) => expect.objectContaining({ code: expected });
const at = (ms: number) => addMs(world.job().now(), ms);

/** Scheduled for later. */
const waiting = async (maker: Maker): Promise<PinId> => {
  const pinId = await world.draft(maker);
  await world.schedule(maker, [pinId]);
  await reschedulePin(maker.ctx, { pinId, at: at(DAY_MS) });
  return pinId;
};

const current = async (pinId: PinId) => ({ pinId, scheduleGeneration: (await world.pin(pinId)).scheduleGeneration });

const claimed = async (maker: Maker) => {
  const scheduled = await world.scheduled(maker);
  const claim = await claimPin(world.job(), scheduled);
  if (claim.kind !== "attempt") throw new Error(claim.kind);
  return { ...scheduled, attemptId: claim.attemptId };
};

describe("reschedule, publish now", () => {
  test("a scheduled pin goes out at its new time, once, and not at the old one", async () => {
    const maker = await world.makeMaker();
    const old = await world.scheduled(maker);
    const later = at(2 * HOUR_MS);
    expect(await reschedulePin(maker.ctx, { pinId: old.pinId, at: later })).toEqual({
      scheduled_at: later.toISOString(),
    });
    expect(await world.drive(old)).toEqual({ kind: "done", result: "superseded" });
    expect(await world.publicPins(maker)).toEqual([]);
    const next = await current(old.pinId);
    expect(next.scheduleGeneration).toBe(old.scheduleGeneration + 1);
    expect(await claimPin(world.job(), next)).toMatchObject({ kind: "wait" });
    expect(world.house.sentEvents.map(({ id }) => id)).toContain(`publish:${old.pinId}:${next.scheduleGeneration}`);
    expect(await world.drive(next)).toMatchObject({ result: "published" });
    expect(await world.drive(old)).toMatchObject({ result: "superseded" });
    expect(await world.publicPins(maker)).toHaveLength(1);
  });

  test("a draft and a scheduled pin go out at once; it is written down that they were chosen (D9)", async () => {
    const maker = await world.makeMaker();
    const [draft, scheduled] = [await world.draft(maker), await waiting(maker)];
    for (const pinId of [draft, scheduled]) {
      await publishNow(maker.ctx, { pinId });
      expect(await world.pin(pinId)).toMatchObject({ status: "scheduled", chosenAt: expect.any(Date) });
      expect(await world.drive(await current(pinId))).toMatchObject({ result: "published" });
    }
    expect(await world.publicPins(maker)).toHaveLength(2);
  });

  test("R-API-31 not a foreign, absent or deleted pin, nor one in another state", async () => {
    const [maker, stranger] = [await world.makeMaker(), await world.makeMaker()];
    const [mine, deleted, draft] = [await waiting(maker), await world.draft(maker), await world.draft(maker)];
    await deleteDrafts(maker.ctx, { pinIds: [deleted] });
    for (const [ctx, pinId] of [
      [stranger.ctx, mine],
      [maker.ctx, deleted],
      [maker.ctx, "pin_00000000000000000000000000"],
      [maker.ctx, "' or 1=1 --"],
    ] as const) {
      await expect(publishNow(ctx, { pinId })).rejects.toEqual(code("not_found"));
      await expect(reschedulePin(ctx, { pinId, at: at(HOUR_MS) })).rejects.toEqual(code("not_found"));
    }
    await expect(reschedulePin(maker.ctx, { pinId: draft, at: at(HOUR_MS) })).rejects.toMatchObject({
      message: TEXTS.notScheduled,
    });
    const published = await world.scheduled(maker);
    await world.drive(published);
    await expect(publishNow(maker.ctx, published)).rejects.toMatchObject({ message: TEXTS.notPublishable });
    await expect(reschedulePin(maker.ctx, { ...published, at: at(HOUR_MS) })).rejects.toEqual(code("wrong_state"));
    expect(await world.publicPins(maker)).toHaveLength(1);
  });

  test("a time that has passed, too far ahead or none is refused; one that has just passed means now", async () => {
    const maker = await world.makeMaker();
    const pinId = await waiting(maker);
    const before = await world.pin(pinId);
    for (const wrong of [at(-2 * MINUTE_MS), at(367 * DAY_MS)]) {
      await expect(reschedulePin(maker.ctx, { pinId, at: wrong })).rejects.toEqual(code("invalid"));
    }
    for (const wrong of ["tomorrow", "2026-11-22T10:00:00", "", 1, null, "2026-13-01T00:00:00Z"]) {
      expect(reschedulePinInput.safeParse({ pinId, at: wrong }).success, String(wrong)).toBe(false);
    }
    expect(await world.pin(pinId)).toEqual(before);
    const { scheduled_at } = await reschedulePin(maker.ctx, { pinId, at: at(-5_000) });
    expect(Date.parse(scheduled_at)).toBeGreaterThan(at(-30_000).getTime());
    expect(await world.drive(await current(pinId))).toMatchObject({ result: "published" });
  });

  test("with the engine down the new schedule holds, and the sweep finds it", async () => {
    const maker = await world.makeMaker();
    const pinId = await waiting(maker);
    world.house.failNextSend();
    await publishNow(maker.ctx, { pinId });
    expect(await world.pin(pinId)).toMatchObject({ status: "scheduled" });
    expect(await world.drive(await current(pinId))).toMatchObject({ result: "published" });
  });
});

describe("R-SRV-03 moved while a run works on it", () => {
  test("claimed and not called yet: the run makes no call, the pin goes out once under its new schedule", async () => {
    const maker = await world.makeMaker();
    for (const move of [
      (pinId: PinId) => publishNow(maker.ctx, { pinId }),
      (pinId: PinId) => reschedulePin(maker.ctx, { pinId, at: at(HOUR_MS) }),
    ]) {
      await world.pinterest.forgetCalls();
      const attempt = await claimed(maker);
      await move(attempt.pinId);
      expect(await sendPin(world.job(), attempt)).toEqual({ kind: "not_called" });
      expect(await settleAttempt(world.job(), attempt)).toEqual({ kind: "done", result: "superseded" });
      expect(await world.pinterest.calls(CREATE)).toBe(0);
      expect(await world.receipt(attempt.pinId)).toMatchObject([{ outcome: "abandoned", calledAt: null }]);
      expect(await world.drive(await current(attempt.pinId))).toMatchObject({ result: "published" });
      expect(await world.pinterest.calls(CREATE)).toBe(1);
    }
    expect(await world.publicPins(maker)).toHaveLength(2);
  });

  test("its call is under way: it is refused, and the pin is there once", async () => {
    const maker = await world.makeMaker();
    const where = { account: maker.account.username };
    await world.pinterest.strike({ match: CREATE, delayMs: 1_500, where });
    const scheduled = await world.scheduled(maker);
    const run = world.drive(scheduled);
    const isCalling = async () => (await world.receipt(scheduled.pinId))[0]?.calledAt ?? undefined;
    await until(isCalling, { what: "the call" });
    await expect(publishNow(maker.ctx, scheduled)).rejects.toEqual(code("wrong_state"));
    await expect(reschedulePin(maker.ctx, { ...scheduled, at: at(HOUR_MS) })).rejects.toEqual(code("wrong_state"));
    expect(await run).toMatchObject({ result: "published" });
    expect(await world.publicPins(maker)).toHaveLength(1);
  });

  test("its answer is written down and not settled: it counts as published", async () => {
    const maker = await world.makeMaker();
    const attempt = await claimed(maker);
    await sendPin(world.job(), attempt);
    await expect(publishNow(maker.ctx, attempt)).rejects.toMatchObject({ message: TEXTS.alreadyPublished });
    expect((await world.pin(attempt.pinId)).status).toBe("published");
    expect(await world.publicPins(maker)).toHaveLength(1);
  });

  test("its outcome is not known: the new run looks at the board before it sends anything", async () => {
    const maker = await world.makeMaker();
    const where = { account: maker.account.username };
    await world.pinterest.strike({ match: CREATE, scenario: "reply-lost-after-creating", where });
    const attempt = await claimed(maker);
    await sendPin(world.job(), attempt);
    // As if the answer were still awaited.
    const unanswered = { answeredAt: null, problem: null };
    await maker.ctx.db.update(publishAttempts).set(unanswered).where(eq(publishAttempts.id, attempt.attemptId));
    await expect(publishNow(maker.ctx, attempt)).rejects.toMatchObject({ message: TEXTS.beingPublished });
    await world.moveClock(CALL_LEASE_MS);
    await publishNow(maker.ctx, attempt);
    expect(await world.pin(attempt.pinId)).toMatchObject({ status: "scheduled", mayBePublished: true, reason: null });
    await world.pinterest.forgetCalls();
    expect(await world.drive(await current(attempt.pinId))).toMatchObject({ result: "published" });
    expect(await world.pinterest.calls(CREATE)).toBe(0);
    expect(await world.publicPins(maker)).toHaveLength(1);
  });

  test("whatever comes first: run, publish now and reschedule together leave one pin on the board", async () => {
    const maker = await world.makeMaker();
    const ROUNDS = 6;
    for (let round = 0; round < ROUNDS; round += 1) {
      const scheduled = await world.scheduled(maker);
      const { pinId } = scheduled;
      const moves = [
        () => world.drive(scheduled),
        () => publishNow(maker.ctx, { pinId }),
        () => reschedulePin(maker.ctx, { pinId, at: at(MINUTE_MS) }),
        () => publishNow(maker.ctx, { pinId }),
      ];
      // Another one is first each time.
      await Promise.allSettled([...moves.slice(round % 4), ...moves.slice(0, round % 4)].map((move) => move()));
      const last = await current(pinId);
      await Promise.all([world.drive(last), world.drive(scheduled)]);
      expect((await world.pin(pinId)).status).toBe("published");
      expect(await world.publicPins(maker)).toHaveLength(round + 1);
    }
  });
});
