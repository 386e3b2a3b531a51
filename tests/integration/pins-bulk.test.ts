import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { orphanedImages } from "#db/schema/images.ts";
import { pins } from "#db/schema/pins.ts";
import { bulkSubmissions } from "#db/schema/submissions.ts";
import type { FullCtx } from "#lib/context.ts";
import { DAY_MS, MINUTE_MS } from "#lib/core/time.ts";
import { retireImages } from "#lib/features/generation/images.ts";
import { createBulk } from "#lib/features/pins/bulk-create.ts";
import { deleteDrafts } from "#lib/features/pins/drafts.ts";
import { readPicture } from "#lib/features/pins/images.ts";
import { thumbnailKeys } from "#lib/features/pins/policy.ts";
import { retirePins } from "#lib/features/pins/retention.ts";
import { RETENTION_RULES } from "#lib/features/privacy/retention.ts";

import { removeAccount } from "#lib/features/publishing/queue.ts";
import { behindTheEnd, metadataOf } from "#tests/support/jpeg-segments.ts";
import { bulkSets } from "./bulk-sets.ts";
import { type Maker, publishingWorld } from "./publishing-house.ts";

const world = publishingWorld();
const { upload, bulkOf } = bulkSets();
const pinsOf = (maker: Maker) => maker.ctx.db.$count(pins, eq(pins.accountId, maker.account.id));
const orphans = async (ctx: FullCtx) => (await ctx.db.select().from(orphanedImages)).map(({ key }) => key);

/** A storage that keeps a list, and fails from its n-th picture on. */
const watched = (ctx: FullCtx, failsAt = Number.POSITIVE_INFINITY) => {
  const keys: string[] = [];
  const put: FullCtx["storage"]["put"] = async (key, bytes) => {
    if (keys.length + 1 >= failsAt) throw new Error("The disk is full.");
    await ctx.storage.put(key, bytes);
    keys.push(key);
  };
  return { keys, ctx: { ...ctx, storage: { ...ctx.storage, put } } };
};

const stored = async (ctx: FullCtx, keys: readonly string[]) =>
  (await Promise.all(keys.map((key) => ctx.storage.get(key)))).filter((bytes) => bytes !== null).length;

