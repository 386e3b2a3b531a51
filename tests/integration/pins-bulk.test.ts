import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { orphanedImages } from "#db/schema/images.ts";
import { pins } from "#db/schema/pins.ts";
import { bulkSubmissions } from "#db/schema/submissions.ts";
import type { FullCtx } from "#lib/context.ts";
import { DAY_MS, MINUTE_MS } from "#lib/core/time.ts";
import { purgeImages } from "#lib/features/generation/images.ts";
import { createBulk } from "#lib/features/pins/bulk-create.ts";
import { deleteDrafts } from "#lib/features/pins/drafts.ts";
import { thumbnailKeys } from "#lib/features/pins/policy.ts";
import { purgePins } from "#lib/features/pins/retention.ts";
import { RETENTION_RULES } from "#lib/features/privacy/retention.ts";
import { removeAccount } from "#lib/features/publishing/queue.ts";
import { metadataOf, trailingBytes } from "#tests/support/jpeg-segments.ts";
import { readOwnImage } from "#tests/support/own-images.ts";
import { bulkSets } from "./bulk-sets.ts";
import { type Creator, publishingSetup } from "./publishing-harness.ts";

const setup = publishingSetup();
const { upload, bulkOf } = bulkSets();
const pinsOf = (creator: Creator) => creator.ctx.db.$count(pins, eq(pins.accountId, creator.account.id));
const orphans = async (ctx: FullCtx) => (await ctx.db.select().from(orphanedImages)).map(({ key }) => key);

