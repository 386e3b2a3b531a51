import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { orphanedImages } from "#db/schema/images.ts";
import { pins } from "#db/schema/pins.ts";
import { DAY_MS, MINUTE_MS } from "#lib/core/time.ts";
import { retireImages } from "#lib/features/generation/images.ts";
import { deleteDrafts, restoreDrafts } from "#lib/features/pins/drafts.ts";
import { editDraft } from "#lib/features/pins/edits.ts";
import { listPosts, readPost } from "#lib/features/pins/library.ts";
import { findPostsById } from "#lib/features/pins/queries.ts";
import { erasePins, retirePins } from "#lib/features/pins/retention.ts";
import { listPostsInput, pinIdsInput } from "#lib/features/pins/schema.ts";
import { exportData } from "#lib/features/privacy/export.ts";
import { removeAccount } from "#lib/features/publishing/queue.ts";
import { markRestored } from "#lib/features/publishing/reconciliation.ts";
import { retryPin } from "#lib/features/publishing/retries.ts";
import { readNews } from "#lib/features/realtime/events.ts";
import { CREATE, type Maker, publishingWorld } from "./publishing-house.ts";

const world = publishingWorld();

const code = (expected: string) => expect.objectContaining({ code: expected });
const idsIn = async (maker: Maker, status = "all") =>
  (await listPosts(maker.ctx, listPostsInput.parse({ accountId: maker.account.id, status }))).pins.map(({ id }) => id);
const orphanKeys = async () => (await world.job().db.select().from(orphanedImages)).map(({ key }) => key);
const later = <R>(ms: number, work: () => Promise<R>) => world.house.later(ms, work);

const failedPin = async (maker: Maker) => {
  const scheduled = await world.scheduled(maker);
  const where = { account: maker.account.username };
  await world.pinterest.strike({ match: CREATE, scenario: "board-gone", where });
  await world.drive(scheduled);
  return scheduled.pinId;
};

