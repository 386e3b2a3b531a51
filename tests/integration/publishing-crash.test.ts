import { eq } from "drizzle-orm";
import { afterEach, describe, expect, test, vi } from "vitest";
import { publishAttempts } from "#db/schema/publishing.ts";
import type { AttemptId } from "#lib/core/ids.ts";
import { MINUTE_MS } from "#lib/core/time.ts";
import { movePins } from "#lib/features/calendar/moves.ts";
import { deleteDrafts, restoreDrafts } from "#lib/features/pins/drafts.ts";
import { recordAnswer, settleAttempt } from "#lib/features/publishing/attempts.ts";
import { CALL_LEASE_MS, TEXTS } from "#lib/features/publishing/constants.ts";
import { startDuePins } from "#lib/features/publishing/due-pins.ts";
import { claimPin, sendPin } from "#lib/features/publishing/publisher.ts";
import { reconcilePin } from "#lib/features/publishing/reconciliation.ts";
import type { ScheduledPin } from "#lib/features/publishing/schema.ts";
import { holdResponses } from "#tests/support/hold-responses.ts";
import { CREATE, type Creator, heldAfterCommit, LIST, publishingSetup } from "./publishing-harness.ts";

const setup = publishingSetup();

afterEach(() => void vi.restoreAllMocks());

const begin = async (creator: Creator, scheduled?: ScheduledPin) => {
  const pin = scheduled ?? (await setup.scheduled(creator));
  const claim = await claimPin(setup.job(), pin);
  if (claim.kind !== "attempt") throw new Error(`Not claimed: ${claim.kind}`);
  return { scheduled: pin, attempt: { ...pin, attemptId: claim.attemptId } };
};

/** The state a process leaves when it dies between the commit of `calling` and the answer. */
const dieWhileCalling = async (attemptId: AttemptId, calledAt: Date) => {
  const change = { state: "calling", calledAt, answeredAt: null, httpStatus: null, pinterestPinId: null } as const;
  await setup.harness.database.db.update(publishAttempts).set(change).where(eq(publishAttempts.id, attemptId));
};

/** The scan notices, and its run finishes the pin. */
const scanAndDrive = async (scheduled: ScheduledPin) => {
  await setup.moveClock(15 * MINUTE_MS);
  expect(await startDuePins(setup.job())).toEqual({ started: 1 });
  return setup.drive(scheduled);
};

const expectOnce = async (creator: Creator, { pinId }: ScheduledPin) => {
  const listed = await setup.publicPins(creator);
  expect(listed).toHaveLength(1);
  expect(await setup.pin(pinId)).toMatchObject({ status: "published", pinterestPinId: listed[0]?.id });
};

