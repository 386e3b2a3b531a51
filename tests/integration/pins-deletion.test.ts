import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { orphanedImages } from "#db/schema/images.ts";
import { pins } from "#db/schema/pins.ts";
import { DAY_MS, MINUTE_MS } from "#lib/core/time.ts";
import { purgeImages } from "#lib/features/generation/images.ts";
import { deleteDrafts, restoreDrafts } from "#lib/features/pins/drafts.ts";
import { editDraft } from "#lib/features/pins/edits.ts";
import { listPins, readPin } from "#lib/features/pins/library.ts";
import { findPinsById } from "#lib/features/pins/queries.ts";
import { erasePins, purgePins } from "#lib/features/pins/retention.ts";
import { listPinsInput, pinIdsInput } from "#lib/features/pins/schema.ts";
import { exportData } from "#lib/features/privacy/export.ts";
import { removeAccount } from "#lib/features/publishing/queue.ts";
import { markRestored } from "#lib/features/publishing/reconciliation.ts";
import { retryPin } from "#lib/features/publishing/retries.ts";
import { readEvents } from "#lib/features/realtime/events.ts";
import { CREATE, type Creator, publishingSetup } from "./publishing-harness.ts";

const setup = publishingSetup();

const code = (expected: string) => expect.objectContaining({ code: expected });
const idsIn = async (creator: Creator, status = "all") =>
  (await listPins(creator.ctx, listPinsInput.parse({ accountId: creator.account.id, status }))).pins.map(
    ({ id }) => id,
  );
const orphanKeys = async () => (await setup.job().db.select().from(orphanedImages)).map(({ key }) => key);
const later = <R>(ms: number, work: () => Promise<R>) => setup.harness.later(ms, work);

const failedPin = async (creator: Creator) => {
  const scheduled = await setup.scheduled(creator);
  const where = { account: creator.account.username };
  await setup.pinterest.addFault({ match: CREATE, scenario: "board-gone", where });
  await setup.drive(scheduled);
  return scheduled.pinId;
};

