import { describe, expect, test } from "vitest";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "#lib/core/time.ts";
import { LOOKING_LONGEST_MS, TEXTS } from "#lib/features/publishing/constants.ts";
import { claimPin } from "#lib/features/publishing/publisher.ts";
import { lookForPin } from "#lib/features/publishing/reconciliation.ts";
import { resendPin } from "#lib/features/publishing/retries.ts";
import { unschedulePin } from "#lib/features/publishing/scheduling.ts";
import { CREATE, LIST, publishingWorld } from "./publishing-house.ts";

const world = publishingWorld();

/** Schedules one pin, lets faults strike, works on it to the end, and tells where it stands. */
const publishUnder = async (...faults: { match: string; scenario: string; times?: number; skip?: number }[]) => {
  const maker = await world.makeMaker();
  const scheduled = await world.scheduled(maker);
  await world.pinterest.forgetCalls();
  for (const fault of faults) await world.pinterest.strike({ ...fault, where: { account: maker.account.username } });
  const end = await world.drive(scheduled);
  const { pinId } = scheduled;
  const [pin, receipt, there] = [await world.pin(pinId), await world.receipt(pinId), await world.publicPins(maker)];
  return { maker, scheduled, end, pin, receipt, there, creates: await world.pinterest.calls(CREATE) };
};

describe("R-SRV-03 a due pin is published once", () => {
  test("without faults: one call, one pin, a receipt with its id", async () => {
    const { pin, receipt, there, creates } = await publishUnder();
    expect(there).toHaveLength(1);
    expect(there[0]).toMatchObject({
      id: pin.pinterestPinId,
      title: pin.title,
      ai_disclosures: { values: ["AI_MODIFIED"] },
      picture: { contentType: "image/jpeg" },
    });
    expect(pin).toMatchObject({ status: "published", reason: null, mayBePublished: false, wakeAt: null });
    expect(pin.publishedAt).not.toBeNull();
    expect(receipt).toMatchObject([
      { number: 1, outcome: "created", httpStatus: 201, pinterestPinId: pin.pinterestPinId },
    ]);
    expect(creates).toBe(1);
  });

  test.each([
    "reply-lost-after-creating",
    "hang-after-creating",
    "server-error-after-creating",
    "malformed-after-creating",
  ])("created, then %s: found on the board, never sent again", async (scenario) => {
    const { pin, receipt, there, creates } = await publishUnder({ match: CREATE, scenario });
    expect(creates).toBe(1);
    expect(there).toHaveLength(1);
    expect(pin).toMatchObject({ status: "published", pinterestPinId: there[0]?.id });
    expect(receipt).toMatchObject([{ outcome: "found", problem: "unknown", pinterestPinId: there[0]?.id }]);
  });

  test.each(["cut", "server-error", "unavailable", "malformed"])(
    "not created, %s: absent in two looks, then one new attempt",
    async (scenario) => {
      const { pin, receipt, there, creates } = await publishUnder({ match: CREATE, scenario });
      expect(creates).toBe(2);
      expect(there).toHaveLength(1);
      expect(pin.status).toBe("published");
      expect(receipt).toMatchObject([
        { number: 2, outcome: "created" },
        { number: 1, outcome: "absent", looks: 2 },
      ]);
    },
  );

  test("unclear twice and absent both times: failed, and it may be published", async () => {
    const { pin, receipt, there, creates } = await publishUnder({ match: CREATE, scenario: "server-error", times: 5 });
    expect(creates).toBe(2);
    expect(there).toHaveLength(0);
    expect(pin).toMatchObject({ status: "failed", reason: TEXTS.unclear, mayBePublished: true });
    expect(receipt.map(({ outcome }) => outcome)).toEqual(["unclear", "absent"]);
  });

  test("the listing fails while looking: looked for again with growing pauses, then found", async () => {
    const { pin, there, creates } = await publishUnder(
      { match: CREATE, scenario: "reply-lost-after-creating" },
      { match: LIST, scenario: "unavailable", times: 3 },
    );
    expect([creates, there.length, pin.status]).toEqual([1, 1, "published"]);
  });

  test("the board cannot be listed for an hour: settled within a minute after it can be again, with few searches", async () => {
    const maker = await world.makeMaker();
    const where = { account: maker.account.username };
    await world.pinterest.strike({ match: CREATE, scenario: "reply-lost-after-creating", where });
    await world.pinterest.strike({ match: LIST, scenario: "unavailable", times: 500, where });
    const scheduled = await world.scheduled(maker);
    await world.drive(scheduled, { naps: 6 });
    await world.moveClock(HOUR_MS);
    await world.drive(scheduled, { naps: 3 });
    await world.pinterest.clearFaults();
    const back = world.job().now().getTime();
    await world.drive(scheduled);
    expect(await world.pin(scheduled.pinId)).toMatchObject({ status: "published" });
    expect(world.job().now().getTime() - back).toBeLessThan(MINUTE_MS);
    expect((await world.receipt(scheduled.pinId))[0]?.looks).toBe(1);
  });

  test("the board can never be listed: failed after days, and it may be published", async () => {
    const maker = await world.makeMaker();
    const where = { account: maker.account.username };
    await world.pinterest.strike({ match: CREATE, scenario: "reply-lost-after-creating", where });
    await world.pinterest.strike({ match: LIST, scenario: "unavailable", times: 500, where });
    const scheduled = await world.scheduled(maker);
    await world.drive(scheduled, { naps: 4 });
    expect(await world.pin(scheduled.pinId)).toMatchObject({ status: "scheduled" });
    await world.moveClock(LOOKING_LONGEST_MS);
    await world.drive(scheduled, { naps: 4 });
    expect(await world.pin(scheduled.pinId)).toMatchObject({
      status: "failed",
      mayBePublished: true,
      pinterestPinId: null,
    });
  });

  test("the board is gone while looking: failed, and it may be published", async () => {
    const { pin } = await publishUnder(
      { match: CREATE, scenario: "reply-lost-after-creating" },
      { match: LIST, scenario: "board-gone", times: 50 },
    );
    expect(pin).toMatchObject({ status: "failed", reason: TEXTS.boardGoneUnclear, mayBePublished: true });
  });
});