describe("create-bulk", () => {
  test("R-BULK-11 A-17 D10 drafts of one's own are published as they are, and not called made by a model", async () => {
    const maker = await world.makeMaker();
    const { pins: made } = await createBulk(maker.ctx, bulkOf(maker, 2));
    expect(made.map(({ title, status }) => [title, status])).toEqual([
      ["Moss 1", "draft"],
      ["Moss 2", "draft"],
    ]);
    const [first] = made;
    if (!first) throw new Error("Two were made.");
    expect(await world.pin(first.id)).toMatchObject({ source: "manual", keyword: null });
    expect(await world.pin(first.id)).toMatchObject({
      likeness: expect.stringMatching(/^[0-9a-f]{16}$/),
      placeholder: expect.stringMatching(/^data:image\/webp;base64,/),
    });
    await world.schedule(maker, [first.id]);
    await world.drive({ pinId: first.id, scheduleGeneration: 1 });
    const [there] = await world.publicPins(maker);
    expect(there).toMatchObject({ title: "Moss 1", ai_disclosures: null });
    const file = Object(there?.picture).file;
    const published = new Uint8Array(await (await fetch(`${world.pinterest.url}/media/${file}`)).arrayBuffer());
    expect([metadataOf(published), behindTheEnd(published)]).toEqual([[], 0]);
    expect(Buffer.from(published).includes("Canary")).toBe(false);
  });

  test("R-SRV-07 a picture in the storage is an orphan until its draft is committed, and then none", async () => {
    const maker = await world.makeMaker();
    const before = await orphans(maker.ctx);
    const seen: boolean[] = [];
    const put: FullCtx["storage"]["put"] = async (key, bytes) => {
      seen.push((await orphans(maker.ctx)).includes(key));
      await maker.ctx.storage.put(key, bytes);
    };
    await createBulk({ ...maker.ctx, storage: { ...maker.ctx.storage, put } }, bulkOf(maker, 3));
    expect(seen).toEqual([true, true, true]);
    expect(await orphans(maker.ctx)).toEqual(before);
  });

  test("killed between storing and committing: no draft, and the sweep finds the pictures a week later", async () => {
    const maker = await world.makeMaker();
    const { ctx, keys } = watched(maker.ctx);
    // The process dies: nothing of it runs any more, its tidying up neither.
    const dead = new Promise<never>(() => undefined);
    const transaction = () => {
      died();
      return dead;
    };
    const { promise: death, resolve: died } = Promise.withResolvers<void>();
    const db = new Proxy(ctx.db, {
      get: (target, name) => (name === "transaction" ? transaction : Reflect.get(target, name)),
    });
    void createBulk({ ...ctx, db }, bulkOf(maker, 2));
    await death;
    expect([await pinsOf(maker), keys.length, await stored(ctx, keys)]).toEqual([0, 2, 2]);
    await retireImages(world.job());
    expect(await stored(ctx, keys)).toBe(2);
    await world.house.later(7 * DAY_MS + MINUTE_MS, () => retireImages(world.job()));
    expect(await stored(ctx, keys)).toBe(0);
  });

  test("a storage that fails midway, or a picture that is none, makes nothing; what was stored goes with the next sweep", async () => {
    const maker = await world.makeMaker();
    const failing = watched(maker.ctx, 3);
    await expect(createBulk(failing.ctx, bulkOf(maker, 3))).rejects.toThrow("The disk is full.");
    const bad = bulkOf(maker, 3);
    const third = bad.pins[2];
    if (third) third.picture = upload(Buffer.from("no picture"));
    const refused = watched(maker.ctx);
    await expect(createBulk(refused.ctx, bad)).rejects.toMatchObject({
      code: "invalid",
      message: "Pin 3: This file is not an image. Use PNG, JPG, GIF or WebP.",
      fields: { "pins[2]": [expect.stringContaining("not an image")] },
    });
    expect(await pinsOf(maker)).toBe(0);
    const all = [...failing.keys, ...refused.keys];
    const keys = all.filter((key) => key.startsWith("pins/"));
    // What the refused set keeps for another try, of two times the same file, goes with the orphans of this week.
    expect([keys.length, all.length, await stored(maker.ctx, all)]).toEqual([4, 5, 5]);
    await retireImages(world.job());
    expect(await stored(maker.ctx, keys)).toBe(0);
  });

  test("an account that is removed meanwhile gets no drafts", async () => {
    const maker = await world.makeMaker();
    const put: FullCtx["storage"]["put"] = async (key, bytes) => {
      await maker.ctx.storage.put(key, bytes);
      await removeAccount(maker.ctx, { accountId: maker.account.id });
    };
    const ctx = { ...maker.ctx, storage: { ...maker.ctx.storage, put } };
    await expect(createBulk(ctx, bulkOf(maker, 1))).rejects.toMatchObject({ code: "not_found" });
    expect(await pinsOf(maker)).toBe(0);
  });

  test("R-BULK-04 a board of another account is refused; while Pinterest does not answer, boards are taken as they are", async () => {
    const [maker, other] = [await world.makeMaker(), await world.makeMaker()];
    const foreign = bulkOf(maker, 2);
    const second = foreign.pins[1];
    if (second) second.boardId = other.boardId;
    const message = "Pin 2: This board is not one of the account's.";
    await expect(createBulk(maker.ctx, foreign)).rejects.toMatchObject({ code: "invalid", message });
    const away = await world.makeMaker();
    const where = { account: away.account.username };
    await world.pinterest.strike({ match: "GET /v5/boards", scenario: "unavailable", where });
    expect((await createBulk(away.ctx, bulkOf(away, 1))).pins).toHaveLength(1);
  });

  test("a key is forgotten after three days, and its pins stay", async () => {
    const maker = await world.makeMaker();
    const input = bulkOf(maker, 1, { idempotencyKey: "one" });
    const first = await createBulk(maker.ctx, input);
    expect((await createBulk(maker.ctx, input)).pins).toEqual(first.pins);
    const count = () => maker.ctx.db.$count(bulkSubmissions, eq(bulkSubmissions.userId, maker.userId));
    await world.house.later(3 * DAY_MS - MINUTE_MS, () => RETENTION_RULES.submissions(world.job()));
    expect(await count()).toBe(1);
    await world.house.later(3 * DAY_MS + MINUTE_MS, () => RETENTION_RULES.submissions(world.job()));
    expect([await count(), await pinsOf(maker)]).toEqual([0, 1]);
  });

  test("thumbnails go with their picture", async () => {
    const maker = await world.makeMaker();
    const { pins: made } = await createBulk(maker.ctx, bulkOf(maker, 1));
    const [pin] = made;
    if (!pin) throw new Error("One was made.");
    const keys = thumbnailKeys(pin.imageKey);
    for (const key of keys) expect((await readPicture(maker.ctx, { key })).contentType).toBe("image/webp");
    expect(await stored(maker.ctx, keys)).toBe(keys.length);
    await deleteDrafts(maker.ctx, { pinIds: [pin.id] });
    await world.house.later(DAY_MS + MINUTE_MS, () => retirePins(world.job()));
    await world.house.later(8 * DAY_MS + 2 * MINUTE_MS, () => retireImages(world.job()));
    expect(await stored(maker.ctx, [...keys, pin.imageKey])).toBe(0);
    await expect(readPicture(maker.ctx, { key: keys[0] ?? "" })).rejects.toMatchObject({ code: "not_found" });
  });
});