describe("R-SRV-03 the process dies", () => {
  test("after the claim (armed): the next run takes the same attempt and calls once", async () => {
    const creator = await setup.insertCreator();
    const { scheduled, attempt } = await begin(creator);
    await setup.pinterest.resetCalls();
    await scanAndDrive(scheduled);
    await expectOnce(creator, scheduled);
    expect(await setup.attempts(scheduled.pinId)).toMatchObject([{ id: attempt.attemptId, outcome: "created" }]);
    expect(await setup.pinterest.calls(CREATE)).toBe(1);
  });

  test("after `calling` was committed, before anything was sent: waits for the lease, then makes one new attempt", async () => {
    const creator = await setup.insertCreator();
    const { scheduled, attempt } = await begin(creator);
    await dieWhileCalling(attempt.attemptId, setup.job().now());
    expect(await sendPin(setup.job(), attempt)).toEqual({ kind: "not_called" });
    await setup.pinterest.resetCalls();
    await scanAndDrive(scheduled);
    await expectOnce(creator, scheduled);
    expect(await setup.pinterest.calls(CREATE)).toBe(1);
    expect(await setup.attempts(scheduled.pinId)).toMatchObject([{ outcome: "created" }, { outcome: "absent" }]);
  });

  test("after Pinterest created it, before the answer was recorded: found, never sent again", async () => {
    const creator = await setup.insertCreator();
    const { scheduled, attempt } = await begin(creator);
    const calledAt = setup.job().now();
    await sendPin(setup.job(), attempt);
    await dieWhileCalling(attempt.attemptId, calledAt);
    await setup.pinterest.resetCalls();
    const move = await settleAttempt(setup.job(), attempt);
    expect(move.kind).toBe("check_board");
    expect(move.kind === "check_board" && move.afterMs).toBeGreaterThan(CALL_LEASE_MS - MINUTE_MS);
    expect(move.kind === "check_board" && move.afterMs).toBeLessThanOrEqual(CALL_LEASE_MS);
    expect((await reconcilePin(setup.job(), attempt)).kind).toBe("check_board");
    expect(await setup.pinterest.calls(LIST.replace(":id", creator.boardId))).toBe(0);
    await scanAndDrive(scheduled);
    await expectOnce(creator, scheduled);
    expect(await setup.pinterest.calls(CREATE)).toBe(0);
  });

  test("after the answer was recorded: the next run settles by the attempt log", async () => {
    const creator = await setup.insertCreator();
    const { scheduled, attempt } = await begin(creator);
    await sendPin(setup.job(), attempt);
    await setup.pinterest.resetCalls();
    expect(await sendPin(setup.job(), attempt)).toEqual({ kind: "not_called" });
    await scanAndDrive(scheduled);
    await expectOnce(creator, scheduled);
    expect(await setup.pinterest.calls(CREATE)).toBe(0);
  });

  test("after settling, before the engine knew: repeating every step does nothing", async () => {
    const creator = await setup.insertCreator();
    const { scheduled, attempt } = await begin(creator);
    await sendPin(setup.job(), attempt);
    const settled = { kind: "done", result: "published" };
    expect(await settleAttempt(setup.job(), attempt)).toEqual(settled);
    const superseded = { kind: "done", result: "superseded" };
    expect(await sendPin(setup.job(), attempt)).toEqual({ kind: "not_called" });
    expect(await settleAttempt(setup.job(), attempt)).toEqual(superseded);
    expect(await claimPin(setup.job(), scheduled)).toEqual(superseded);
    expect((await reconcilePin(setup.job(), attempt)).kind).toBe("wait");
    await expectOnce(creator, scheduled);
  });

  test("between two board checks: the listing lags, so only the second check finds the pin", async () => {
    const creator = await setup.insertCreator();
    const { scheduled, attempt } = await begin(creator);
    const where = { account: creator.account.username };
    await setup.pinterest.addFault({ match: CREATE, scenario: "reply-lost-after-creating", where });
    await setup.pinterest.addFault({ match: LIST, status: 200, body: { items: [], bookmark: null }, where });
    await sendPin(setup.job(), attempt);
    const first = await settleAttempt(setup.job(), attempt);
    await setup.moveClock(MINUTE_MS);
    const second = await reconcilePin(setup.job(), attempt);
    expect([first.kind, second.kind]).toEqual(["check_board", "check_board"]);
    expect((await reconcilePin(setup.job("other"), attempt)).kind).toBe("check_board");
    await scanAndDrive(scheduled);
    await expectOnce(creator, scheduled);
    expect(await setup.attempts(scheduled.pinId)).toMatchObject([{ outcome: "found", boardChecks: 2 }]);
  });
});