describe("deleting with undo", () => {
  test("R-POST-11 drafts and failed pins go from every list, and come back in the state they had", async () => {
    const maker = await world.makeMaker();
    const [kept, draft, failed] = [await world.draft(maker), await world.draft(maker), await failedPin(maker)];
    const before = await world.pin(failed);
    await deleteDrafts(maker.ctx, { pinIds: [draft, failed] });
    expect(await idsIn(maker)).toEqual([kept]);
    for (const status of ["draft", "failed"]) {
      expect(await idsIn(maker, status)).toEqual(status === "draft" ? [kept] : []);
    }
    expect(await findPostsById(maker.ctx, [draft])).toEqual([]);
    await expect(readPost(maker.ctx, { pinId: draft })).rejects.toEqual(code("not_found"));
    await expect(editDraft(maker.ctx, { pinId: draft, title: "x" })).rejects.toEqual(code("not_found"));
    await expect(world.schedule(maker, [kept, draft])).rejects.toEqual(code("not_found"));
    await expect(retryPin(maker.ctx, { pinId: failed })).rejects.toEqual(code("not_found"));
    await restoreDrafts(maker.ctx, { pinIds: [failed, draft] });
    expect((await idsIn(maker)).toSorted()).toEqual([kept, draft, failed].toSorted());
    expect(await world.pin(failed)).toEqual({ ...before, updatedAt: expect.any(Date) });
    expect((await world.receipt(failed)).length).toBeGreaterThan(0);
  });

  test("all or none: with one that is scheduled, foreign, absent or deleted already nothing changes", async () => {
    const [maker, stranger] = [await world.makeMaker(), await world.makeMaker()];
    const [draft, gone] = [await world.draft(maker), await world.draft(maker)];
    const { pinId: scheduled } = await world.scheduled(maker);
    const foreign = await world.draft(stranger);
    await deleteDrafts(maker.ctx, { pinIds: [gone] });
    await expect(deleteDrafts(maker.ctx, { pinIds: [draft, scheduled] })).rejects.toEqual(code("wrong_state"));
    for (const bad of [foreign, gone, "pin_00000000000000000000000000", "' or 1=1 --"]) {
      await expect(deleteDrafts(maker.ctx, { pinIds: [draft, bad] })).rejects.toEqual(code("not_found"));
    }
    await expect(restoreDrafts(maker.ctx, { pinIds: [gone, draft] })).rejects.toEqual(code("not_found"));
    await expect(restoreDrafts(stranger.ctx, { pinIds: [gone] })).rejects.toEqual(code("not_found"));
    const states = [draft, scheduled, gone].map(async (id) => (await world.pin(id)).status);
    expect(await Promise.all(states)).toEqual(["draft", "scheduled", "deleted"]);
    expect((await world.pin(foreign)).status).toBe("draft");
  });

  test("the same pin twice, none, and more than 500 are refused before anything is read", () => {
    const ids = (count: number) => Array.from({ length: count }, (_, n) => `pin_${n}`);
    for (const pinIds of [[], ["pin_1", "pin_1"], ids(501), [""], "pin_1", [1], null]) {
      expect(pinIdsInput.safeParse({ pinIds }).success, JSON.stringify(pinIds)).toBe(false);
    }
    expect(pinIdsInput.safeParse({ pinIds: ids(500) }).success).toBe(true);
  });

  test("other tabs are told that it is gone, and that it is back", async () => {
    const maker = await world.makeMaker();
    const pinId = await world.draft(maker);
    const news = async () => {
      const read = await readNews(maker.ctx, { userId: maker.userId, after: 0 });
      if (read.kind !== "news") throw new Error("It was too much.");
      return read.news.filter(({ kind }) => kind.startsWith("post"));
    };
    await deleteDrafts(maker.ctx, { pinIds: [pinId] });
    expect(await news()).toMatchObject([{ kind: "post_removed", data: { id: pinId } }]);
    await restoreDrafts(maker.ctx, { pinIds: [pinId] });
    expect(await news()).toMatchObject([{ kind: "post", data: { id: pinId, status: "draft" } }]);
  });

  test("R-SRV-03 deleted and scheduled at the same time: one of the two happens", async () => {
    const maker = await world.makeMaker();
    const pinIds = [await world.draft(maker), await world.draft(maker)];
    const [deleted, scheduled] = await Promise.allSettled([
      deleteDrafts(maker.ctx, { pinIds }),
      world.schedule(maker, pinIds.toReversed()),
    ]);
    expect([deleted.status, scheduled.status].toSorted()).toEqual(["fulfilled", "rejected"]);
    const state = deleted.status === "fulfilled" ? "deleted" : "scheduled";
    for (const id of pinIds) expect((await world.pin(id)).status).toBe(state);
  });

  test("it is not in the export, nor does it come back when its account was removed", async () => {
    const maker = await world.makeMaker();
    const [kept, gone] = [await world.draft(maker, { title: "Kept" }), await world.draft(maker, { title: "Gone" })];
    await deleteDrafts(maker.ctx, { pinIds: [gone] });
    let text = "";
    for await (const piece of await exportData(maker.ctx)) text += piece;
    expect(JSON.parse(text).pins).toMatchObject([{ id: kept }]);
    await removeAccount(maker.ctx, { accountId: maker.account.id });
    await expect(restoreDrafts(maker.ctx, { pinIds: [gone] })).rejects.toEqual(code("not_found"));
  });
});

