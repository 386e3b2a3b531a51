import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { pins } from "#db/schema/pins.ts";
import { DAY_MS, MINUTE_MS } from "#lib/core/time.ts";
import { retireImages } from "#lib/features/generation/retire-images.ts";
import { TEXTS } from "#lib/features/pins/constants.ts";
import { createBulk } from "#lib/features/pins/create-bulk.ts";
import { readPicture } from "#lib/features/pins/read-picture.ts";
import type { CreateBulkInput } from "#lib/features/pins/schema.ts";
import { photo } from "#tests/support/sample-pictures.ts";
import { bulkSets } from "./bulk-sets.ts";
import { type Maker, publishingWorld } from "./publishing-house.ts";

const world = publishingWorld();
const { upload, bulkOf } = bulkSets();
const image = await photo(300, 200);

const pinsOf = (maker: Maker) => maker.ctx.db.$count(pins, eq(pins.accountId, maker.account.id));

const refusedBulk = (maker: Maker): CreateBulkInput => {
  const bad = bulkOf(maker, 4);
  for (const at of [1, 3]) {
    const pin = bad.pins[at];
    if (pin) pin.picture = upload(Buffer.from("no picture"));
  }
  return bad;
};

test("R-BULK-10 R-ERR-15 all files that are no pictures are told at once, and which others are kept", async () => {
  const maker = await world.makeMaker();
  await expect(createBulk(maker.ctx, refusedBulk(maker))).rejects.toMatchObject({
    code: "invalid",
    message: "Pin 2: This file is not an image. Use PNG, JPG, GIF or WebP.",
    fields: {
      "pins[1]": ["Pin 2: This file is not an image. Use PNG, JPG, GIF or WebP."],
      "pins[3]": ["Pin 4: This file is not an image. Use PNG, JPG, GIF or WebP."],
    },
    more: { kept: ["pins[0]", "pins[2]"] },
  });
  expect(await pinsOf(maker)).toBe(0);
});

test("R-BULK-08 one image is sent again, without the others that are kept: theirs alone, and for a week", async () => {
  const [maker, other] = [await world.makeMaker(), await world.makeMaker()];
  const bad = refusedBulk(maker);
  await expect(createBulk(maker.ctx, bad)).rejects.toMatchObject({ code: "invalid" });
  const [first, second] = bad.pins;
  if (!first || !second) throw new Error("There are four.");
  const keptFile = { path: null, sha256: first.picture.sha256 };
  const again = (of: Maker) => ({
    ...bulkOf(of, 0),
    pins: [
      { ...first, boardId: of.boardId, picture: keptFile },
      { ...second, boardId: of.boardId, picture: upload(image) },
    ],
  });
  await expect(createBulk(other.ctx, again(other))).rejects.toMatchObject({
    code: "invalid",
    message: `Pin 1: ${TEXTS.pictureGone}`,
    more: { kept: ["pins[1]"] },
  });
  const { pins: made } = await createBulk(maker.ctx, again(maker));
  const keys = made.map(({ imageKey }) => imageKey);
  expect([keys.length, new Set(keys).size]).toEqual([2, 2]);
  const [one, two] = await Promise.all(keys.map((key) => readPicture(maker.ctx, { key })));
  expect(one).toEqual(two);
  await world.house.later(7 * DAY_MS + MINUTE_MS, () => retireImages(world.job()));
  await expect(createBulk(maker.ctx, again(maker))).rejects.toMatchObject({ message: `Pin 1: ${TEXTS.pictureGone}` });
  for (const key of keys) expect(await maker.ctx.storage.get(key)).not.toBeNull();
});
