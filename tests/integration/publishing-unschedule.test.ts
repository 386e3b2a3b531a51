import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { publishAttempts } from "#db/schema/publishing.ts";
import { TEXTS as PIN_TEXTS } from "#lib/features/pins/constants.ts";
import { editDraft } from "#lib/features/pins/edits.ts";
import { CALL_LEASE_MS, TEXTS } from "#lib/features/publishing/constants.ts";
import { claimPin, sendPin } from "#lib/features/publishing/publisher.ts";
import { retryPin } from "#lib/features/publishing/retries.ts";
import { unschedulePin } from "#lib/features/publishing/scheduling.ts";
import { CREATE, type Creator, publishingSetup } from "./publishing-harness.ts";

const setup = publishingSetup();

const code = (expected: string) => expect.objectContaining({ code: expected });

describe("unschedule and retry", () => {
  test("a scheduled pin becomes a draft; another user's pin is refused", async () => {
    const [creator, stranger] = [await setup.insertCreator(), await setup.insertCreator()];
    const scheduled = await setup.scheduled(creator);
    const { pinId } = scheduled;
    await expect(unschedulePin(stranger.ctx, { pinId })).rejects.toEqual(code("not_found"));
    await claimPin(setup.job(), scheduled);
    await unschedulePin(creator.ctx, { pinId });
    expect(await setup.pin(pinId)).toMatchObject({ status: "draft", scheduledAt: null });
    expect(await setup.attempts(pinId)).toMatchObject([{ state: "settled", outcome: "abandoned", calledAt: null }]);
    await expect(unschedulePin(creator.ctx, { pinId })).rejects.toEqual(code("wrong_state"));
  });

  const callFor = async (creator: Creator) => {
    const scheduled = await setup.scheduled(creator);
    const claim = await claimPin(setup.job(), scheduled);
    if (claim.kind !== "attempt") throw new Error(claim.kind);
    await sendPin(setup.job(), { ...scheduled, attemptId: claim.attemptId });
    return scheduled;
  };

  test("R-SRV-03 a call in flight cannot be undone; after its lease the pin becomes a marked draft", async () => {
    const creator = await setup.insertCreator();
    const where = { account: creator.account.username };
    await setup.pinterest.addFault({ match: CREATE, scenario: "reply-lost-after-creating", where });
    const { pinId } = await callFor(creator);
    const onItsWay = { answeredAt: null, problem: null };
    await setup.harness.database.db.update(publishAttempts).set(onItsWay).where(eq(publishAttempts.pinId, pinId));
    await expect(unschedulePin(creator.ctx, { pinId })).rejects.toMatchObject({ message: TEXTS.beingPublished });
    await setup.moveClock(CALL_LEASE_MS);
    await unschedulePin(creator.ctx, { pinId });
    expect(await setup.pin(pinId)).toMatchObject({
      status: "draft",
      mayBePublished: true,
      reason: TEXTS.unscheduledUnclear,
    });
    await expect(editDraft(creator.ctx, { pinId, title: "x" })).rejects.toMatchObject({
      message: PIN_TEXTS.mayBePublished,
    });
    await setup.pinterest.resetCalls();
    await setup.schedule(creator, [pinId]);
    expect(await setup.drive({ pinId, scheduleGeneration: 2 })).toMatchObject({ result: "published" });
    expect(await setup.pinterest.calls(CREATE)).toBe(0);
    expect(await setup.publicPins(creator)).toHaveLength(1);
  });

  test("a pin that Pinterest already created is published, not a draft", async () => {
    const creator = await setup.insertCreator();
    const { pinId } = await callFor(creator);
    await expect(unschedulePin(creator.ctx, { pinId })).rejects.toMatchObject({ message: TEXTS.alreadyPublished });
    const [listed] = await setup.publicPins(creator);
    expect(await setup.pin(pinId)).toMatchObject({ status: "published", pinterestPinId: listed?.id });
  });

  test("a failed pin is retried at once; others are refused", async () => {
    const creator = await setup.insertCreator();
    const scheduled = await setup.scheduled(creator);
    await expect(retryPin(creator.ctx, scheduled)).rejects.toEqual(code("wrong_state"));
    await setup.pinterest.addFault({
      match: CREATE,
      scenario: "link-invalid",
      where: { account: creator.account.username },
    });
    expect(await setup.drive(scheduled)).toMatchObject({ result: "failed" });
    await retryPin(creator.ctx, scheduled);
    expect(setup.harness.sentEvents.at(-1)).toMatchObject({
      id: expect.stringMatching(`^publish:${scheduled.pinId}:2:`),
    });
    expect(await setup.drive({ ...scheduled, scheduleGeneration: 2 })).toMatchObject({ result: "published" });
    expect(await setup.publicPins(creator)).toHaveLength(1);
  });

  test.each([
    ["it is there: found, nothing is sent", "reply-lost-after-creating", 0],
    ["it is not there: one new attempt", "cut", 1],
  ])("R-SRV-03 retrying a pin that may be published checks the board first; %s", async (_, scenario, creates) => {
    const creator = await setup.insertCreator();
    const scheduled = await setup.scheduled(creator);
    const where = { account: creator.account.username };
    await setup.pinterest.addFault({ match: CREATE, scenario, where });
    await setup.pinterest.addFault({ match: "GET /v5/boards/:id/pins", scenario: "not-permitted", times: 9, where });
    expect(await setup.drive(scheduled)).toMatchObject({ result: "failed" });
    expect(await setup.pin(scheduled.pinId)).toMatchObject({ mayBePublished: true, reason: TEXTS.unclear });
    await setup.pinterest.clearFaults();
    await setup.pinterest.resetCalls();
    await retryPin(creator.ctx, scheduled);
    expect(await setup.drive({ ...scheduled, scheduleGeneration: 2 })).toMatchObject({ result: "published" });
    expect(await setup.pinterest.calls(CREATE)).toBe(creates);
    expect(await setup.publicPins(creator)).toHaveLength(1);
    expect(await setup.pin(scheduled.pinId)).toMatchObject({ mayBePublished: false, reason: null });
  });
});