describe("R-SRV-03 two workers", () => {
  test("on one pin at the same time, ten times: one call, one pin", async () => {
    const creator = await setup.insertCreator();
    const scheduled = await setup.scheduled(creator);
    await setup.pinterest.resetCalls();
    const work = async (worker?: "other") => {
      const claim = await claimPin(setup.job(worker), scheduled);
      if (claim.kind !== "attempt") return;
      const attempt = { ...scheduled, attemptId: claim.attemptId };
      await sendPin(setup.job(worker), attempt);
      await settleAttempt(setup.job(worker), attempt);
    };
    await Promise.all(Array.from({ length: 20 }, (_, k) => work(k % 2 ? "other" : undefined)));
    await expectOnce(creator, scheduled);
    expect(await setup.pinterest.calls(CREATE)).toBe(1);
    expect(await setup.attempts(scheduled.pinId)).toHaveLength(1);
  });

  test("both find the attempt armed and read the image, then continue together: one call", async () => {
    const creator = await setup.insertCreator();
    const { scheduled, attempt } = await begin(creator);
    await setup.pinterest.addFault({
      match: CREATE,
      delayMs: 500,
      times: 6,
      where: { account: creator.account.username },
    });
    await setup.pinterest.resetCalls();
    let arrived = 0;
    const all = Promise.withResolvers<void>();
    const work = (ctx: ReturnType<typeof setup.job>) => {
      const get = async (key: string) => {
        arrived += 1;
        if (arrived === 6) all.resolve();
        await all.promise;
        return ctx.storage.get(key);
      };
      return sendPin({ ...ctx, storage: { ...ctx.storage, get } }, attempt);
    };
    const workers = Array.from({ length: 6 }, (_, k) => setup.job(k % 2 ? "other" : undefined));
    const results = await Promise.all(workers.map(work));
    expect(results.filter(({ kind }) => kind === "answered")).toHaveLength(1);
    await settleAttempt(setup.job(), attempt);
    await expectOnce(creator, scheduled);
    expect(await setup.pinterest.calls(CREATE)).toBe(1);
  });

  test("one is still calling while the other reconciles: no board check before the lease expires", async () => {
    const creator = await setup.insertCreator();
    const { scheduled, attempt } = await begin(creator);
    const slow = holdResponses(setup.job(), "createPin");
    const calling = sendPin(slow.ctx, attempt);
    await slow.arrived;
    expect(await setup.attempts(scheduled.pinId)).toMatchObject([{ state: "calling", answeredAt: null }]);
    expect(await sendPin(setup.job("other"), attempt)).toEqual({ kind: "not_called" });
    expect((await settleAttempt(setup.job("other"), attempt)).kind).toBe("check_board");
    expect((await reconcilePin(setup.job("other"), attempt)).kind).toBe("check_board");
    slow.open();
    expect(await calling).toEqual({ kind: "answered" });
    await settleAttempt(setup.job("other"), attempt);
    await expectOnce(creator, scheduled);
  });

  /** A call whose answer arrives after two board checks found nothing. */
  const confirmedLate = async (creator: Creator) => {
    const { scheduled, attempt } = await begin(creator);
    const slow = holdResponses(setup.job(), "createPin");
    const calling = sendPin(slow.ctx, attempt);
    await slow.arrived;
    const { db } = setup.harness.database;
    await db
      .update(publishAttempts)
      .set({ state: "settled", outcome: "absent", settledAt: new Date() })
      .where(eq(publishAttempts.id, attempt.attemptId));
    const answer = async () => {
      slow.open();
      expect(await calling).toEqual({ kind: "answered" });
    };
    return { scheduled, attempt, answer };
  };

  test("one is confirmed after two checks found nothing, before another call: the pin is published and not sent again", async () => {
    const creator = await setup.insertCreator();
    const { scheduled, attempt, answer } = await confirmedLate(creator);
    const next = await claimPin(setup.job("other"), scheduled);
    if (next.kind !== "attempt") throw new Error(`Not claimed: ${next.kind}`);
    await answer();
    await expectOnce(creator, scheduled);
    const again = { ...scheduled, attemptId: next.attemptId };
    expect(await sendPin(setup.job("other"), again)).toEqual({ kind: "not_called" });
    expect(await settleAttempt(setup.job("other"), again)).toEqual({ kind: "done", result: "superseded" });
    await expectOnce(creator, scheduled);
    expect(await setup.attempts(scheduled.pinId)).toMatchObject([
      { id: next.attemptId, outcome: "abandoned", calledAt: null },
      { id: attempt.attemptId, outcome: "created" },
    ]);
  });

  test("one is confirmed after the pin was turned into a draft: it is published", async () => {
    const creator = await setup.insertCreator();
    const { scheduled, answer } = await confirmedLate(creator);
    await movePins(creator.ctx, {
      moves: [{ pinId: scheduled.pinId, from: (await setup.pin(scheduled.pinId)).scheduledAt, to: null }],
      isUndo: false,
      requiresFreeSlots: false,
    });
    await answer();
    await expectOnce(creator, scheduled);
    expect((await setup.pin(scheduled.pinId)).scheduledAt).not.toBeNull();
  });

  test("one is confirmed while its pin is deleted: once restored and scheduled, it is published without a call", async () => {
    const creator = await setup.insertCreator();
    const { scheduled, answer } = await confirmedLate(creator);
    const { scheduledAt } = await setup.pin(scheduled.pinId);
    await movePins(creator.ctx, {
      moves: [{ pinId: scheduled.pinId, from: scheduledAt, to: null }],
      isUndo: false,
      requiresFreeSlots: false,
    });
    await deleteDrafts(creator.ctx, { pinIds: [scheduled.pinId] });
    await answer();
    await restoreDrafts(creator.ctx, { pinIds: [scheduled.pinId] });
    await setup.schedule(creator, [scheduled.pinId]);
    const { scheduleGeneration } = await setup.pin(scheduled.pinId);
    expect(await setup.drive({ pinId: scheduled.pinId, scheduleGeneration })).toEqual({
      ...{ kind: "done", result: "published" },
    });
    await expectOnce(creator, scheduled);
  });

  test("one is confirmed after Pinterest refused the next one: the pin is published and not sent again", async () => {
    const creator = await setup.insertCreator();
    const { scheduled, answer } = await confirmedLate(creator);
    const where = { account: creator.account.username };
    await setup.pinterest.addFault({ match: CREATE, status: 429, body: { code: 8, message: "Slow down" }, where });
    const { attempt: next } = await begin(creator, scheduled);
    await sendPin(setup.job("other"), next);
    expect(await settleAttempt(setup.job("other"), next)).toMatchObject({ kind: "wait" });
    await answer();
    await expectOnce(creator, scheduled);
  });

  test("one is confirmed after the next one called: the possible duplicate is recorded, and stays on the published pin", async () => {
    const creator = await setup.insertCreator();
    const { scheduled, attempt, answer } = await confirmedLate(creator);
    const { attempt: next } = await begin(creator, scheduled);
    await sendPin(setup.job("other"), next);
    await answer();
    const isNoted = async () => {
      expect((await setup.attempts(scheduled.pinId)).at(-1)).toMatchObject({
        ...{ id: attempt.attemptId, note: TEXTS.duplicateCreated },
      });
      expect((await setup.pin(scheduled.pinId)).reason).toBe(TEXTS.duplicateCreated);
    };
    await isNoted();
    expect(await settleAttempt(setup.job("other"), next)).toEqual({ kind: "done", result: "published" });
    await isNoted();
  });

  test("a death after a late answer was stored leaves nothing half recorded", async () => {
    const creator = await setup.insertCreator();
    const { scheduled, attempt, answer } = await confirmedLate(creator);
    const job = setup.job("other");
    const transaction = (work: Parameters<typeof job.db.transaction>[0]) =>
      job.db.transaction(async (tx) => {
        await work(tx);
        throw new Error("killed");
      });
    const db = new Proxy(job.db, {
      get: (target, name) => (name === "transaction" ? transaction : Reflect.get(target, name)),
    });
    const created = { kind: "created", pinterestPinId: "1234567", httpStatus: 201 } as const;
    await expect(recordAnswer({ ...job, db }, attempt, created)).rejects.toThrow("killed");
    expect(await setup.attempts(scheduled.pinId)).toMatchObject([{ answeredAt: null, pinterestPinId: null }]);
    await answer();
    await expectOnce(creator, scheduled);
  });

  test("a call that was delayed after it was recorded is no longer sent", async () => {
    const creator = await setup.insertCreator();
    const { scheduled, attempt } = await begin(creator);
    await setup.pinterest.resetCalls();
    await sendPin(heldAfterCommit(setup.job(), MINUTE_MS), attempt);
    expect(await setup.pinterest.calls(CREATE)).toBe(0);
    expect(await setup.attempts(scheduled.pinId)).toMatchObject([
      { problem: "unavailable", problemText: TEXTS.notSent },
    ]);
    await setup.drive(scheduled);
    await expectOnce(creator, scheduled);
  });
});

