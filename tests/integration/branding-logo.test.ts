import { eq } from "drizzle-orm";
import sharp from "sharp";
import { describe, expect, test } from "vitest";
import { brandKits } from "#db/schema/branding.ts";
import type { FullCtx } from "#lib/context.ts";
import { DAY_MS, MINUTE_MS } from "#lib/core/time.ts";
import { storeLogo } from "#lib/features/branding/kit.ts";
import { retireImages } from "#lib/features/generation/images.ts";
import { readPicture } from "#lib/features/pins/images.ts";
import { removeAccount } from "#lib/features/publishing/queue.ts";
import { readMetadata } from "#tests/support/picture-metadata.ts";
import { badPictures, movingGif, photo, png } from "#tests/support/sample-pictures.ts";
import { brandingIn, dying, watched, whileStored } from "./branding-house.ts";
import { type Maker, publishingWorld } from "./publishing-house.ts";

const world = publishingWorld();
const { upload, orphans, stored, bytesOf } = brandingIn(world);
const bad = await badPictures();

const keyOf = async ({ ctx, account }: Maker) => {
  const [row] = await ctx.db.select().from(brandKits).where(eq(brandKits.accountId, account.id));
  return row?.logoKey ?? null;
};

const send = (maker: Maker, bytes: Uint8Array, ctx: FullCtx = maker.ctx) =>
  storeLogo(ctx, { accountId: maker.account.id, logo: upload(bytes) });

/** What is kept of a file. */
const keep = async (maker: Maker, bytes: Uint8Array): Promise<Buffer> => {
  await send(maker, bytes);
  return bytesOf((await keyOf(maker)) ?? "");
};

describe("store-logo", () => {
  test("R-SRV-07 a photograph becomes an upright PNG of pixels alone, at most 800 a side", async () => {
    const maker = await world.makeMaker();
    const logo = await keep(maker, await photo(2_400, 1_600));
    expect(await sharp(logo).metadata()).toMatchObject({ format: "png", width: 533, height: 800 });
    expect(readMetadata(logo)).toEqual({ kind: "png", parts: [], xmp: "", behindBytes: 0 });
    expect(logo.includes("Canary")).toBe(false);
    const key = (await keyOf(maker)) ?? "";
    expect(await readPicture(maker.ctx, { key })).toMatchObject({ contentType: "image/png" });
  });

  test("what is clear stays clear, and a small one is not enlarged", async () => {
    const maker = await world.makeMaker();
    const clear = { r: 0, g: 0, b: 0, alpha: 0 };
    const dot = { input: { create: { width: 10, height: 10, channels: 4 as const, background: "#b44334" } } };
    const sent = sharp({ create: { width: 60, height: 30, channels: 4, background: clear } }).composite([dot]);
    const { data, info } = await sharp(await keep(maker, await sent.webp({ lossless: true }).toBuffer()))
      .raw()
      .toBuffer({ resolveWithObject: true });
    expect([info.width, info.height, data[3], data.at((15 * 60 + 30) * 4 + 3)]).toEqual([60, 30, 0, 255]);
  });

  test("R-SRV-07 of a moving picture the first frame is kept, also of 500; what hides behind a picture is not", async () => {
    const maker = await world.makeMaker();
    const moving = await keep(maker, await movingGif(500));
    const [red = 0, , blue = 0] = await sharp(moving).removeAlpha().raw().toBuffer();
    expect([await sharp(moving).metadata(), red > 240, blue < 20]).toMatchObject([{ height: 60 }, true, true]);
    const polyglot = Buffer.concat([await png(60, 30), Buffer.from("PK\x03\x04 canary <script>alert(1)</script>")]);
    const kept = await keep(maker, polyglot);
    expect([kept.includes("canary"), readMetadata(kept).behindBytes]).toEqual([false, 0]);
  });

  test.each(bad)(
    "QUALITY §2.14 §2.15 $name is refused in one sentence, and nothing is kept",
    async ({ file, says }) => {
      const maker = await world.makeMaker();
      const noted = await orphans();
      const { ctx, keys } = watched(maker.ctx);
      await expect(send(maker, file, ctx)).rejects.toMatchObject({
        code: "invalid",
        message: expect.stringMatching(says),
        fields: { logo: [expect.stringMatching(says)] },
      });
      expect([await keyOf(maker), keys, await orphans()]).toEqual([null, [], noted]);
    },
  );

  test("no file at all is asked for, and the logo of before stays when the next one is none", async () => {
    const maker = await world.makeMaker();
    await send(maker, await png(60, 30));
    const before = await keyOf(maker);
    await expect(storeLogo(maker.ctx, { accountId: maker.account.id })).rejects.toMatchObject({
      fields: { logo: ["Choose an image for the logo."] },
    });
    await expect(send(maker, Buffer.from("no picture"))).rejects.toMatchObject({ code: "invalid" });
    expect([await keyOf(maker), await stored([before ?? ""])]).toEqual([before, 1]);
  });

  test("an orphan until the kit has it, and then none", async () => {
    const maker = await world.makeMaker();
    const seen: boolean[] = [];
    const put: FullCtx["storage"]["put"] = async (key, bytes) => {
      seen.push((await orphans()).includes(key));
      await maker.ctx.storage.put(key, bytes);
    };
    await send(maker, await png(60, 30), { ...maker.ctx, storage: { ...maker.ctx.storage, put } });
    expect([seen, (await orphans()).includes((await keyOf(maker)) ?? "")]).toEqual([[true], false]);
  });

  test("killed between storing and committing: the kit as before, and the file is gone a week later", async () => {
    const maker = await world.makeMaker();
    await send(maker, await png(60, 30));
    const before = await keyOf(maker);
    const { ctx, keys } = watched(maker.ctx);
    const killed = dying(ctx, 1);
    void send(maker, await png(30, 60), killed.ctx);
    await killed.death;
    expect([await keyOf(maker), keys.length, await stored(keys)]).toEqual([before, 1, 1]);
    await retireImages(world.job());
    expect(await stored(keys)).toBe(1);
    await world.house.later(7 * DAY_MS + MINUTE_MS, () => retireImages(world.job()));
    expect([await stored(keys), await stored([before ?? ""])]).toEqual([0, 1]);
  });

  test("a full disk, and an account that is removed meanwhile, leave nothing", async () => {
    const maker = await world.makeMaker();
    const full = watched(maker.ctx, 1);
    await expect(send(maker, await png(60, 30), full.ctx)).rejects.toThrow("The disk is full.");
    const late = watched(maker.ctx);
    const removed = whileStored(late.ctx, () => removeAccount(maker.ctx, { accountId: maker.account.id }));
    await expect(send(maker, await png(60, 30), removed)).rejects.toMatchObject({ code: "not_found" });
    expect(await keyOf(maker)).toBeNull();
    await retireImages(world.job());
    expect([late.keys.length, await stored(late.keys)]).toEqual([1, 0]);
  });

  test("several at once: one is in the kit, and the sweep takes all others", async () => {
    const maker = await world.makeMaker();
    const { ctx, keys } = watched(maker.ctx);
    const files = await Promise.all([20, 30, 40, 50].map((side) => png(side, side)));
    await Promise.all(files.map((file) => send(maker, file, ctx)));
    const kept = await keyOf(maker);
    expect([keys.length, keys.includes(kept ?? "")]).toEqual([4, true]);
    await world.house.later(7 * DAY_MS + MINUTE_MS, () => retireImages(world.job()));
    expect([await stored([kept ?? ""]), await stored(keys)]).toEqual([1, 1]);
  });
});