describe("what was deleted is swept", () => {
  test("after a day with its receipt, and its pictures a week later; until then it can come back", async () => {
    const maker = await world.makeMaker();
    const { storage } = maker.ctx;
    const keys = ["pins/front.jpg", "pins/base.jpg"] as const;
    for (const key of keys) await storage.put(key, new Uint8Array([1]));
    const pinId = await world.draft(maker, { imageKey: keys[0] });
    await maker.ctx.db.update(pins).set({ baseImageKey: keys[1] }).where(eq(pins.id, pinId));
    await deleteDrafts(maker.ctx, { pinIds: [pinId] });
    await later(DAY_MS - MINUTE_MS, () => retirePins(world.job()));
    await restoreDrafts(maker.ctx, { pinIds: [pinId] });
    await later(9 * DAY_MS, () => retirePins(world.job()));
    await deleteDrafts(maker.ctx, { pinIds: [pinId] });
    await later(DAY_MS + MINUTE_MS, () => retirePins(world.job()));
    expect(await maker.ctx.db.$count(pins, eq(pins.id, pinId))).toBe(0);
    expect((await orphanKeys()).filter((key) => keys.some((one) => one === key))).toHaveLength(2);
    await expect(restoreDrafts(maker.ctx, { pinIds: [pinId] })).rejects.toEqual(code("not_found"));
    await later(9 * DAY_MS, () => retireImages(world.job()));
    expect([await storage.get(keys[0]), await storage.get(keys[1])]).toEqual([null, null]);
  });

  test("a picture stays while another pin shows it, has it under its template, or can be brought back", async () => {
    const maker = await world.makeMaker();
    const { storage, db } = maker.ctx;
    const keys = ["pins/shown.jpg", "pins/under.jpg", "pins/back.jpg"];
    for (const imageKey of keys) await storage.put(imageKey, new Uint8Array([1]));
    const first = await Promise.all(keys.map((imageKey) => world.draft(maker, { imageKey })));
    await world.draft(maker, { imageKey: "pins/shown.jpg" });
    const under = await world.draft(maker);
    await db.update(pins).set({ baseImageKey: "pins/under.jpg" }).where(eq(pins.id, under));
    const back = await world.draft(maker, { imageKey: "pins/back.jpg" });
    await deleteDrafts(maker.ctx, { pinIds: first });
    await later(2 * DAY_MS, () => retirePins(world.job()));
    await later(9 * DAY_MS, () => deleteDrafts(maker.ctx, { pinIds: [back] }));
    await later(9 * DAY_MS + MINUTE_MS, () => retireImages(world.job()));
    for (const key of keys) expect(await storage.get(key), key).not.toBeNull();
    // Deleted for good at last, the picture is noted anew, and has its time from then on.
    await later(11 * DAY_MS, () => retirePins(world.job()));
    await later(17 * DAY_MS, () => retireImages(world.job()));
    expect(await storage.get("pins/back.jpg")).not.toBeNull();
    await later(19 * DAY_MS, () => retireImages(world.job()));
    expect(await storage.get("pins/back.jpg")).toBeNull();
  });

  test("with its user's account its pictures are condemned, the one under a template too", async () => {
    const maker = await world.makeMaker();
    const pinId = await world.draft(maker, { imageKey: "pins/mine.jpg" });
    await maker.ctx.db.update(pins).set({ baseImageKey: "pins/mine-under.jpg" }).where(eq(pins.id, pinId));
    await deleteDrafts(maker.ctx, { pinIds: [pinId] });
    await erasePins(world.job(), { userId: maker.userId });
    expect(await orphanKeys()).toEqual(expect.arrayContaining(["pins/mine.jpg", "pins/mine-under.jpg"]));
    expect(await maker.ctx.db.$count(pins, eq(pins.userId, maker.userId))).toBe(0);
  });
});

test("R-SRV-03 in a restored copy a failed pin that was deleted is looked for as well, should it come back", async () => {
  const maker = await world.makeMaker();
  const [failed, draft] = [await failedPin(maker), await world.draft(maker)];
  await deleteDrafts(maker.ctx, { pinIds: [failed, draft] });
  await markRestored(world.job(), { takenAt: world.job().now() });
  await restoreDrafts(maker.ctx, { pinIds: [failed, draft] });
  expect(await world.pin(failed)).toMatchObject({ status: "failed", mayBePublished: true });
  expect(await world.pin(draft)).toMatchObject({ status: "draft", mayBePublished: false });
});
