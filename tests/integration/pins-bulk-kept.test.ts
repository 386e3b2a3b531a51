import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { pins } from "#db/schema/pins.ts";
import type { UploadedFile } from "#lib/core/images.ts";
import { addMs, DAY_MS, MINUTE_MS } from "#lib/core/time.ts";
import { retireImages } from "#lib/features/generation/images.ts";
import { createBulk } from "#lib/features/pins/bulk-create.ts";
import { KEPT_MAX, TEXTS } from "#lib/features/pins/constants.ts";
import { readPicture } from "#lib/features/pins/images.ts";
import type { CreateBulkInput } from "#lib/features/pins/schema.ts";
import { findKept, keepArrived, nameKept } from "#lib/features/pins/uploads.ts";
import { movingGif, photo } from "#tests/support/sample-pictures.ts";
import { bulkSets } from "./bulk-sets.ts";
import { erase, leave } from "./privacy-house.ts";
import { type Maker, publishingWorld } from "./publishing-house.ts";

const world = publishingWorld();
const { upload, bulkOf } = bulkSets();
const image = await photo(300, 200);

const pinsOf = (maker: Maker) => maker.ctx.db.$count(pins, eq(pins.accountId, maker.account.id));

const keep = async ({ ctx, account }: Maker, ...files: UploadedFile[]) => {
  for (const file of files) await keepArrived(ctx, { accountId: account.id, file });
};

const keptAs = ({ sha256 }: UploadedFile) => ({ path: null, sha256 });

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

test("R-BULK-08 one image is sent again, without the others that are kept: theirs alone, and for a day", async () => {
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
  await world.house.later(DAY_MS + MINUTE_MS, () => retireImages(world.job()));
  await expect(createBulk(maker.ctx, again(maker))).rejects.toMatchObject({ message: `Pin 1: ${TEXTS.pictureGone}` });
  for (const key of keys) expect(await maker.ctx.storage.get(key)).not.toBeNull();
});

test("R-BULK-08 of an upload that broke off the pictures that came whole are kept, for their sender alone", async () => {
  const [maker, other] = [await world.makeMaker(), await world.makeMaker()];
  const set = bulkOf(maker, 3);
  const [whole, missing] = [upload(image), upload(await photo(200, 200))];
  await keep(maker, whole, upload(Buffer.from("no picture")), whole);
  const digests = [whole, missing].map(({ sha256 }) => sha256);
  expect(await findKept(maker.ctx, { digests })).toEqual([whole.sha256]);
  expect(await findKept(other.ctx, { digests })).toEqual([]);
  const [first, second] = set.pins;
  if (!first || !second) throw new Error("There are three.");
  const again = [
    { ...first, picture: { path: null, sha256: whole.sha256 } },
    { ...second, picture: missing },
  ];
  const { pins: made } = await createBulk(maker.ctx, { ...set, pins: again });
  expect(made).toHaveLength(2);
  await world.house.later(DAY_MS + MINUTE_MS, () => retireImages(world.job()));
  expect(await findKept(maker.ctx, { digests })).toEqual([]);
});

test("R-BULK-08 a picture that is only noted, and not stored yet, is not called kept", async () => {
  const maker = await world.makeMaker();
  const file = upload(image);
  const broken = {
    ...maker.ctx,
    storage: { ...maker.ctx.storage, put: () => Promise.reject(new Error("The disk is full.")) },
  };
  const kept = keepArrived(broken, { accountId: maker.account.id, file });
  await expect(kept).rejects.toThrow("The disk is full.");
  expect(await findKept(maker.ctx, { digests: [file.sha256] })).toEqual([]);
});

test("R-BULK-08 R-ROLE-04 nothing is kept for an account that is another's, or was not named", async () => {
  const [maker, other] = [await world.makeMaker(), await world.makeMaker()];
  const file = upload(image);
  for (const accountId of [other.account.id, undefined, "x"]) await keepArrived(maker.ctx, { accountId, file });
  expect(await findKept(maker.ctx, { digests: [file.sha256] })).toEqual([]);
  await keep(maker, file);
  expect(await findKept(maker.ctx, { digests: [file.sha256] })).toEqual([file.sha256]);
});

test("R-BULK-08 of each user the last hundred pictures are kept, and whether they are is told without reading them", async () => {
  const [maker, other] = [await world.makeMaker(), await world.makeMaker()];
  const file = upload(image);
  const named = (n: number) => ({ ...file, sha256: n.toString(16).padStart(64, "0") });
  await keep(other, named(0));
  const later = (n: number) => ({ ...maker, ctx: { ...maker.ctx, now: () => addMs(maker.ctx.now(), n) } });
  for (let n = 0; n < KEPT_MAX + 2; n++) await keep(later(n * MINUTE_MS), named(n));
  const digests = Array.from({ length: KEPT_MAX + 2 }, (_, n) => named(n).sha256);
  const unread = { ...maker.ctx.storage, get: () => Promise.reject(new Error("This is not to be read.")) };
  const mine = { ...maker.ctx, storage: unread };
  expect(await findKept(mine, { digests })).toEqual(digests.slice(2));
  expect(await findKept(other.ctx, { digests })).toEqual(digests.slice(0, 1));
  const gone = [maker.ctx, other.ctx].map((ctx) => ctx.storage.has(nameKept(ctx, digests[0] ?? "", false)));
  expect(await Promise.all(gone)).toEqual([false, true]);
});

test("QUALITY §2 row 30, R-BULK-08: a deleted user's kept pictures go with everything else of theirs, not a day later", async () => {
  const [maker, other] = [await world.makeMaker(), await world.makeMaker()];
  const files = [upload(image), upload(await photo(220, 200)), upload(await movingGif(3))];
  for (const one of [maker, other]) await keep(one, ...files);
  const keysOf = ({ ctx }: Maker) => files.map(({ sha256 }, n) => nameKept(ctx, sha256, n === 2));
  const there = async (of: Maker) => Promise.all(keysOf(of).map((key) => world.job().storage.has(key)));
  expect(await there(maker)).toEqual([true, true, true]);
  await leave(maker);
  await erase(world, maker);
  expect([await there(maker), await there(other)]).toEqual([
    [false, false, false],
    [true, true, true],
  ]);
});

test("R-BULK-06 R-BULK-08 a moving GIF that is kept is still told to be shown by its first frame", async () => {
  const maker = await world.makeMaker();
  const set = bulkOf(maker, 3);
  const [arrived, refused] = [upload(await movingGif(3)), upload(await movingGif(4))];
  await keep(maker, arrived);
  const [first, second, third] = set.pins;
  if (!first || !second || !third) throw new Error("There are three.");
  const broken = { ...second, picture: upload(Buffer.from("no picture")) };
  const bad = { ...set, pins: [{ ...first, picture: refused }, broken] };
  await expect(createBulk(maker.ctx, bad)).rejects.toMatchObject({ more: { kept: ["pins[0]"] } });
  const digests = [arrived, refused].map(({ sha256 }) => sha256);
  expect(await findKept(maker.ctx, { digests })).toEqual(digests);
  const again = [first, { ...second, picture: keptAs(arrived) }, { ...third, picture: keptAs(refused) }];
  const { firstFrames } = await createBulk(maker.ctx, { ...set, pins: again });
  expect(firstFrames).toEqual([2, 3]);
});
