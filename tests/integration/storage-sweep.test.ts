import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { orphanedImages } from "#db/schema/images.ts";
import { openStorage } from "#lib/composition.ts";
import type { FullCtx } from "#lib/context.ts";
import { DAY_MS, MINUTE_MS } from "#lib/core/time.ts";
import { retireImages } from "#lib/features/generation/images.ts";
import { orphanImage } from "#lib/features/pins/images.ts";
import { thumbnailKeys } from "#lib/features/pins/policy.ts";
import { bucketsForFile } from "#tests/support/s3-server.ts";
import { publishingWorld } from "./publishing-house.ts";

const world = publishingWorld();
const {
  folder,
  names: [bucket = ""],
  urlOf,
} = bucketsForFile(1);

const urls = {
  "a folder": () => `file:${join(folder, "files")}`,
  "a bucket": () => urlOf(bucket),
};

const newKey = () => `pins/${randomBytes(20).toString("hex")}.jpg`;

/** The storage, until it fails at its n-th deletion. */
const failing = (storage: FullCtx["storage"], failsAt: number): FullCtx["storage"] => {
  let deleted = 0;
  const remove: FullCtx["storage"]["delete"] = async (key) => {
    deleted += 1;
    if (deleted >= failsAt) throw new Error("The storage does not answer.");
    await storage.delete(key);
  };
  return { ...storage, delete: remove };
};

describe.each(Object.entries(urls))("pictures in %s", (_, url) => {
  test("R-SRV-07 those that lost their pin go with their thumbnails, also when a sweep breaks off; those in use stay", async () => {
    const maker = await world.makeMaker();
    const storage = openStorage(url());
    const [lost, other, kept] = [newKey(), newKey(), newKey()];
    const all = [lost, other, kept].flatMap((key) => [key, ...thumbnailKeys(key)]);
    for (const key of all) await storage.put(key, new TextEncoder().encode(key));
    const there = async () => {
      const found = await Promise.all(all.map(async (key) => ({ key, bytes: await storage.get(key) })));
      return found.filter(({ bytes }) => bytes !== null).map(({ key }) => key);
    };
    await world.draft(maker, { imageKey: kept });
    for (const imageKey of [lost, other, kept]) await orphanImage(maker.ctx, { imageKey });
    const job = { ...world.job(), storage };
    expect([await retireImages(job), await there()]).toEqual([0, all]);
    await world.house.later(7 * DAY_MS + MINUTE_MS, async () => {
      const broken = { ...world.job(), storage: failing(storage, 5) };
      await expect(retireImages(broken)).rejects.toThrow("The storage does not answer.");
      // Nothing was struck off the list before all of it was gone.
      expect(await job.db.$count(orphanedImages, eq(orphanedImages.key, lost))).toBe(1);
      expect(await retireImages({ ...world.job(), storage })).toBe(2);
    });
    expect(await there()).toEqual([kept, ...thumbnailKeys(kept)]);
    for (const key of [lost, other, kept]) {
      expect(await job.db.$count(orphanedImages, eq(orphanedImages.key, key))).toBe(0);
    }
  });
});