/** A storage that records its keys and fails from the n-th image on. */
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
  test("R-BULK-11 A-17 publishes uploaded pins unchanged, without the AI label", async () => {
    const creator = await setup.insertCreator();
    const { pins: made } = await createBulk(creator.ctx, bulkOf(creator, 2));
    expect(made.map(({ title, status }) => [title, status])).toEqual([
      ["Moss 1", "draft"],
      ["Moss 2", "draft"],
    ]);
    const [first] = made;
    if (!first) throw new Error("Two were made.");
    expect(await setup.pin(first.id)).toMatchObject({ source: "manual", keyword: null });
    expect(await setup.pin(first.id)).toMatchObject({
      likeness: expect.stringMatching(/^[0-9a-f]{16}$/),
      placeholder: expect.stringMatching(/^data:image\/webp;base64,/),
    });
    await setup.schedule(creator, [first.id]);
    await setup.drive({ pinId: first.id, scheduleGeneration: 1 });
    const [there] = await setup.publicPins(creator);
    expect(there).toMatchObject({ title: "Moss 1", ai_disclosures: null });
    const file = Object(there?.image).file;
    const published = new Uint8Array(await (await fetch(`${setup.pinterest.url}/media/${file}`)).arrayBuffer());
    expect([metadataOf(published), trailingBytes(published)]).toEqual([[], 0]);
    expect(Buffer.from(published).includes("Canary")).toBe(false);
  });

  test("R-SRV-07 records a stored image as unused until its draft is committed", async () => {
    const creator = await setup.insertCreator();
    const before = await orphans(creator.ctx);
    const seen: boolean[] = [];
    const put: FullCtx["storage"]["put"] = async (key, bytes) => {
      seen.push((await orphans(creator.ctx)).includes(key));
      await creator.ctx.storage.put(key, bytes);
    };
    await createBulk({ ...creator.ctx, storage: { ...creator.ctx.storage, put } }, bulkOf(creator, 3));
    expect(seen).toEqual([true, true, true]);
    expect(await orphans(creator.ctx)).toEqual(before);
  });

  test("after a crash between storing and committing, there is no draft and the images are purged a week later", async () => {
    const creator = await setup.insertCreator();
    const { ctx, keys } = watched(creator.ctx);
    // The process crashes, so its cleanup does not run either.
    const dead = new Promise<never>(() => undefined);
    const transaction = () => {
      died();
      return dead;
    };
    const { promise: death, resolve: died } = Promise.withResolvers<void>();
    const db = new Proxy(ctx.db, {
      get: (target, name) => (name === "transaction" ? transaction : Reflect.get(target, name)),
    });
    void createBulk({ ...ctx, db }, bulkOf(creator, 2));
    await death;
    expect([await pinsOf(creator), keys.length, await stored(ctx, keys)]).toEqual([0, 2, 2]);
    await purgeImages(setup.job());
    expect(await stored(ctx, keys)).toBe(2);
    await setup.harness.later(7 * DAY_MS + MINUTE_MS, () => purgeImages(setup.job()));
    expect(await stored(ctx, keys)).toBe(0);
  });

  test("creates nothing when storage fails or a file is not an image; stored images are purged by the next sweep", async () => {
    const creator = await setup.insertCreator();
    const failing = watched(creator.ctx, 3);
    await expect(createBulk(failing.ctx, bulkOf(creator, 3))).rejects.toThrow("The disk is full.");
    const bad = bulkOf(creator, 3);
    const third = bad.pins[2];
    if (third) third.image = upload(Buffer.from("not an image"));
    const refused = watched(creator.ctx);
    await expect(createBulk(refused.ctx, bad)).rejects.toMatchObject({
      code: "invalid",
      message: "Pin 3: This file isn't an image. Use a PNG, JPG, GIF, or WebP.",
      fields: { "pins[2]": [expect.stringContaining("isn't an image")] },
    });
    expect(await pinsOf(creator)).toBe(0);
    const all = [...failing.keys, ...refused.keys];
    const keys = all.filter((key) => key.startsWith("pins/"));
    // The image saved from the rejected request (the same file twice) is purged with the others.
    expect([keys.length, all.length, await stored(creator.ctx, all)]).toEqual([4, 5, 5]);
    await purgeImages(setup.job());
    expect(await stored(creator.ctx, keys)).toBe(0);
  });

  test("creates no drafts for an account that is removed meanwhile", async () => {
    const creator = await setup.insertCreator();
    const put: FullCtx["storage"]["put"] = async (key, bytes) => {
      await creator.ctx.storage.put(key, bytes);
      await removeAccount(creator.ctx, { accountId: creator.account.id });
    };
    const ctx = { ...creator.ctx, storage: { ...creator.ctx.storage, put } };
    await expect(createBulk(ctx, bulkOf(creator, 1))).rejects.toMatchObject({ code: "not_found" });
    expect(await pinsOf(creator)).toBe(0);
  });

  test("R-BULK-04 rejects a board of another account; accepts boards while Pinterest does not respond", async () => {
    const [creator, other] = [await setup.insertCreator(), await setup.insertCreator()];
    const foreign = bulkOf(creator, 2);
    const second = foreign.pins[1];
    if (second) second.boardId = other.boardId;
    const message = "Pin 2: This board doesn't belong to the selected account.";
    await expect(createBulk(creator.ctx, foreign)).rejects.toMatchObject({ code: "invalid", message });
    const away = await setup.insertCreator();
    const where = { account: away.account.username };
    await setup.pinterest.addFault({ match: "GET /v5/boards", scenario: "unavailable", where });
    expect((await createBulk(away.ctx, bulkOf(away, 1))).pins).toHaveLength(1);
  });

  test("deletes an idempotency key after three days and keeps its pins", async () => {
    const creator = await setup.insertCreator();
    const input = bulkOf(creator, 1, { idempotencyKey: "one" });
    const first = await createBulk(creator.ctx, input);
    expect((await createBulk(creator.ctx, input)).pins).toEqual(first.pins);
    const count = () => creator.ctx.db.$count(bulkSubmissions, eq(bulkSubmissions.userId, creator.userId));
    await setup.harness.later(3 * DAY_MS - MINUTE_MS, () => RETENTION_RULES.submissions(setup.job()));
    expect(await count()).toBe(1);
    await setup.harness.later(3 * DAY_MS + MINUTE_MS, () => RETENTION_RULES.submissions(setup.job()));
    expect([await count(), await pinsOf(creator)]).toEqual([0, 1]);
  });

  test("deletes thumbnails with their image", async () => {
    const creator = await setup.insertCreator();
    const { pins: made } = await createBulk(creator.ctx, bulkOf(creator, 1));
    const [pin] = made;
    if (!pin) throw new Error("One was made.");
    const keys = thumbnailKeys(pin.imageKey);
    for (const key of keys) expect((await readOwnImage(creator.ctx, key)).contentType).toBe("image/webp");
    expect(await stored(creator.ctx, keys)).toBe(keys.length);
    await deleteDrafts(creator.ctx, { pinIds: [pin.id] });
    await setup.harness.later(DAY_MS + MINUTE_MS, () => purgePins(setup.job()));
    await setup.harness.later(8 * DAY_MS + 2 * MINUTE_MS, () => purgeImages(setup.job()));
    expect(await stored(creator.ctx, [...keys, pin.imageKey])).toBe(0);
    await expect(readOwnImage(creator.ctx, keys[0] ?? "")).rejects.toMatchObject({ code: "not_found" });
  });
});
