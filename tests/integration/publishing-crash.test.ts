import { eq } from "drizzle-orm";
import { afterEach, describe, expect, test, vi } from "vitest";
import { publishAttempts } from "#db/schema/publishing.ts";
import type { AttemptId } from "#lib/core/ids.ts";
import { MINUTE_MS } from "#lib/core/time.ts";
import { settleAttempt } from "#lib/features/publishing/attempts.ts";
import { CALL_LEASE_MS, TEXTS } from "#lib/features/publishing/constants.ts";
import { claimPin, sendPin } from "#lib/features/publishing/publisher.ts";
import { sweepPins } from "#lib/features/publishing/queue.ts";
import { lookForPin } from "#lib/features/publishing/reconciliation.ts";
import type { ScheduledPin } from "#lib/features/publishing/schema.ts";
import { withhold } from "#tests/support/withhold.ts";
import { CREATE, heldAfterCommit, LIST, type Maker, publishingWorld } from "./publishing-house.ts";

const world = publishingWorld();

afterEach(() => void vi.restoreAllMocks());

const begin = async (maker: Maker, scheduled?: ScheduledPin) => {
  const pin = scheduled ?? (await world.scheduled(maker));
  const claim = await claimPin(world.job(), pin);
  if (claim.kind !== "attempt") throw new Error(`Not claimed: ${claim.kind}`);
  return { scheduled: pin, attempt: { ...pin, attemptId: claim.attemptId } };
};

/** As a process leaves an attempt that dies between the commit of `calling` and its answer. */
const dieWhileCalling = async (attemptId: AttemptId, calledAt: Date) => {
  const change = { state: "calling", calledAt, answeredAt: null, httpStatus: null, pinterestPinId: null } as const;
  await world.house.database.db.update(publishAttempts).set(change).where(eq(publishAttempts.id, attemptId));
};

/** The sweep notices, and the run it starts works on the pin to its end. */
const sweepAndDrive = async (scheduled: ScheduledPin) => {
  await world.moveClock(15 * MINUTE_MS);
  expect(await sweepPins(world.job())).toMatchObject({ sent: 1 });
  return world.drive(scheduled);
};

const expectOnce = async (maker: Maker, { pinId }: ScheduledPin) => {
  const there = await world.publicPins(maker);
  expect(there).toHaveLength(1);
  expect(await world.pin(pinId)).toMatchObject({ status: "published", pinterestPinId: there[0]?.id });
};