describe("R-SRV-04 refusals", () => {
  test.each(["board-gone", "image-too-small", "image-broken", "link-invalid", "not-permitted"])(
    "%s is permanent: failed at once with a readable reason",
    async (scenario) => {
      const { pin, receipt, there, creates } = await publishUnder({ match: CREATE, scenario });
      expect([creates, there.length]).toEqual([1, 0]);
      expect(pin).toMatchObject({ status: "failed", mayBePublished: false });
      expect(pin.reason).toMatch(/^[A-Z].{10,}\.$/);
      expect(receipt).toMatchObject([{ outcome: "rejected" }]);
    },
  );

  test.each(["rate-limited", "rate-limited-bare", "rate-limited-retry-after", "board-busy", "image-unreachable"])(
    "%s passes: tried again until it is taken",
    async (scenario) => {
      const { pin, receipt, there, creates } = await publishUnder({ match: CREATE, scenario, times: 3 });
      expect([creates, there.length, pin.status]).toEqual([4, 1, "published"]);
      expect(receipt.map(({ outcome }) => outcome)).toEqual(["created", "later", "later", "later"]);
    },
  );

  test("a refusal that never passes ends after many tries with a reason", async () => {
    const { pin, there } = await publishUnder({ match: CREATE, scenario: "rate-limited-bare", times: 100 });
    expect(there).toHaveLength(0);
    expect(pin.status).toBe("failed");
    expect(pin.reason).toContain(TEXTS.triedOften);
  });

  test("a rate limit holds back the account's other pins for as long as Pinterest says", async () => {
    const maker = await world.makeMaker();
    const [first, second] = [await world.scheduled(maker), await world.scheduled(maker)];
    const rule = { match: CREATE, scenario: "rate-limited", headers: { "retry-after": "600" } };
    await world.pinterest.strike({ ...rule, where: { account: maker.account.username } });
    const from = world.job().now().getTime();
    await world.drive(first, { naps: 1 });
    await world.pinterest.forgetCalls();
    const claim = await claimPin(world.job(), second);
    expect(claim.kind).toBe("wait");
    expect(await world.pin(second.pinId)).toMatchObject({ status: "scheduled", reason: TEXTS.accountPaused });
    expect(await world.drive(second)).toMatchObject({ result: "published" });
    expect(world.job().now().getTime() - from).toBeGreaterThanOrEqual(600_000);
    expect(await world.drive(first)).toMatchObject({ result: "published" });
    expect(await world.publicPins(maker)).toHaveLength(2);
  });

  test("a spam block pauses the account for 24 hours, and says so", async () => {
    const maker = await world.makeMaker();
    const scheduled = await world.scheduled(maker);
    await world.pinterest.strike({ match: CREATE, scenario: "spam-block", where: { account: maker.account.username } });
    const from = world.job().now().getTime();
    const move = await world.drive(scheduled, { naps: 1 });
    expect(move.kind).toBe("wait");
    expect(await world.pin(scheduled.pinId)).toMatchObject({ status: "scheduled" });
    expect((await world.pin(scheduled.pinId)).reason).toContain("24 hours");
    expect(await world.drive(scheduled)).toMatchObject({ result: "published" });
    expect(world.job().now().getTime() - from).toBeGreaterThanOrEqual(DAY_MS);
  });

  test("trial access holds the queue and never fails a pin", async () => {
    const { pin, there, receipt } = await publishUnder({ match: CREATE, scenario: "trial-access", times: 4 });
    expect([there.length, pin.status]).toEqual([1, "published"]);
    expect(receipt).toHaveLength(5);
    expect(receipt[4]?.problemText).toContain("awaits");
    expect((pin.publishedAt?.getTime() ?? 0) - (pin.scheduledAt?.getTime() ?? 0)).toBeGreaterThan(4 * HOUR_MS);
  });

  test("a deployment that does not know the AI label gets the pin without it, noted on the receipt", async () => {
    const { pin, receipt, there } = await publishUnder({ match: CREATE, scenario: "ai-disclosures-unknown" });
    expect([there.length, pin.status]).toEqual([1, "published"]);
    expect(receipt[0]?.note).toContain("ai_disclosures");
  });
});