describe("deleting with undo", () => {
  test("R-POST-11 removes drafts and failed pins from every list, and restores them in their previous status", async () => {
    const creator = await setup.insertCreator();
    const [kept, draft, failed] = [await setup.draft(creator), await setup.draft(creator), await failedPin(creator)];
    const before = await setup.pin(failed);
    await deleteDrafts(creator.ctx, { pinIds: [draft, failed] });
    expect(await idsIn(creator)).toEqual([kept]);
    for (const status of ["draft", "failed"]) {
      expect(await idsIn(creator, status)).toEqual(status === "draft" ? [kept] : []);
    }
    expect(await findPinsById(creator.ctx, [draft])).toEqual([]);
    await expect(readPin(creator.ctx, { pinId: draft })).rejects.toEqual(code("not_found"));
    await expect(editDraft(creator.ctx, { pinId: draft, title: "x" })).rejects.toEqual(code("not_found"));
    await expect(setup.schedule(creator, [kept, draft])).rejects.toEqual(code("not_found"));
    await expect(retryPin(creator.ctx, { pinId: failed })).rejects.toEqual(code("not_found"));
    await restoreDrafts(creator.ctx, { pinIds: [failed, draft] });
    expect((await idsIn(creator)).toSorted()).toEqual([kept, draft, failed].toSorted());
    expect(await setup.pin(failed)).toEqual({ ...before, updatedAt: expect.any(Date) });
    expect((await setup.attempts(failed)).length).toBeGreaterThan(0);
  });

  test("changes nothing when one pin is scheduled, another user's, missing or already deleted", async () => {
    const [creator, stranger] = [await setup.insertCreator(), await setup.insertCreator()];
    const [draft, gone] = [await setup.draft(creator), await setup.draft(creator)];
    const { pinId: scheduled } = await setup.scheduled(creator);
    const foreign = await setup.draft(stranger);
    await deleteDrafts(creator.ctx, { pinIds: [gone] });
    await expect(deleteDrafts(creator.ctx, { pinIds: [draft, scheduled] })).rejects.toEqual(code("wrong_state"));
    for (const bad of [foreign, gone, "pin_00000000000000000000000000", "' or 1=1 --"]) {
      await expect(deleteDrafts(creator.ctx, { pinIds: [draft, bad] })).rejects.toEqual(code("not_found"));
    }
    await expect(restoreDrafts(creator.ctx, { pinIds: [gone, draft] })).rejects.toEqual(code("not_found"));
    await expect(restoreDrafts(stranger.ctx, { pinIds: [gone] })).rejects.toEqual(code("not_found"));
    const states = [draft, scheduled, gone].map(async (id) => (await setup.pin(id)).status);
    expect(await Promise.all(states)).toEqual(["draft", "scheduled", "deleted"]);
    expect((await setup.pin(foreign)).status).toBe("draft");
  });

  test("rejects duplicates, an empty list and more than 500 pins", () => {
    const ids = (count: number) => Array.from({ length: count }, (_, n) => `pin_${n}`);
    for (const pinIds of [[], ["pin_1", "pin_1"], ids(501), [""], "pin_1", [1], null]) {
      expect(pinIdsInput.safeParse({ pinIds }).success, JSON.stringify(pinIds)).toBe(false);
    }
    expect(pinIdsInput.safeParse({ pinIds: ids(500) }).success).toBe(true);
  });

  test("sends live events for deletion and restoration", async () => {
    const creator = await setup.insertCreator();
    const pinId = await setup.draft(creator);
    const events = async () => {
      const read = await readEvents(creator.ctx, { userId: creator.userId, after: 0 });
      if (read.kind !== "events") throw new Error("It was too much.");
      return read.events.filter(({ kind }) => kind.startsWith("post"));
    };
    await deleteDrafts(creator.ctx, { pinIds: [pinId] });
    expect(await events()).toMatchObject([{ kind: "post_removed", data: { id: pinId } }]);
    await restoreDrafts(creator.ctx, { pinIds: [pinId] });
    expect(await events()).toMatchObject([{ kind: "post", data: { id: pinId, status: "draft" } }]);
  });

  test("R-SRV-03 when deleted and scheduled at the same time, only one happens", async () => {
    const creator = await setup.insertCreator();
    const pinIds = [await setup.draft(creator), await setup.draft(creator)];
    const [deleted, scheduled] = await Promise.allSettled([
      deleteDrafts(creator.ctx, { pinIds }),
      setup.schedule(creator, pinIds.toReversed()),
    ]);
    expect([deleted.status, scheduled.status].toSorted()).toEqual(["fulfilled", "rejected"]);
    const state = deleted.status === "fulfilled" ? "deleted" : "scheduled";
    for (const id of pinIds) expect((await setup.pin(id)).status).toBe(state);
  });

  test("is not exported, and is not restored after its account was removed", async () => {
    const creator = await setup.insertCreator();
    const [kept, gone] = [await setup.draft(creator, { title: "Kept" }), await setup.draft(creator, { title: "Gone" })];
    await deleteDrafts(creator.ctx, { pinIds: [gone] });
    let text = "";
    for await (const piece of await exportData(creator.ctx)) text += piece;
    expect(JSON.parse(text).pins).toMatchObject([{ id: kept }]);
    await removeAccount(creator.ctx, { accountId: creator.account.id });
    await expect(restoreDrafts(creator.ctx, { pinIds: [gone] })).rejects.toEqual(code("not_found"));
  });
});