describe("R-SRV-03 the process dies", () => {
  test("after the claim (armed): the next run takes the same attempt and calls once", async () => {
    const maker = await world.makeMaker();
    const { scheduled, attempt } = await begin(maker);
    await world.pinterest.forgetCalls();
    await sweepAndDrive(scheduled);
    await expectOnce(maker, scheduled);
    expect(await world.receipt(scheduled.pinId)).toMatchObject([{ id: attempt.attemptId, outcome: "created" }]);
    expect(await world.pinterest.calls(CREATE)).toBe(1);
  });

  test("after `calling` was committed, before anything was sent: its lease is waited out, then one new attempt", async () => {
    const maker = await world.makeMaker();
    const { scheduled, attempt } = await begin(maker);
    await dieWhileCalling(attempt.attemptId, world.job().now());
    expect(await sendPin(world.job(), attempt)).toEqual({ kind: "not_called" });
    await world.pinterest.forgetCalls();
    await sweepAndDrive(scheduled);
    await expectOnce(maker, scheduled);
    expect(await world.pinterest.calls(CREATE)).toBe(1);
    expect(await world.receipt(scheduled.pinId)).toMatchObject([{ outcome: "created" }, { outcome: "absent" }]);
  });

  test("after Pinterest created, before the answer was written down: found, never sent again", async () => {
    const maker = await world.makeMaker();
    const { scheduled, attempt } = await begin(maker);
    const calledAt = world.job().now();
    await sendPin(world.job(), attempt);
    await dieWhileCalling(attempt.attemptId, calledAt);
    await world.pinterest.forgetCalls();
    const move = await settleAttempt(world.job(), attempt);
    expect(move.kind).toBe("look");
    expect(move.kind === "look" && move.afterMs).toBeGreaterThan(CALL_LEASE_MS - MINUTE_MS);
    expect(move.kind === "look" && move.afterMs).toBeLessThanOrEqual(CALL_LEASE_MS);
    expect((await lookForPin(world.job(), attempt)).kind).toBe("look");
    expect(await world.pinterest.calls(LIST.replace(":id", maker.boardId))).toBe(0);
    await sweepAndDrive(scheduled);
    await expectOnce(maker, scheduled);
    expect(await world.pinterest.calls(CREATE)).toBe(0);
  });

  test("after the answer was written down: the next run settles by the receipt", async () => {
    const maker = await world.makeMaker();
    const { scheduled, attempt } = await begin(maker);
    await sendPin(world.job(), attempt);
    await world.pinterest.forgetCalls();
    expect(await sendPin(world.job(), attempt)).toEqual({ kind: "not_called" });
    await sweepAndDrive(scheduled);
    await expectOnce(maker, scheduled);
    expect(await world.pinterest.calls(CREATE)).toBe(0);
  });

  test("after settling, before the engine heard of it: every step again does nothing", async () => {
    const maker = await world.makeMaker();
    const { scheduled, attempt } = await begin(maker);
    await sendPin(world.job(), attempt);
    const settled = { kind: "done", result: "published" };
    expect(await settleAttempt(world.job(), attempt)).toEqual(settled);
    const superseded = { kind: "done", result: "superseded" };
    expect(await sendPin(world.job(), attempt)).toEqual({ kind: "not_called" });
    expect(await settleAttempt(world.job(), attempt)).toEqual(superseded);
    expect(await claimPin(world.job(), scheduled)).toEqual(superseded);
    expect((await lookForPin(world.job(), attempt)).kind).toBe("wait");
    await expectOnce(maker, scheduled);
  });

  test("between two looks: the listing lags, the first look sees nothing, the second one finds it", async () => {
    const maker = await world.makeMaker();
    const { scheduled, attempt } = await begin(maker);
    const where = { account: maker.account.username };
    await world.pinterest.strike({ match: CREATE, scenario: "reply-lost-after-creating", where });
    await world.pinterest.strike({ match: LIST, status: 200, body: { items: [], bookmark: null }, where });
    await sendPin(world.job(), attempt);
    const first = await settleAttempt(world.job(), attempt);
    await world.moveClock(MINUTE_MS);
    const second = await lookForPin(world.job(), attempt);
    expect([first.kind, second.kind]).toEqual(["look", "look"]);
    expect((await lookForPin(world.job("other"), attempt)).kind).toBe("look");
    await sweepAndDrive(scheduled);
    await expectOnce(maker, scheduled);
    expect(await world.receipt(scheduled.pinId)).toMatchObject([{ outcome: "found", looks: 2 }]);
  });
});

describe("R-SRV-03 two workers", () => {
  test("on one pin, at once, ten times over: one call, one pin", async () => {
    const maker = await world.makeMaker();
    const scheduled = await world.scheduled(maker);
    await world.pinterest.forgetCalls();
    const work = async (worker?: "other") => {
      const claim = await claimPin(world.job(worker), scheduled);
      if (claim.kind !== "attempt") return;
      const attempt = { ...scheduled, attemptId: claim.attemptId };
      await sendPin(world.job(worker), attempt);
      await settleAttempt(world.job(worker), attempt);
    };
    await Promise.all(Array.from({ length: 20 }, (_, k) => work(k % 2 ? "other" : undefined)));
    await expectOnce(maker, scheduled);
    expect(await world.pinterest.calls(CREATE)).toBe(1);
    expect(await world.receipt(scheduled.pinId)).toHaveLength(1);
  });

  test("both find the attempt armed and read the picture, then go on together: one call", async () => {
    const maker = await world.makeMaker();
    const { scheduled, attempt } = await begin(maker);
    await world.pinterest.strike({ match: CREATE, delayMs: 500, times: 6, where: { account: maker.account.username } });
    await world.pinterest.forgetCalls();
    let arrived = 0;
    const all = Promise.withResolvers<void>();
    const work = (ctx: ReturnType<typeof world.job>) => {
      const get = async (key: string) => {
        arrived += 1;
        if (arrived === 6) all.resolve();
        await all.promise;
        return ctx.storage.get(key);
      };
      return sendPin({ ...ctx, storage: { ...ctx.storage, get } }, attempt);
    };
    const workers = Array.from({ length: 6 }, (_, k) => world.job(k % 2 ? "other" : undefined));
    const results = await Promise.all(workers.map(work));
    expect(results.filter(({ kind }) => kind === "answered")).toHaveLength(1);
    await settleAttempt(world.job(), attempt);
    await expectOnce(maker, scheduled);
    expect(await world.pinterest.calls(CREATE)).toBe(1);
  });

  test("one still calls while the other looks: it does not look before the lease is over", async () => {
    const maker = await world.makeMaker();
    const { scheduled, attempt } = await begin(maker);
    const slow = withhold(world.job(), "createPin");
    const calling = sendPin(slow.ctx, attempt);
    await slow.arrived;
    expect(await world.receipt(scheduled.pinId)).toMatchObject([{ state: "calling", answeredAt: null }]);
    expect(await sendPin(world.job("other"), attempt)).toEqual({ kind: "not_called" });
    expect((await settleAttempt(world.job("other"), attempt)).kind).toBe("look");
    expect((await lookForPin(world.job("other"), attempt)).kind).toBe("look");
    slow.open();
    expect(await calling).toEqual({ kind: "answered" });
    await settleAttempt(world.job("other"), attempt);
    await expectOnce(maker, scheduled);
  });

  test("a request that was held up after it was written down is not sent any more", async () => {
    const maker = await world.makeMaker();
    const { scheduled, attempt } = await begin(maker);
    await world.pinterest.forgetCalls();
    await sendPin(heldAfterCommit(world.job(), MINUTE_MS), attempt);
    expect(await world.pinterest.calls(CREATE)).toBe(0);
    expect(await world.receipt(scheduled.pinId)).toMatchObject([
      { problem: "unavailable", problemText: TEXTS.notSent },
    ]);
    await world.drive(scheduled);
    await expectOnce(maker, scheduled);
  });
});

