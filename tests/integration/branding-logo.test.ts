import { eq } from "drizzle-orm";
import sharp from "sharp";
import { describe, expect, test } from "vitest";
import { brandKits } from "#db/schema/branding.ts";
import type { FullCtx } from "#lib/context.ts";
import { DAY_MS, MINUTE_MS } from "#lib/core/time.ts";
import { storeLogo } from "#lib/features/branding/kit.ts";
import { purgeImages } from "#lib/features/generation/images.ts";
import { removeAccount } from "#lib/features/publishing/queue.ts";
import { readMetadata } from "#tests/support/image-metadata.ts";
import { readOwnImage } from "#tests/support/own-images.ts";
import { badImages, movingGif, photo, png } from "#tests/support/sample-images.ts";
import { brandingIn, dyingContext, whileStored, withRecordedStorage } from "./branding-harness.ts";
import { type Creator, publishingSetup } from "./publishing-harness.ts";

const setup = publishingSetup();
const { upload, orphans, stored, bytesOf } = brandingIn(setup);
const bad = await badImages();

const keyOf = async ({ ctx, account }: Creator) => {
  const [row] = await ctx.db.select().from(brandKits).where(eq(brandKits.accountId, account.id));
  return row?.logoKey ?? null;
};

const send = (creator: Creator, bytes: Uint8Array, ctx: FullCtx = creator.ctx) =>
  storeLogo(ctx, { accountId: creator.account.id, logo: upload(bytes) });

const keep = async (creator: Creator, bytes: Uint8Array): Promise<Buffer> => {
  await send(creator, bytes);
  return bytesOf((await keyOf(creator)) ?? "");
};

describe("store-logo", () => {
  test("R-SRV-07 a photo becomes an upright PNG without metadata, at most 800 pixels a side", async () => {
    const creator = await setup.insertCreator();
    const logo = await keep(creator, await photo(2_400, 1_600));
    expect(await sharp(logo).metadata()).toMatchObject({ format: "png", width: 533, height: 800 });
    expect(readMetadata(logo)).toEqual({ kind: "png", parts: [], xmp: "", behindBytes: 0 });
    expect(logo.includes("Canary")).toBe(false);
    const key = (await keyOf(creator)) ?? "";
    expect(await readOwnImage(creator.ctx, key)).toMatchObject({ contentType: "image/png" });
  });

  test("transparency is kept, and a small logo is not enlarged", async () => {
    const creator = await setup.insertCreator();
    const clear = { r: 0, g: 0, b: 0, alpha: 0 };
    const dot = { input: { create: { width: 10, height: 10, channels: 4 as const, background: "#b44334" } } };
    const sent = sharp({ create: { width: 60, height: 30, channels: 4, background: clear } }).composite([dot]);
    const { data, info } = await sharp(await keep(creator, await sent.webp({ lossless: true }).toBuffer()))
      .raw()
      .toBuffer({ resolveWithObject: true });
    expect([info.width, info.height, data[3], data.at((15 * 60 + 30) * 4 + 3)]).toEqual([60, 30, 0, 255]);
  });

  test("R-SRV-07 the first frame of an animation is kept, even of 500; data behind the image is not", async () => {
    const creator = await setup.insertCreator();
    const moving = await keep(creator, await movingGif(500));
    const [red = 0, , blue = 0] = await sharp(moving).removeAlpha().raw().toBuffer();
    expect([await sharp(moving).metadata(), red > 240, blue < 20]).toMatchObject([{ height: 60 }, true, true]);
    const polyglot = Buffer.concat([await png(60, 30), Buffer.from("PK\x03\x04 canary <script>alert(1)</script>")]);
    const kept = await keep(creator, polyglot);
    expect([kept.includes("canary"), readMetadata(kept).behindBytes]).toEqual([false, 0]);
  });

  test.each(bad)("$name is rejected with a message, and nothing is stored", async ({ file, says }) => {
    const creator = await setup.insertCreator();
    const noted = await orphans();
    const { ctx, keys } = withRecordedStorage(creator.ctx);
    await expect(send(creator, file, ctx)).rejects.toMatchObject({
      code: "invalid",
      message: expect.stringMatching(says),
      fields: { logo: [expect.stringMatching(says)] },
    });
    expect([await keyOf(creator), keys, await orphans()]).toEqual([null, [], noted]);
  });

  test("a missing file is an error, and the previous logo stays after a bad one", async () => {
    const creator = await setup.insertCreator();
    await send(creator, await png(60, 30));
    const before = await keyOf(creator);
    await expect(storeLogo(creator.ctx, { accountId: creator.account.id })).rejects.toMatchObject({
      fields: { logo: ["Choose an image for your logo."] },
    });
    await expect(send(creator, Buffer.from("no picture"))).rejects.toMatchObject({ code: "invalid" });
    expect([await keyOf(creator), await stored([before ?? ""])]).toEqual([before, 1]);
  });

  test("is an orphan until the kit refers to it", async () => {
    const creator = await setup.insertCreator();
    const seen: boolean[] = [];
    const put: FullCtx["storage"]["put"] = async (key, bytes) => {
      seen.push((await orphans()).includes(key));
      await creator.ctx.storage.put(key, bytes);
    };
    await send(creator, await png(60, 30), { ...creator.ctx, storage: { ...creator.ctx.storage, put } });
    expect([seen, (await orphans()).includes((await keyOf(creator)) ?? "")]).toEqual([[true], false]);
  });

  test("a crash between storing and committing leaves the kit unchanged, and the file is deleted a week later", async () => {
    const creator = await setup.insertCreator();
    await send(creator, await png(60, 30));
    const before = await keyOf(creator);
    const { ctx, keys } = withRecordedStorage(creator.ctx);
    const killed = dyingContext(ctx, 1);
    void send(creator, await png(30, 60), killed.ctx);
    await killed.death;
    expect([await keyOf(creator), keys.length, await stored(keys)]).toEqual([before, 1, 1]);
    await purgeImages(setup.job());
    expect(await stored(keys)).toBe(1);
    await setup.harness.later(7 * DAY_MS + MINUTE_MS, () => purgeImages(setup.job()));
    expect([await stored(keys), await stored([before ?? ""])]).toEqual([0, 1]);
  });

  test("a full disk, or an account that is removed in the meantime, leaves nothing", async () => {
    const creator = await setup.insertCreator();
    const full = withRecordedStorage(creator.ctx, 1);
    await expect(send(creator, await png(60, 30), full.ctx)).rejects.toThrow("The disk is full.");
    const late = withRecordedStorage(creator.ctx);
    const removed = whileStored(late.ctx, () => removeAccount(creator.ctx, { accountId: creator.account.id }));
    await expect(send(creator, await png(60, 30), removed)).rejects.toMatchObject({ code: "not_found" });
    expect(await keyOf(creator)).toBeNull();
    await purgeImages(setup.job());
    expect([late.keys.length, await stored(late.keys)]).toEqual([1, 0]);
  });

  test("of several concurrent logos one is in the kit, and the sweep deletes the others", async () => {
    const creator = await setup.insertCreator();
    const { ctx, keys } = withRecordedStorage(creator.ctx);
    const files = await Promise.all([20, 30, 40, 50].map((side) => png(side, side)));
    await Promise.all(files.map((file) => send(creator, file, ctx)));
    const kept = await keyOf(creator);
    expect([keys.length, keys.includes(kept ?? "")]).toEqual([4, true]);
    await setup.harness.later(7 * DAY_MS + MINUTE_MS, () => purgeImages(setup.job()));
    expect([await stored([kept ?? ""]), await stored(keys)]).toEqual([1, 1]);
  });
});