describe("R-SRV-03 a run does not wake for nothing, and none ends without another", () => {
  test("after a failed look it sleeps as long as Pinterest asks, not as long as the account's gap", async () => {
    const maker = await world.makeMaker();
    const scheduled = await world.scheduled(maker);
    const where = { account: maker.account.username };
    await world.pinterest.strike({ match: CREATE, scenario: "reply-lost-after-creating", where });
    await world.pinterest.strike({ match: LIST, scenario: "rate-limited", headers: { "retry-after": "600" }, where });
    expect((await world.drive(scheduled, { naps: 1 })).kind).toBe("look");
    const [attempt] = await world.receipt(scheduled.pinId);
    if (!attempt) throw new Error("There is no attempt.");
    const again = await lookForPin(world.job(), { ...scheduled, attemptId: attempt.id });
    expect(again.kind === "look" && again.afterMs).toBeGreaterThan(5 * MINUTE_MS);
  });

  test("a run that has used up its steps starts the next one at once, and only one when it says so twice", async () => {
    const maker = await world.makeMaker();
    const scheduled = await world.scheduled(maker);
    const sent = () => world.house.sentEvents.filter(({ id }) => id.startsWith(`publish:${scheduled.pinId}`));
    const requested = { ...scheduled, accountId: maker.account.id, sweeps: 0 };
    world.house.failNextSend();
    await expect(resendPin(world.job(), requested)).rejects.toThrow();
    expect(await resendPin(world.job(), requested)).toBe("sent");
    expect(await resendPin(world.job("other"), { ...requested, sweeps: 1 })).toBe("sent");
    expect(await resendPin(world.job(), requested)).toBe("not_needed");
    expect((await world.pin(scheduled.pinId)).sweeps).toBe(2);
    expect(sent()).toMatchObject([
      { id: `publish:${scheduled.pinId}:1`, data: { sweeps: 0 } },
      { id: `publish:${scheduled.pinId}:1:sweep1`, data: { sweeps: 1 } },
    ]);
    await unschedulePin(maker.ctx, { pinId: scheduled.pinId });
    expect(await resendPin(world.job(), { ...requested, sweeps: 2 })).toBe("not_needed");
  });
});