describe("R-SRV-03 twins: equal title, link and description on one board", () => {
  const twin = { title: "Same", description: "Same words", link: "https://example.com/same" };

  test("both unclear, both created: each finds a pin of its own", async () => {
    const maker = await world.makeMaker();
    const [first, second] = [await world.scheduled(maker, twin), await world.scheduled(maker, twin)];
    const where = { account: maker.account.username };
    await world.pinterest.strike({ match: CREATE, scenario: "reply-lost-after-creating", times: 2, where });
    await Promise.all([world.drive(first, { naps: 1 }), world.drive(second, { naps: 1 })]);
    await Promise.all([world.drive(first), world.drive(second)]);
    const there = (await world.publicPins(maker)).map(({ id }) => id).sort();
    const ours = [await world.pin(first.pinId), await world.pin(second.pinId)];
    expect(ours.map(({ pinterestPinId }) => pinterestPinId).sort()).toEqual(there);
    expect(there).toHaveLength(2);
  });

  test("one created, one not: no pin is claimed by both, none is sent twice", async () => {
    const maker = await world.makeMaker();
    const [first, second] = [await world.scheduled(maker, twin), await world.scheduled(maker, twin)];
    const where = { account: maker.account.username };
    await world.pinterest.strike({ match: CREATE, scenario: "reply-lost-after-creating", where });
    await world.drive(first, { naps: 1 });
    await world.pinterest.strike({ match: CREATE, scenario: "server-error", where });
    await world.drive(second, { naps: 1 });
    // The one that was not created looks first, and may take the other's pin: then the other makes a new one.
    await world.drive(second);
    await world.drive(first);
    const there = (await world.publicPins(maker)).map(({ id }) => id).sort();
    const ours = [await world.pin(first.pinId), await world.pin(second.pinId)];
    expect(ours.map(({ status }) => status)).toEqual(["published", "published"]);
    expect(ours.map(({ pinterestPinId }) => pinterestPinId).sort()).toEqual(there);
  });

  test("a pin whose twin's call is on its way waits with its search", async () => {
    const maker = await world.makeMaker();
    const [first, second] = [
      await begin(maker, await world.scheduled(maker, twin)),
      await begin(maker, await world.scheduled(maker, twin)),
    ];
    const where = { account: maker.account.username };
    await world.pinterest.strike({ match: CREATE, scenario: "server-error", where });
    await sendPin(world.job(), first.attempt);
    await sendPin(world.job(), second.attempt);
    await world.moveClock(MINUTE_MS);
    await dieWhileCalling(second.attempt.attemptId, world.job().now());
    expect((await lookForPin(world.job(), first.attempt)).kind).toBe("look");
    expect(await world.pin(first.scheduled.pinId)).toMatchObject({ status: "scheduled", pinterestPinId: null });
  });
});
