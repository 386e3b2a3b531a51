import sharp, { type Sharp } from "sharp";
import { describe, expect, test } from "vitest";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "#lib/core/time.ts";
import { createSection } from "#lib/features/accounts/accounts.ts";
import { RECONCILIATION_MAX_MS, TEXTS } from "#lib/features/publishing/constants.ts";
import { claimPin, sendPin } from "#lib/features/publishing/publisher.ts";
import { reconcilePin } from "#lib/features/publishing/reconciliation.ts";
import { CREATE, LIST, publishingSetup, SHAPES } from "./publishing-harness.ts";

const setup = publishingSetup(() => ({ allowedHosts: [new URL(setup.pinterest.url).host] }));

/** Schedules a pin, injects faults, runs it to its end, and returns the result. */
const publishUnder = async (...faults: { match: string; scenario: string; times?: number; skip?: number }[]) => {
  const creator = await setup.insertCreator();
  const scheduled = await setup.scheduled(creator);
  await setup.pinterest.resetCalls();
  for (const fault of faults)
    await setup.pinterest.addFault({ ...fault, where: { account: creator.account.username } });
  const end = await setup.drive(scheduled);
  const { pinId } = scheduled;
  const [pin, attempts, listed] = [
    await setup.pin(pinId),
    await setup.attempts(pinId),
    await setup.publicPins(creator),
  ];
  return { creator, scheduled, end, pin, attempts, listed, creates: await setup.pinterest.calls(CREATE) };
};

