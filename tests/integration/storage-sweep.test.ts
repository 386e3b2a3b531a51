import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { orphanedImages } from "#db/schema/images.ts";
import { openStorage } from "#lib/composition.ts";
import type { FullCtx } from "#lib/context.ts";
import { DAY_MS, MINUTE_MS } from "#lib/core/time.ts";
import { purgeImages } from "#lib/features/generation/images.ts";
import { orphanImage } from "#lib/features/pins/images.ts";
import { thumbnailKeys } from "#lib/features/pins/policy.ts";
import { bucketsForFile } from "#tests/support/s3-server.ts";
import { publishingSetup } from "./publishing-harness.ts";

const setup = publishingSetup();
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

/** A storage that fails at its n-th deletion. */
const failing = (storage: FullCtx["storage"], failsAt: number): FullCtx["storage"] => {
  let deleted = 0;
  const remove: FullCtx["storage"]["delete"] = async (key) => {
    deleted += 1;
    if (deleted >= failsAt) throw new Error("The storage does not answer.");
    await storage.delete(key);
  };
  return { ...storage, delete: remove };
};

describe.each(Object.entries(urls))("images in %s", (_, url) => {
  test("R-SRV-07 orphaned images are deleted with their thumbnails, even after an interrupted sweep; used ones stay", async () => {
    const creator = await setup.insertCreator();
    const storage = openStorage(url());
    const [orphaned, other, used] = [newKey(), newKey(), newKey()];
    const all = [orphaned, other, used].flatMap((key) => [key, ...thumbnailKeys(key)]);
    for (const key of all) await storage.put(key, new TextEncoder().encode(key));
    const there = async () => {
      const found = await Promise.all(all.map(async (key) => ({ key, bytes: await storage.get(key) })));
      return found.filter(({ bytes }) => bytes !== null).map(({ key }) => key);
    };
    await setup.draft(creator, { imageKey: used });
    for (const imageKey of [orphaned, other, used]) await orphanImage(creator.ctx, { imageKey });
    const job = { ...setup.job(), storage };
    expect([await purgeImages(job), await there()]).toEqual([0, all]);
    await setup.harness.later(7 * DAY_MS + MINUTE_MS, async () => {
      const broken = { ...setup.job(), storage: failing(storage, 5) };
      await expect(purgeImages(broken)).rejects.toThrow("The storage does not answer.");
      // Rows are deleted only after all files.
      expect(await job.db.$count(orphanedImages, eq(orphanedImages.key, orphaned))).toBe(1);
      expect(await purgeImages({ ...setup.job(), storage })).toBe(2);
    });
    expect(await there()).toEqual([used, ...thumbnailKeys(used)]);
    for (const key of [orphaned, other, used]) {
      expect(await job.db.$count(orphanedImages, eq(orphanedImages.key, key))).toBe(0);
    }
  });
});