describe("purging deleted pins", () => {
  test("purges a pin and its attempt log after a day and its images a week later; until then it can be restored", async () => {
    const creator = await setup.insertCreator();
    const { storage } = creator.ctx;
    const keys = ["pins/front.jpg", "pins/base.jpg"] as const;
    for (const key of keys) await storage.put(key, new Uint8Array([1]));
    const pinId = await setup.draft(creator, { imageKey: keys[0] });
    await creator.ctx.db.update(pins).set({ baseImageKey: keys[1] }).where(eq(pins.id, pinId));
    await deleteDrafts(creator.ctx, { pinIds: [pinId] });
    await later(DAY_MS - MINUTE_MS, () => purgePins(setup.job()));
    await restoreDrafts(creator.ctx, { pinIds: [pinId] });
    await later(9 * DAY_MS, () => purgePins(setup.job()));
    await deleteDrafts(creator.ctx, { pinIds: [pinId] });
    await later(DAY_MS + MINUTE_MS, () => purgePins(setup.job()));
    expect(await creator.ctx.db.$count(pins, eq(pins.id, pinId))).toBe(0);
    expect((await orphanKeys()).filter((key) => keys.some((one) => one === key))).toHaveLength(2);
    await expect(restoreDrafts(creator.ctx, { pinIds: [pinId] })).rejects.toEqual(code("not_found"));
    await later(9 * DAY_MS, () => purgeImages(setup.job()));
    expect([await storage.get(keys[0]), await storage.get(keys[1])]).toEqual([null, null]);
  });

  test("keeps an image while another pin uses it, has it under its template, or can be restored", async () => {
    const creator = await setup.insertCreator();
    const { storage, db } = creator.ctx;
    const keys = ["pins/shown.jpg", "pins/under.jpg", "pins/back.jpg"];
    for (const imageKey of keys) await storage.put(imageKey, new Uint8Array([1]));
    const first = await Promise.all(keys.map((imageKey) => setup.draft(creator, { imageKey })));
    await setup.draft(creator, { imageKey: "pins/shown.jpg" });
    const under = await setup.draft(creator);
    await db.update(pins).set({ baseImageKey: "pins/under.jpg" }).where(eq(pins.id, under));
    const back = await setup.draft(creator, { imageKey: "pins/back.jpg" });
    await deleteDrafts(creator.ctx, { pinIds: first });
    await later(2 * DAY_MS, () => purgePins(setup.job()));
    await later(9 * DAY_MS, () => deleteDrafts(creator.ctx, { pinIds: [back] }));
    await later(9 * DAY_MS + MINUTE_MS, () => purgeImages(setup.job()));
    for (const key of keys) expect(await storage.get(key), key).not.toBeNull();
    // Purging the pin restarts the retention period of its image.
    await later(11 * DAY_MS, () => purgePins(setup.job()));
    await later(17 * DAY_MS, () => purgeImages(setup.job()));
    expect(await storage.get("pins/back.jpg")).not.toBeNull();
    await later(19 * DAY_MS, () => purgeImages(setup.job()));
    expect(await storage.get("pins/back.jpg")).toBeNull();
  });

  test("marks all images for deletion with the user's account, including the one under a template", async () => {
    const creator = await setup.insertCreator();
    const pinId = await setup.draft(creator, { imageKey: "pins/mine.jpg" });
    await creator.ctx.db.update(pins).set({ baseImageKey: "pins/mine-under.jpg" }).where(eq(pins.id, pinId));
    await deleteDrafts(creator.ctx, { pinIds: [pinId] });
    await erasePins(setup.job(), { userId: creator.userId });
    expect(await orphanKeys()).toEqual(expect.arrayContaining(["pins/mine.jpg", "pins/mine-under.jpg"]));
    expect(await creator.ctx.db.$count(pins, eq(pins.userId, creator.userId))).toBe(0);
  });
});

test("R-SRV-03 also reconciles a deleted failed pin in a restored backup", async () => {
  const creator = await setup.insertCreator();
  const [failed, draft] = [await failedPin(creator), await setup.draft(creator)];
  await deleteDrafts(creator.ctx, { pinIds: [failed, draft] });
  await markRestored(setup.job(), { takenAt: setup.job().now() });
  await restoreDrafts(creator.ctx, { pinIds: [failed, draft] });
  expect(await setup.pin(failed)).toMatchObject({ status: "failed", mayBePublished: true });
  expect(await setup.pin(draft)).toMatchObject({ status: "draft", mayBePublished: false });
});
