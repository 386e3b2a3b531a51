import { eq, sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { linkChecks } from "#db/schema/links.ts";
import { pins } from "#db/schema/pins.ts";
import { checkLink as checkLinkFunction, recheckLinks } from "#inngest/functions/links.ts";
import type { FullCtx } from "#lib/context.ts";
import { sha256 } from "#lib/core/crypto.ts";
import { RETENTION_MS } from "#lib/core/retention.ts";
import { addMs, DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "#lib/core/time.ts";
import { checkLink, recordCheck, requestChecks, retireChecks, sweepChecks } from "#lib/features/links/checks.ts";
import { FORGOTTEN_FIRST_MS, FORGOTTEN_LONGEST_MS, SWEEP_BATCH } from "#lib/features/links/constants.ts";
import { editDraft, recheckLink } from "#lib/features/pins/edits.ts";
import { RECHECK_AHEAD_MS } from "#lib/features/publishing/constants.ts";
import { recheckDue } from "#lib/features/publishing/reconciliation.ts";
import { beHouseOfProcess } from "#tests/support/process-house.ts";
import { startHouse, until, untilEnded } from "./executor-house.ts";
import { linksWorld } from "./links-house.ts";
import type { Maker } from "./publishing-house.ts";

const world = linksWorld();

beHouseOfProcess(() => world.house);

const rowOf = async (url: string) => {
  const [row] = await world
    .job()
    .db.select()
    .from(linkChecks)
    .where(eq(linkChecks.urlHash, sha256(url)));
  if (!row) throw new Error("The address was never asked about.");
  return row;
};

/** A worker that dies when it would write down what it found. */
const diesBeforeRow = (): FullCtx => {
  const ctx = world.job();
  let transactions = 0;
  const transaction: FullCtx["db"]["transaction"] = (work, config) => {
    transactions += 1;
    // The first one takes the host's place.
    return transactions === 1 ? ctx.db.transaction(work, config) : Promise.reject(new Error("killed"));
  };
  const get = (db: FullCtx["db"], name: string) => (name === "transaction" ? transaction : Reflect.get(db, name));
  return { ...ctx, db: new Proxy(ctx.db, { get: (db, name) => get(db, String(name)) }) };
};

/** Lets what earlier tests left unfinished be swept by nobody. */
const settleOthers = () => world.job().db.update(linkChecks).set({ wakeAt: null, checkedAt: sql`now()`, state: "ok" });

describe("a process dies", () => {
  test("R-SRV-08 between the page and the row: nothing is written, the next run asks again and writes once", async () => {
    const maker = await world.makeMaker();
    const url = world.page(404);
    const pinId = await world.draftTo(maker, url);
    const [request] = world.asked(url);
    if (!request) throw new Error("Nothing was asked for.");
    await expect(checkLink(diesBeforeRow(), { ...request, looks: 0 })).rejects.toThrow("killed");
    expect(await rowOf(url)).toMatchObject({ state: "pending", checkedAt: null });
    expect(await world.postOf(maker, pinId)).toMatchObject({ link_checking: true, link_warning: null });
    expect(await checkLink(world.job(), { ...request, looks: 0 })).toEqual({ kind: "done", state: "dead" });
    expect(world.visits(url)).toBe(2);
    const written = await rowOf(url);
    expect(await checkLink(world.job(), { ...request, looks: 0 })).toEqual({ kind: "done", state: "not_needed" });
    expect(await rowOf(url)).toEqual(written);
  });

  test("between the pin and the event, and the engine is down: the pin is there, and the sweep has its link checked", async () => {
    await settleOthers();
    const maker = await world.makeMaker();
    const pinId = await world.draft(maker, { link: null });
    const url = world.page(404);
    world.house.failNextSend();
    expect(await editDraft(maker.ctx, { pinId, link: url })).toMatchObject({ url, link_checking: true });
    expect(world.asked(url)).toEqual([]);
    expect(await sweepChecks(world.job())).toEqual({ sent: 0 });
    await world.moveClock(FORGOTTEN_FIRST_MS);
    expect(await sweepChecks(world.job())).toEqual({ sent: 1 });
    expect(await world.check(url)).toBe("dead");
    expect(await world.postOf(maker, pinId)).toMatchObject({ link_state: "dead", link_checking: false });
  });
});

test("a run that stood still writes nothing over what another found, nor over a request that came since", async () => {
  const maker = await world.makeMaker();
  const url = world.page(404);
  const pinId = await world.draftTo(maker, url);
  const [request] = world.asked(url);
  if (!request) throw new Error("Nothing was asked for.");
  await world.check(url);
  const written = await rowOf(url);
  const found = { state: "ok", finalUrl: null, httpStatus: 200 } as const;
  await recordCheck(world.job(), { ...request, found });
  expect(await rowOf(url)).toEqual(written);
  await world.moveClock(HOUR_MS);
  await recheckLink(maker.ctx, { pinId });
  await recordCheck(world.job(), { ...request, found });
  expect(await rowOf(url)).toMatchObject({ state: "dead", wakeAt: expect.any(Date) });
});

describe("the sweep", () => {
  test("sends a new event each time, ever more rarely, and leaves what is done alone", async () => {
    await settleOthers();
    const maker = await world.makeMaker();
    const url = world.page(404);
    await world.draftTo(maker, url);
    const gaps: number[] = [];
    let before = (await rowOf(url)).wakeAt ?? new Date(0);
    for (let sweep = 0; sweep < 9; sweep += 1) {
      await world.moveClock(before.getTime() - world.job().now().getTime() + SECOND_MS);
      expect(await sweepChecks(world.job())).toEqual({ sent: 1 });
      expect(await sweepChecks(world.job())).toEqual({ sent: 0 });
      const { wakeAt } = await rowOf(url);
      gaps.push(Math.round(((wakeAt?.getTime() ?? 0) - before.getTime()) / MINUTE_MS));
      before = wakeAt ?? before;
    }
    expect(gaps.slice(0, 3)).toEqual([10, 20, 40]);
    expect(gaps.at(-1)).toBe(FORGOTTEN_LONGEST_MS / MINUTE_MS);
    expect(new Set(world.asked(url).map(({ id }) => id)).size).toBe(10);
    await world.check(url);
    await world.moveClock(DAY_MS);
    expect(await sweepChecks(world.job())).toEqual({ sent: 0 });
  });

  test("two at once send each event once, a batch at a time", async () => {
    await settleOthers();
    const urls = Array.from({ length: SWEEP_BATCH + 1 }, (_, n) => `https://shop.test/swept/${n}`);
    await requestChecks(world.job(), { links: urls });
    await world.moveClock(FORGOTTEN_FIRST_MS);
    const sent = await Promise.all([sweepChecks(world.job()), sweepChecks(world.job("other"))]);
    expect(sent.map((one) => one.sent).reduce((sum, one) => sum + one)).toBe(SWEEP_BATCH + 1);
  });
});

describe("before publishing", () => {
  /** A pin that goes out after so long, its link looked at now. */
  const dueIn = async (maker: Maker, ms: number) => {
    const url = world.page(200);
    const pinId = await world.draftTo(maker, url);
    await world.check(url);
    await world.schedule(maker, [pinId]);
    const at = sql`now() + make_interval(secs => ${ms / SECOND_MS})`;
    await maker.ctx.db.execute(sql`update pins set scheduled_at = ${at}, wake_at = ${at} where id = ${pinId}`);
    return url;
  };

  test("R-SRV-08 the links of scheduled pins that go out soon are looked at again, once; of others they are not", async () => {
    const maker = await world.makeMaker();
    const soon = await dueIn(maker, DAY_MS + HOUR_MS);
    const later = await dueIn(maker, DAY_MS + RECHECK_AHEAD_MS + HOUR_MS);
    const draft = world.page(200);
    await world.draftTo(maker, draft);
    await world.check(draft);
    await world.moveClock(DAY_MS);
    world.change(soon, 404);
    expect(await recheckDue(world.job())).toEqual({ asked: 1 });
    expect(await recheckDue(world.job())).toEqual({ asked: 0 });
    expect([soon, later, draft].map((url) => world.asked(url).length)).toEqual([2, 1, 1]);
    expect(await world.check(soon)).toBe("dead");
    const scheduled = await maker.ctx.db.execute<{ status: string }>(sql`select status from pins where link = ${soon}`);
    expect(scheduled.map(({ status }) => status)).toEqual(["scheduled"]);
  });

  test("R-SRV-08 the quarter-hourly function has them looked at, and what was lost begins anew, under the real executor", async () => {
    const maker = await world.makeMaker();
    const due = await dueIn(maker, HOUR_MS);
    const lost = world.page(410);
    world.house.failNextSend();
    await editDraft(maker.ctx, { pinId: await world.draft(maker, { link: null }), link: lost });
    world.change(due, 404);
    await maker.ctx.db
      .update(linkChecks)
      .set({ checkedAt: addMs(world.job().now(), -2 * DAY_MS) })
      .where(eq(linkChecks.url, due));
    await maker.ctx.db
      .update(linkChecks)
      .set({ wakeAt: addMs(world.job().now(), -MINUTE_MS) })
      .where(eq(linkChecks.url, lost));
    const sentBefore = world.house.sentEvents.length;
    const before = await startHouse(world.database.url, () => [recheckLinks], { schema: "executor_links" });
    await until(async () => (await before.query("select 1 from cron_tick")).length === 1, { what: "the schedule" });
    await before.close();
    await before.query("update cron_tick set last_at = $1", [addMs(new Date(), -DAY_MS).toISOString()]);
    const executor = await startHouse(world.database.url, () => [recheckLinks, checkLinkFunction], {
      schema: "executor_links",
    });
    await untilEnded(executor.url, "recheck-links");
    await executor.app.client.send(world.house.sentEvents.slice(sentBefore).map((event) => ({ ...event })));
    await until(async () => [(await rowOf(due)).state, (await rowOf(lost)).state].every((state) => state === "dead"), {
      what: "both verdicts",
    });
    expect([(await rowOf(due)).httpStatus, (await rowOf(lost)).httpStatus]).toEqual([404, 410]);
  });
});

test("what was found behind a link is forgotten a month after somebody last asked", async () => {
  const maker = await world.makeMaker();
  const url = world.page(404);
  await world.draftTo(maker, url);
  await world.check(url);
  await world.moveClock(RETENTION_MS.linkCheck - MINUTE_MS);
  await retireChecks(world.job());
  expect(await rowOf(url)).toMatchObject({ state: "dead" });
  await world.moveClock(MINUTE_MS + SECOND_MS);
  expect(await retireChecks(world.job())).toBeGreaterThanOrEqual(1);
  await expect(rowOf(url)).rejects.toThrow();
});

test("R-SRV-03 a link that no pin leads to any more is forgotten the night after, as when its user has left", async () => {
  const maker = await world.makeMaker();
  const [gone, kept] = [world.page(404), world.page(404)];
  const pinId = await world.draftTo(maker, gone);
  await world.draftTo(maker, kept);
  await maker.ctx.db.delete(pins).where(eq(pins.id, pinId));
  await world.moveClock(RETENTION_MS.strayLinkCheck - MINUTE_MS);
  await retireChecks(world.job());
  expect(await rowOf(gone)).toMatchObject({ url: gone });
  await world.moveClock(MINUTE_MS + SECOND_MS);
  await retireChecks(world.job());
  await expect(rowOf(gone)).rejects.toThrow();
  expect(await rowOf(kept)).toMatchObject({ url: kept });
});
