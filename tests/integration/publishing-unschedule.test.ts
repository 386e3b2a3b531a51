import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { publishAttempts } from "#db/schema/publishing.ts";
import { TEXTS as PIN_TEXTS } from "#lib/features/pins/constants.ts";
import { editDraft } from "#lib/features/pins/edits.ts";
import { CALL_LEASE_MS, TEXTS } from "#lib/features/publishing/constants.ts";
import { claimPin, sendPin } from "#lib/features/publishing/publisher.ts";
import { retryPin } from "#lib/features/publishing/retries.ts";
import { unschedulePin } from "#lib/features/publishing/scheduling.ts";
import { CREATE, type Maker, publishingWorld } from "./publishing-house.ts";

const world = publishingWorld();

const code = (expected: string) => expect.objectContaining({ code: expected });

describe("unschedule, retry", () => {
  test("a scheduled pin becomes a draft; not a foreign one", async () => {
    const [maker, stranger] = [await world.makeMaker(), await world.makeMaker()];
    const scheduled = await world.scheduled(maker);
    const { pinId } = scheduled;
    await expect(unschedulePin(stranger.ctx, { pinId })).rejects.toEqual(code("not_found"));
    await claimPin(world.job(), scheduled);
    await unschedulePin(maker.ctx, { pinId });
    expect(await world.pin(pinId)).toMatchObject({ status: "draft", scheduledAt: null });
    expect(await world.receipt(pinId)).toMatchObject([{ state: "settled", outcome: "abandoned", calledAt: null }]);
    await expect(unschedulePin(maker.ctx, { pinId })).rejects.toEqual(code("wrong_state"));
  });

  const callFor = async (maker: Maker) => {
    const scheduled = await world.scheduled(maker);
    const claim = await claimPin(world.job(), scheduled);
    if (claim.kind !== "attempt") throw new Error(claim.kind);
    await sendPin(world.job(), { ...scheduled, attemptId: claim.attemptId });
    return scheduled;
  };

  test("R-SRV-03 a call on its way cannot be taken back; after its lease the pin becomes a marked draft", async () => {
    const maker = await world.makeMaker();
    const where = { account: maker.account.username };
    await world.pinterest.strike({ match: CREATE, scenario: "reply-lost-after-creating", where });
    const { pinId } = await callFor(maker);
    const onItsWay = { answeredAt: null, problem: null };
    await world.house.database.db.update(publishAttempts).set(onItsWay).where(eq(publishAttempts.pinId, pinId));
    await expect(unschedulePin(maker.ctx, { pinId })).rejects.toMatchObject({ message: TEXTS.beingPublished });
    await world.moveClock(CALL_LEASE_MS);
    await unschedulePin(maker.ctx, { pinId });
    expect(await world.pin(pinId)).toMatchObject({
      status: "draft",
      mayBePublished: true,
      reason: TEXTS.unscheduledUnclear,
    });
    await expect(editDraft(maker.ctx, { pinId, title: "x" })).rejects.toMatchObject({
      message: PIN_TEXTS.mayBePublished,
    });
    await world.pinterest.forgetCalls();
    await world.schedule(maker, [pinId]);
    expect(await world.drive({ pinId, scheduleGeneration: 2 })).toMatchObject({ result: "published" });
    expect(await world.pinterest.calls(CREATE)).toBe(0);
    expect(await world.publicPins(maker)).toHaveLength(1);
  });

  test("one whose receipt says that it was created is published, not a draft", async () => {
    const maker = await world.makeMaker();
    const { pinId } = await callFor(maker);
    await expect(unschedulePin(maker.ctx, { pinId })).rejects.toMatchObject({ message: TEXTS.alreadyPublished });
    const [there] = await world.publicPins(maker);
    expect(await world.pin(pinId)).toMatchObject({ status: "published", pinterestPinId: there?.id });
  });

  test("a failed pin is retried at once; others are not", async () => {
    const maker = await world.makeMaker();
    const scheduled = await world.scheduled(maker);
    await expect(retryPin(maker.ctx, scheduled)).rejects.toEqual(code("wrong_state"));
    await world.pinterest.strike({
      match: CREATE,
      scenario: "link-invalid",
      where: { account: maker.account.username },
    });
    expect(await world.drive(scheduled)).toMatchObject({ result: "failed" });
    await retryPin(maker.ctx, scheduled);
    expect(world.house.sentEvents.at(-1)).toMatchObject({ id: `publish:${scheduled.pinId}:2` });
    expect(await world.drive({ ...scheduled, scheduleGeneration: 2 })).toMatchObject({ result: "published" });
    expect(await world.publicPins(maker)).toHaveLength(1);
  });

  test.each([
    ["it is there: found, nothing is sent", "reply-lost-after-creating", 0],
    ["it is not there: one new attempt", "cut", 1],
  ])("R-SRV-03 retrying one that may be published looks first; %s", async (_, scenario, creates) => {
    const maker = await world.makeMaker();
    const scheduled = await world.scheduled(maker);
    const where = { account: maker.account.username };
    await world.pinterest.strike({ match: CREATE, scenario, where });
    await world.pinterest.strike({ match: "GET /v5/boards/:id/pins", scenario: "not-permitted", times: 9, where });
    expect(await world.drive(scheduled)).toMatchObject({ result: "failed" });
    expect(await world.pin(scheduled.pinId)).toMatchObject({ mayBePublished: true, reason: TEXTS.unclear });
    await world.pinterest.clearFaults();
    await world.pinterest.forgetCalls();
    await retryPin(maker.ctx, scheduled);
    expect(await world.drive({ ...scheduled, scheduleGeneration: 2 })).toMatchObject({ result: "published" });
    expect(await world.pinterest.calls(CREATE)).toBe(creates);
    expect(await world.publicPins(maker)).toHaveLength(1);
    expect(await world.pin(scheduled.pinId)).toMatchObject({ mayBePublished: false, reason: null });
  });
});
