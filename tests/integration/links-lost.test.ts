import { eq, sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { linkChecks } from "#db/schema/links.ts";
import { pins } from "#db/schema/pins.ts";
import { checkLink as checkLinkFunction, recheckLinks } from "#inngest/functions/links.ts";
import type { FullCtx } from "#lib/context.ts";
import { sha256 } from "#lib/core/crypto.ts";
import { RETENTION_MS } from "#lib/core/retention.ts";
import { addMs, DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "#lib/core/time.ts";
import { checkLink, purgeLinkChecks, recordCheck, requestChecks, sweepChecks } from "#lib/features/links/checks.ts";
import { STALLED_FIRST_MS, STALLED_MAX_MS, SWEEP_BATCH } from "#lib/features/links/constants.ts";
import { editDraft, recheckLink } from "#lib/features/pins/edits.ts";
import { RECHECK_AHEAD_MS } from "#lib/features/publishing/constants.ts";
import { recheckDue } from "#lib/features/publishing/reconciliation.ts";
import { setProcessContainer } from "#tests/support/process-harness.ts";
import { startHarness, until, untilEnded } from "./executor-harness.ts";
import { linksSetup } from "./links-harness.ts";
import type { Creator } from "./publishing-harness.ts";

const setup = linksSetup();

setProcessContainer(() => setup.harness);

const rowOf = async (url: string) => {
  const [row] = await setup
    .job()
    .db.select()
    .from(linkChecks)
    .where(eq(linkChecks.urlHash, sha256(url)));
  if (!row) throw new Error("The address was never asked about.");
  return row;
};

/** A worker that dies before recording its result. */
const diesBeforeRow = (): FullCtx => {
  const ctx = setup.job();
  let transactions = 0;
  const transaction: FullCtx["db"]["transaction"] = (work, config) => {
    transactions += 1;
    // The first one uses up the host's limit.
    return transactions === 1 ? ctx.db.transaction(work, config) : Promise.reject(new Error("killed"));
  };
  const get = (db: FullCtx["db"], name: string) => (name === "transaction" ? transaction : Reflect.get(db, name));
  return { ...ctx, db: new Proxy(ctx.db, { get: (db, name) => get(db, String(name)) }) };
};

/** Keeps the sweep from finding leftovers of earlier tests. */
const settleOthers = () => setup.job().db.update(linkChecks).set({ wakeAt: null, checkedAt: sql`now()`, state: "ok" });

describe("a process dies", () => {
  test("R-SRV-08 between the request and the write: the next run requests again and writes once", async () => {
    const creator = await setup.insertCreator();
    const url = setup.page(404);
    const pinId = await setup.draftTo(creator, url);
    const [request] = setup.requested(url);
    if (!request) throw new Error("Nothing was asked for.");
    await expect(checkLink(diesBeforeRow(), { ...request, tries: 0 })).rejects.toThrow("killed");
    expect(await rowOf(url)).toMatchObject({ state: "pending", checkedAt: null });
    expect(await setup.postOf(creator, pinId)).toMatchObject({ link_checking: true, link_warning: null });
    expect(await checkLink(setup.job(), { ...request, tries: 0 })).toEqual({ kind: "done", state: "dead" });
    expect(setup.visits(url)).toBe(2);
    const written = await rowOf(url);
    expect(await checkLink(setup.job(), { ...request, tries: 0 })).toEqual({ kind: "done", state: "not_needed" });
    expect(await rowOf(url)).toEqual(written);
  });

  test("between the pin and the event, with the engine down: the pin is saved, and the sweep checks its link", async () => {
    await settleOthers();
    const creator = await setup.insertCreator();
    const pinId = await setup.draft(creator, { link: null });
    const url = setup.page(404);
    setup.harness.failNextSend();
    expect(await editDraft(creator.ctx, { pinId, link: url })).toMatchObject({ url, link_checking: true });
    expect(setup.requested(url)).toEqual([]);
    expect(await sweepChecks(setup.job())).toEqual({ sent: 0 });
    await setup.moveClock(STALLED_FIRST_MS);
    expect(await sweepChecks(setup.job())).toEqual({ sent: 1 });
    expect(await setup.check(url)).toBe("dead");
    expect(await setup.postOf(creator, pinId)).toMatchObject({ link_state: "dead", link_checking: false });
  });
});

test("a stalled run overwrites neither another run's result nor a later request", async () => {
  const creator = await setup.insertCreator();
  const url = setup.page(404);
  const pinId = await setup.draftTo(creator, url);
  const [request] = setup.requested(url);
  if (!request) throw new Error("Nothing was asked for.");
  await setup.check(url);
  const written = await rowOf(url);
  const found = { state: "ok", finalUrl: null, httpStatus: 200 } as const;
  await recordCheck(setup.job(), { ...request, found });
  expect(await rowOf(url)).toEqual(written);
  await setup.moveClock(HOUR_MS);
  await recheckLink(creator.ctx, { pinId });
  await recordCheck(setup.job(), { ...request, found });
  expect(await rowOf(url)).toMatchObject({ state: "dead", wakeAt: expect.any(Date) });
});

describe("the sweep", () => {
  test("sends new events with increasing delays and ignores finished checks", async () => {
    await settleOthers();
    const creator = await setup.insertCreator();
    const url = setup.page(404);
    await setup.draftTo(creator, url);
    const gaps: number[] = [];
    let before = (await rowOf(url)).wakeAt ?? new Date(0);
    for (let sweep = 0; sweep < 9; sweep += 1) {
      await setup.moveClock(before.getTime() - setup.job().now().getTime() + SECOND_MS);
      expect(await sweepChecks(setup.job())).toEqual({ sent: 1 });
      expect(await sweepChecks(setup.job())).toEqual({ sent: 0 });
      const { wakeAt } = await rowOf(url);
      gaps.push(Math.round(((wakeAt?.getTime() ?? 0) - before.getTime()) / MINUTE_MS));
      before = wakeAt ?? before;
    }
    expect(gaps.slice(0, 3)).toEqual([10, 20, 40]);
    expect(gaps.at(-1)).toBe(STALLED_MAX_MS / MINUTE_MS);
    expect(new Set(setup.requested(url).map(({ id }) => id)).size).toBe(10);
    await setup.check(url);
    await setup.moveClock(DAY_MS);
    expect(await sweepChecks(setup.job())).toEqual({ sent: 0 });
  });

  test("two concurrent sweeps send each event once, a batch at a time", async () => {
    await settleOthers();
    const urls = Array.from({ length: SWEEP_BATCH + 1 }, (_, n) => `https://shop.test/swept/${n}`);
    await requestChecks(setup.job(), { links: urls });
    await setup.moveClock(STALLED_FIRST_MS);
    const sent = await Promise.all([sweepChecks(setup.job()), sweepChecks(setup.job("other"))]);
    expect(sent.map((one) => one.sent).reduce((sum, one) => sum + one)).toBe(SWEEP_BATCH + 1);
  });
});

describe("before publishing", () => {
  /** A pin due after this time, whose link is checked now. */
  const dueIn = async (creator: Creator, ms: number) => {
    const url = setup.page(200);
    const pinId = await setup.draftTo(creator, url);
    await setup.check(url);
    await setup.schedule(creator, [pinId]);
    const at = sql`now() + make_interval(secs => ${ms / SECOND_MS})`;
    await creator.ctx.db.execute(sql`update pins set scheduled_at = ${at}, wake_at = ${at} where id = ${pinId}`);
    return url;
  };

  test("R-SRV-08 links of pins due soon are checked again once; others are not", async () => {
    const creator = await setup.insertCreator();
    const soon = await dueIn(creator, DAY_MS + HOUR_MS);
    const later = await dueIn(creator, DAY_MS + RECHECK_AHEAD_MS + HOUR_MS);
    const draft = setup.page(200);
    await setup.draftTo(creator, draft);
    await setup.check(draft);
    await setup.moveClock(DAY_MS);
    setup.change(soon, 404);
    expect(await recheckDue(setup.job())).toEqual({ requested: 1 });
    expect(await recheckDue(setup.job())).toEqual({ requested: 0 });
    expect([soon, later, draft].map((url) => setup.requested(url).length)).toEqual([2, 1, 1]);
    expect(await setup.check(soon)).toBe("dead");
    const scheduled = await creator.ctx.db.execute<{ status: string }>(
      sql`select status from pins where link = ${soon}`,
    );
    expect(scheduled.map(({ status }) => status)).toEqual(["scheduled"]);
  });

  test("R-SRV-08 the 15-minute function checks them and resends lost checks, under the real executor", async () => {
    const creator = await setup.insertCreator();
    const due = await dueIn(creator, HOUR_MS);
    const lost = setup.page(410);
    setup.harness.failNextSend();
    await editDraft(creator.ctx, { pinId: await setup.draft(creator, { link: null }), link: lost });
    setup.change(due, 404);
    await creator.ctx.db
      .update(linkChecks)
      .set({ checkedAt: addMs(setup.job().now(), -2 * DAY_MS) })
      .where(eq(linkChecks.url, due));
    await creator.ctx.db
      .update(linkChecks)
      .set({ wakeAt: addMs(setup.job().now(), -MINUTE_MS) })
      .where(eq(linkChecks.url, lost));
    const sentBefore = setup.harness.sentEvents.length;
    const before = await startHarness(setup.database.url, () => [recheckLinks], { schema: "executor_links" });
    await until(async () => (await before.query("select 1 from cron_tick")).length === 1, { what: "the schedule" });
    await before.close();
    await before.query("update cron_tick set last_at = $1", [addMs(new Date(), -DAY_MS).toISOString()]);
    const executor = await startHarness(setup.database.url, () => [recheckLinks, checkLinkFunction], {
      schema: "executor_links",
    });
    await untilEnded(executor.url, "recheck-links");
    await executor.app.client.send(setup.harness.sentEvents.slice(sentBefore).map((event) => ({ ...event })));
    await until(async () => [(await rowOf(due)).state, (await rowOf(lost)).state].every((state) => state === "dead"), {
      what: "both results",
    });
    expect([(await rowOf(due)).httpStatus, (await rowOf(lost)).httpStatus]).toEqual([404, 410]);
  });
});

test("a check is deleted a month after it was last used", async () => {
  const creator = await setup.insertCreator();
  const url = setup.page(404);
  await setup.draftTo(creator, url);
  await setup.check(url);
  await setup.moveClock(RETENTION_MS.linkCheck - MINUTE_MS);
  await purgeLinkChecks(setup.job());
  expect(await rowOf(url)).toMatchObject({ state: "dead" });
  await setup.moveClock(MINUTE_MS + SECOND_MS);
  expect(await purgeLinkChecks(setup.job())).toBeGreaterThanOrEqual(1);
  await expect(rowOf(url)).rejects.toThrow();
});

test("R-SRV-03 the check of a link without pins is deleted the next night, for instance after its user left", async () => {
  const creator = await setup.insertCreator();
  const [gone, kept] = [setup.page(404), setup.page(404)];
  const pinId = await setup.draftTo(creator, gone);
  await setup.draftTo(creator, kept);
  await creator.ctx.db.delete(pins).where(eq(pins.id, pinId));
  await setup.moveClock(RETENTION_MS.strayLinkCheck - MINUTE_MS);
  await purgeLinkChecks(setup.job());
  expect(await rowOf(gone)).toMatchObject({ url: gone });
  await setup.moveClock(MINUTE_MS + SECOND_MS);
  await purgeLinkChecks(setup.job());
  await expect(rowOf(gone)).rejects.toThrow();
  expect(await rowOf(kept)).toMatchObject({ url: kept });
});