describe("R-SRV-03 a due pin is published once", () => {
  test("without faults: one call, one pin, an attempt with its id", async () => {
    const { pin, attempts, listed, creates } = await publishUnder();
    expect(listed).toHaveLength(1);
    expect(listed[0]).toMatchObject({
      id: pin.pinterestPinId,
      title: pin.title,
      ai_disclosures: { values: ["AI_MODIFIED"] },
      image: { contentType: "image/jpeg" },
    });
    expect(pin).toMatchObject({ status: "published", reason: null, mayBePublished: false, wakeAt: null });
    expect(pin.publishedAt).not.toBeNull();
    expect(attempts).toMatchObject([
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
    const { pin, attempts, listed, creates } = await publishUnder({ match: CREATE, scenario });
    expect(creates).toBe(1);
    expect(listed).toHaveLength(1);
    expect(pin).toMatchObject({ status: "published", pinterestPinId: listed[0]?.id });
    expect(attempts).toMatchObject([{ outcome: "found", problem: "unknown", pinterestPinId: listed[0]?.id }]);
  });

  /** A due pin in a section, whose answer gets lost after Pinterest created it. */
  const lostInSection = async () => {
    const creator = await setup.insertCreator();
    const { ctx, account, boardId } = creator;
    const { id: boardSectionId } = await createSection(ctx, { accountId: account.id, boardId, name: "Fall" });
    const scheduled = await setup.scheduled(creator, { boardSectionId });
    await setup.pinterest.resetCalls();
    const where = { account: account.username };
    await setup.pinterest.addFault({ match: CREATE, scenario: "reply-lost-after-creating", where });
    return { creator, boardId, boardSectionId, scheduled };
  };

  test("in a section, created and the answer lost: found in the section, never sent again", async () => {
    const { creator, boardId, boardSectionId, scheduled } = await lostInSection();
    await setup.drive(scheduled);
    const listed = await setup.publicPins(creator);
    expect(listed).toMatchObject([{ board_id: boardId, board_section_id: boardSectionId }]);
    expect(await setup.pin(scheduled.pinId)).toMatchObject({ status: "published", pinterestPinId: listed[0]?.id });
    expect(await setup.pinterest.calls(CREATE)).toBe(1);
  });

  test("in a section that is gone before its pin is found: it may be published, and is not sent again", async () => {
    const { boardId, boardSectionId, scheduled } = await lostInSection();
    const claim = await claimPin(setup.job(), scheduled);
    if (claim.kind === "attempt") await sendPin(setup.job(), { ...scheduled, attemptId: claim.attemptId });
    expect(await setup.pinterest.calls(CREATE)).toBe(1);
    await setup.pinterest.removeSection(boardId, boardSectionId);
    await setup.drive(scheduled);
    expect(await setup.pin(scheduled.pinId)).toMatchObject({ status: "failed", mayBePublished: true });
    expect(await setup.pinterest.calls(CREATE)).toBe(1);
  });

  test("a section that was deleted since: failed with the reason, and nothing is published", async () => {
    const creator = await setup.insertCreator();
    const scheduled = await setup.scheduled(creator, { boardSectionId: "404" });
    await setup.drive(scheduled);
    expect(await setup.pin(scheduled.pinId)).toMatchObject({
      status: "failed",
      reason: expect.stringContaining("section no longer exists"),
    });
    expect(await setup.publicPins(creator)).toEqual([]);
  });

  test.each(["cut", "server-error", "unavailable", "malformed"])(
    "not created, %s: absent in two board checks, then one new attempt",
    async (scenario) => {
      const { pin, attempts, listed, creates } = await publishUnder({ match: CREATE, scenario });
      expect(creates).toBe(2);
      expect(listed).toHaveLength(1);
      expect(pin.status).toBe("published");
      expect(attempts).toMatchObject([
        { number: 2, outcome: "created" },
        { number: 1, outcome: "absent", boardChecks: 2 },
      ]);
    },
  );

  test("unknown twice and absent both times: failed, and it may be published", async () => {
    const { pin, attempts, listed, creates } = await publishUnder({
      match: CREATE,
      scenario: "server-error",
      times: 5,
    });
    expect(creates).toBe(2);
    expect(listed).toHaveLength(0);
    expect(pin).toMatchObject({ status: "failed", reason: TEXTS.unclear, mayBePublished: true });
    expect(attempts.map(({ outcome }) => outcome)).toEqual(["unclear", "absent"]);
  });

  describe("created with other texts, and the answer lost", () => {
    const rewritten = async (storedAs: (image: Sharp) => Sharp) => {
      const creator = await setup.insertCreator();
      const original = sharp(Buffer.from(SHAPES));
      const jpeg = await original.clone().jpeg().toBuffer();
      await creator.ctx.storage.put("pins/picture.jpg", jpeg);
      const { likeness } = await creator.ctx.images.describeJpeg(await storedAs(original).jpeg().toBuffer());
      const scheduled = await setup.scheduled(creator, { imageKey: "pins/picture.jpg", likeness });
      await setup.pinterest.resetCalls();
      const where = { account: creator.account.username };
      await setup.pinterest.addFault({ match: CREATE, scenario: "rewritten-after-creating", where });
      await setup.drive(scheduled);
      return { pin: await setup.pin(scheduled.pinId), creates: await setup.pinterest.calls(CREATE) };
    };

    test("its image shows that it may be ours: never sent again", async () => {
      const { pin, creates } = await rewritten((image) => image);
      expect(creates).toBe(1);
      expect(pin).toMatchObject({ status: "failed", reason: TEXTS.unclear, mayBePublished: true });
    });

    test("a pin with another image is not ours: sent again", async () => {
      const { pin, creates } = await rewritten((image) => image.clone().flop().negate());
      expect(creates).toBe(2);
      expect(pin).toMatchObject({ status: "published" });
    });
  });

  test("the listing fails during a board check: retried with growing delays, then found", async () => {
    const { pin, listed, creates } = await publishUnder(
      { match: CREATE, scenario: "reply-lost-after-creating" },
      { match: LIST, scenario: "unavailable", times: 3 },
    );
    expect([creates, listed.length, pin.status]).toEqual([1, 1, "published"]);
  });

  test("the board cannot be listed for an hour: settled within a minute afterward, with few checks", async () => {
    const creator = await setup.insertCreator();
    const where = { account: creator.account.username };
    await setup.pinterest.addFault({ match: CREATE, scenario: "reply-lost-after-creating", where });
    await setup.pinterest.addFault({ match: LIST, scenario: "unavailable", times: 500, where });
    const scheduled = await setup.scheduled(creator);
    await setup.drive(scheduled, { rounds: 6 });
    await setup.moveClock(HOUR_MS);
    await setup.drive(scheduled, { rounds: 3 });
    await setup.pinterest.clearFaults();
    const back = setup.job().now().getTime();
    await setup.drive(scheduled);
    expect(await setup.pin(scheduled.pinId)).toMatchObject({ status: "published" });
    expect(setup.job().now().getTime() - back).toBeLessThan(MINUTE_MS);
    expect((await setup.attempts(scheduled.pinId))[0]?.boardChecks).toBe(1);
  });

  test("the board can never be listed: failed after days, and it may be published", async () => {
    const creator = await setup.insertCreator();
    const where = { account: creator.account.username };
    await setup.pinterest.addFault({ match: CREATE, scenario: "reply-lost-after-creating", where });
    await setup.pinterest.addFault({ match: LIST, scenario: "unavailable", times: 500, where });
    const scheduled = await setup.scheduled(creator);
    await setup.drive(scheduled, { rounds: 4 });
    expect(await setup.pin(scheduled.pinId)).toMatchObject({ status: "scheduled" });
    await setup.moveClock(RECONCILIATION_MAX_MS);
    await setup.drive(scheduled, { rounds: 4 });
    expect(await setup.pin(scheduled.pinId)).toMatchObject({
      status: "failed",
      mayBePublished: true,
      pinterestPinId: null,
    });
  });

  test("the board was deleted during reconciliation: failed, and it may be published", async () => {
    const { pin } = await publishUnder(
      { match: CREATE, scenario: "reply-lost-after-creating" },
      { match: LIST, scenario: "board-gone", times: 50 },
    );
    expect(pin).toMatchObject({ status: "failed", reason: TEXTS.boardMissingUnclear, mayBePublished: true });
  });
});

describe("R-SRV-04 refusals", () => {
  test.each(["board-gone", "image-too-small", "image-broken", "link-invalid", "not-permitted"])(
    "%s is permanent: fails at once with a readable reason",
    async (scenario) => {
      const { pin, attempts, listed, creates } = await publishUnder({ match: CREATE, scenario });
      expect([creates, listed.length]).toEqual([1, 0]);
      expect(pin).toMatchObject({ status: "failed", mayBePublished: false });
      expect(pin.reason).toMatch(/^[A-Z].{10,}\.$/);
      expect(attempts).toMatchObject([{ outcome: "rejected" }]);
    },
  );

  test.each(["rate-limited", "rate-limited-bare", "rate-limited-retry-after", "board-busy", "image-unreachable"])(
    "%s is temporary: retried until it is accepted",
    async (scenario) => {
      const { pin, attempts, listed, creates } = await publishUnder({ match: CREATE, scenario, times: 3 });
      expect([creates, listed.length, pin.status]).toEqual([4, 1, "published"]);
      expect(attempts.map(({ outcome }) => outcome)).toEqual(["created", "later", "later", "later"]);
    },
  );

  test("a refusal that never ends fails after many tries with a reason", async () => {
    const { pin, listed } = await publishUnder({ match: CREATE, scenario: "rate-limited-bare", times: 100 });
    expect(listed).toHaveLength(0);
    expect(pin.status).toBe("failed");
    expect(pin.reason).toContain(TEXTS.triesExhausted);
  });

  test("a rate limit pauses the account's other pins for as long as Pinterest says", async () => {
    const creator = await setup.insertCreator();
    const [first, second] = [await setup.scheduled(creator), await setup.scheduled(creator)];
    const rule = { match: CREATE, scenario: "rate-limited", headers: { "retry-after": "600" } };
    await setup.pinterest.addFault({ ...rule, where: { account: creator.account.username } });
    const from = setup.job().now().getTime();
    await setup.drive(first, { rounds: 1 });
    await setup.pinterest.resetCalls();
    const claim = await claimPin(setup.job(), second);
    expect(claim.kind).toBe("wait");
    expect(await setup.pin(second.pinId)).toMatchObject({ status: "scheduled", reason: TEXTS.accountPaused });
    expect(await setup.drive(second)).toMatchObject({ result: "published" });
    expect(setup.job().now().getTime() - from).toBeGreaterThanOrEqual(600_000);
    expect(await setup.drive(first)).toMatchObject({ result: "published" });
    expect(await setup.publicPins(creator)).toHaveLength(2);
  });

  test("a spam block pauses the account for 24 hours, and says so", async () => {
    const creator = await setup.insertCreator();
    const scheduled = await setup.scheduled(creator);
    await setup.pinterest.addFault({
      match: CREATE,
      scenario: "spam-block",
      where: { account: creator.account.username },
    });
    const from = setup.job().now().getTime();
    const move = await setup.drive(scheduled, { rounds: 1 });
    expect(move.kind).toBe("wait");
    expect(await setup.pin(scheduled.pinId)).toMatchObject({ status: "scheduled" });
    expect((await setup.pin(scheduled.pinId)).reason).toContain("24 hours");
    expect(await setup.drive(scheduled)).toMatchObject({ result: "published" });
    expect(setup.job().now().getTime() - from).toBeGreaterThanOrEqual(DAY_MS);
  });

  test("trial access holds the queue and never fails a pin", async () => {
    const { pin, listed, attempts } = await publishUnder({ match: CREATE, scenario: "trial-access", times: 4 });
    expect([listed.length, pin.status]).toEqual([1, "published"]);
    expect(attempts).toHaveLength(5);
    expect(attempts[4]?.problemText).toContain("waiting for Pinterest's approval");
    expect((pin.publishedAt?.getTime() ?? 0) - (pin.scheduledAt?.getTime() ?? 0)).toBeGreaterThan(4 * HOUR_MS);
  });

  test("a Pinterest API without the AI label gets the pin without it, noted in the attempt log", async () => {
    const { pin, attempts, listed } = await publishUnder({ match: CREATE, scenario: "ai-disclosures-unknown" });
    expect([listed.length, pin.status]).toEqual([1, "published"]);
    expect(attempts[0]?.note).toContain("Pinterest didn't accept the AI label");
  });
});

describe("R-SRV-03 runs do not wake for nothing", () => {
  test("after a failed board check it sleeps as long as Pinterest asks, not for the account's gap", async () => {
    const creator = await setup.insertCreator();
    const scheduled = await setup.scheduled(creator);
    const where = { account: creator.account.username };
    await setup.pinterest.addFault({ match: CREATE, scenario: "reply-lost-after-creating", where });
    await setup.pinterest.addFault({ match: LIST, scenario: "rate-limited", headers: { "retry-after": "600" }, where });
    expect((await setup.drive(scheduled, { rounds: 1 })).kind).toBe("check_board");
    const [attempt] = await setup.attempts(scheduled.pinId);
    if (!attempt) throw new Error("There is no attempt.");
    const again = await reconcilePin(setup.job(), { ...scheduled, attemptId: attempt.id });
    expect(again.kind === "check_board" && again.afterMs).toBeGreaterThan(5 * MINUTE_MS);
  });
});