describe("R-SRV-03 duplicates: equal title, link and description on one board", () => {
  const duplicate = { title: "Same", description: "Same words", link: "https://example.com/same" };

  test("both outcomes unknown, both created: each is matched with its own pin", async () => {
    const creator = await setup.insertCreator();
    const [first, second] = [await setup.scheduled(creator, duplicate), await setup.scheduled(creator, duplicate)];
    const where = { account: creator.account.username };
    await setup.pinterest.addFault({ match: CREATE, scenario: "reply-lost-after-creating", times: 2, where });
    await Promise.all([setup.drive(first, { rounds: 1 }), setup.drive(second, { rounds: 1 })]);
    await Promise.all([setup.drive(first), setup.drive(second)]);
    const listed = (await setup.publicPins(creator)).map(({ id }) => id).sort();
    const ours = [await setup.pin(first.pinId), await setup.pin(second.pinId)];
    expect(ours.map(({ pinterestPinId }) => pinterestPinId).sort()).toEqual(listed);
    expect(listed).toHaveLength(2);
  });

  test("one created, one not: no pin matches both, none is sent twice", async () => {
    const creator = await setup.insertCreator();
    const [first, second] = [await setup.scheduled(creator, duplicate), await setup.scheduled(creator, duplicate)];
    const where = { account: creator.account.username };
    await setup.pinterest.addFault({ match: CREATE, scenario: "reply-lost-after-creating", where });
    await setup.drive(first, { rounds: 1 });
    await setup.pinterest.addFault({ match: CREATE, scenario: "server-error", where });
    await setup.drive(second, { rounds: 1 });
    // The pin that was not created checks first and may match the other's pin; then the other creates a new one.
    await setup.drive(second);
    await setup.drive(first);
    const listed = (await setup.publicPins(creator)).map(({ id }) => id).sort();
    const ours = [await setup.pin(first.pinId), await setup.pin(second.pinId)];
    expect(ours.map(({ status }) => status)).toEqual(["published", "published"]);
    expect(ours.map(({ pinterestPinId }) => pinterestPinId).sort()).toEqual(listed);
  });

  test("a pin waits with its board check while a duplicate's call is in flight", async () => {
    const creator = await setup.insertCreator();
    const [first, second] = [
      await begin(creator, await setup.scheduled(creator, duplicate)),
      await begin(creator, await setup.scheduled(creator, duplicate)),
    ];
    const where = { account: creator.account.username };
    await setup.pinterest.addFault({ match: CREATE, scenario: "server-error", where });
    await sendPin(setup.job(), first.attempt);
    await sendPin(setup.job(), second.attempt);
    await setup.moveClock(MINUTE_MS);
    await dieWhileCalling(second.attempt.attemptId, setup.job().now());
    expect((await reconcilePin(setup.job(), first.attempt)).kind).toBe("check_board");
    expect(await setup.pin(first.scheduled.pinId)).toMatchObject({ status: "scheduled", pinterestPinId: null });
  });
});
