import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { pins } from "#db/schema/pins.ts";
import type { UploadedFile } from "#lib/core/images.ts";
import { addMs, DAY_MS, MINUTE_MS } from "#lib/core/time.ts";
import { purgeImages } from "#lib/features/generation/images.ts";
import { createBulk } from "#lib/features/pins/bulk-create.ts";
import { SAVED_UPLOADS_MAX, TEXTS } from "#lib/features/pins/constants.ts";
import type { CreateBulkInput } from "#lib/features/pins/schema.ts";
import { findSavedUploads, savedUploadKey, saveReceivedFile } from "#lib/features/pins/uploads.ts";
import { readOwnImage } from "#tests/support/own-images.ts";
import { movingGif, photo } from "#tests/support/sample-images.ts";
import { bulkSets } from "./bulk-sets.ts";
import { erase, leave } from "./privacy-harness.ts";
import { type Creator, publishingSetup } from "./publishing-harness.ts";

const setup = publishingSetup();
const { upload, bulkOf } = bulkSets();
const image = await photo(300, 200);

const pinsOf = (creator: Creator) => creator.ctx.db.$count(pins, eq(pins.accountId, creator.account.id));

const save = async ({ ctx, account }: Creator, ...files: UploadedFile[]) => {
  for (const file of files) await saveReceivedFile(ctx, { accountId: account.id, file });
};

const keptAs = ({ sha256 }: UploadedFile) => ({ path: null, sha256 });

const refusedBulk = (creator: Creator): CreateBulkInput => {
  const bad = bulkOf(creator, 4);
  for (const at of [1, 3]) {
    const pin = bad.pins[at];
    if (pin) pin.image = upload(Buffer.from("not an image"));
  }
  return bad;
};

test("R-BULK-10 R-ERR-15 reports all files that are not images, and which others are saved", async () => {
  const creator = await setup.insertCreator();
  await expect(createBulk(creator.ctx, refusedBulk(creator))).rejects.toMatchObject({
    code: "invalid",
    message: "Pin 2: This file isn't an image. Use a PNG, JPG, GIF, or WebP.",
    fields: {
      "pins[1]": ["Pin 2: This file isn't an image. Use a PNG, JPG, GIF, or WebP."],
      "pins[3]": ["Pin 4: This file isn't an image. Use a PNG, JPG, GIF, or WebP."],
    },
    more: { kept: ["pins[0]", "pins[2]"] },
  });
  expect(await pinsOf(creator)).toBe(0);
});

test("R-BULK-08 accepts a resent image with the saved ones, for the same user and one day", async () => {
  const [creator, other] = [await setup.insertCreator(), await setup.insertCreator()];
  const bad = refusedBulk(creator);
  await expect(createBulk(creator.ctx, bad)).rejects.toMatchObject({ code: "invalid" });
  const [first, second] = bad.pins;
  if (!first || !second) throw new Error("There are four.");
  const keptFile = { path: null, sha256: first.image.sha256 };
  const again = (of: Creator) => ({
    ...bulkOf(of, 0),
    pins: [
      { ...first, boardId: of.boardId, image: keptFile },
      { ...second, boardId: of.boardId, image: upload(image) },
    ],
  });
  await expect(createBulk(other.ctx, again(other))).rejects.toMatchObject({
    code: "invalid",
    message: `Pin 1: ${TEXTS.imageGone}`,
    more: { kept: ["pins[1]"] },
  });
  const { pins: made } = await createBulk(creator.ctx, again(creator));
  const keys = made.map(({ imageKey }) => imageKey);
  expect([keys.length, new Set(keys).size]).toEqual([2, 2]);
  const [one, two] = await Promise.all(keys.map((key) => readOwnImage(creator.ctx, key)));
  expect(one?.bytes).toEqual(two?.bytes);
  await setup.harness.later(DAY_MS + MINUTE_MS, () => purgeImages(setup.job()));
  await expect(createBulk(creator.ctx, again(creator))).rejects.toMatchObject({ message: `Pin 1: ${TEXTS.imageGone}` });
  for (const key of keys) expect(await creator.ctx.storage.get(key)).not.toBeNull();
});

test("R-BULK-08 saves complete images of an interrupted upload for their user only", async () => {
  const [creator, other] = [await setup.insertCreator(), await setup.insertCreator()];
  const set = bulkOf(creator, 3);
  const [whole, missing] = [upload(image), upload(await photo(200, 200))];
  await save(creator, whole, upload(Buffer.from("not an image")), whole);
  const digests = [whole, missing].map(({ sha256 }) => sha256);
  expect(await findSavedUploads(creator.ctx, { digests })).toEqual([whole.sha256]);
  expect(await findSavedUploads(other.ctx, { digests })).toEqual([]);
  const [first, second] = set.pins;
  if (!first || !second) throw new Error("There are three.");
  const again = [
    { ...first, image: { path: null, sha256: whole.sha256 } },
    { ...second, image: missing },
  ];
  const { pins: made } = await createBulk(creator.ctx, { ...set, pins: again });
  expect(made).toHaveLength(2);
  await setup.harness.later(DAY_MS + MINUTE_MS, () => purgeImages(setup.job()));
  expect(await findSavedUploads(creator.ctx, { digests })).toEqual([]);
});

test("R-BULK-08 does not report an image as saved before it is stored", async () => {
  const creator = await setup.insertCreator();
  const file = upload(image);
  const broken = {
    ...creator.ctx,
    storage: { ...creator.ctx.storage, put: () => Promise.reject(new Error("The disk is full.")) },
  };
  const saved = saveReceivedFile(broken, { accountId: creator.account.id, file });
  await expect(saved).rejects.toThrow("The disk is full.");
  expect(await findSavedUploads(creator.ctx, { digests: [file.sha256] })).toEqual([]);
});

test("R-BULK-08 R-ROLE-04 saves nothing for another user's account or without an account", async () => {
  const [creator, other] = [await setup.insertCreator(), await setup.insertCreator()];
  const file = upload(image);
  for (const accountId of [other.account.id, undefined, "x"]) await saveReceivedFile(creator.ctx, { accountId, file });
  expect(await findSavedUploads(creator.ctx, { digests: [file.sha256] })).toEqual([]);
  await save(creator, file);
  expect(await findSavedUploads(creator.ctx, { digests: [file.sha256] })).toEqual([file.sha256]);
});

test("R-BULK-08 saves the last hundred images per user, and checks them without reading them", async () => {
  const [creator, other] = [await setup.insertCreator(), await setup.insertCreator()];
  const file = upload(image);
  const fileNamed = (n: number) => ({ ...file, sha256: n.toString(16).padStart(64, "0") });
  await save(other, fileNamed(0));
  const later = (n: number) => ({ ...creator, ctx: { ...creator.ctx, now: () => addMs(creator.ctx.now(), n) } });
  for (let n = 0; n < SAVED_UPLOADS_MAX + 2; n++) await save(later(n * MINUTE_MS), fileNamed(n));
  const digests = Array.from({ length: SAVED_UPLOADS_MAX + 2 }, (_, n) => fileNamed(n).sha256);
  const unread = { ...creator.ctx.storage, get: () => Promise.reject(new Error("This is not to be read.")) };
  const mine = { ...creator.ctx, storage: unread };
  expect(await findSavedUploads(mine, { digests })).toEqual(digests.slice(2));
  expect(await findSavedUploads(other.ctx, { digests })).toEqual(digests.slice(0, 1));
  const deleted = [creator.ctx, other.ctx].map((ctx) => ctx.storage.has(savedUploadKey(ctx, digests[0] ?? "", false)));
  expect(await Promise.all(deleted)).toEqual([false, true]);
});

test("R-BULK-08 deletes a user's saved images together with the account", async () => {
  const [creator, other] = [await setup.insertCreator(), await setup.insertCreator()];
  const files = [upload(image), upload(await photo(220, 200)), upload(await movingGif(3))];
  for (const one of [creator, other]) await save(one, ...files);
  const keysOf = ({ ctx }: Creator) => files.map(({ sha256 }, n) => savedUploadKey(ctx, sha256, n === 2));
  const there = async (of: Creator) => Promise.all(keysOf(of).map((key) => setup.job().storage.has(key)));
  expect(await there(creator)).toEqual([true, true, true]);
  await leave(creator);
  await erase(setup, creator);
  expect([await there(creator), await there(other)]).toEqual([
    [false, false, false],
    [true, true, true],
  ]);
});

test("R-BULK-06 R-BULK-08 reports the first frame of a saved animated GIF", async () => {
  const creator = await setup.insertCreator();
  const set = bulkOf(creator, 3);
  const [arrived, refused] = [upload(await movingGif(3)), upload(await movingGif(4))];
  await save(creator, arrived);
  const [first, second, third] = set.pins;
  if (!first || !second || !third) throw new Error("There are three.");
  const broken = { ...second, image: upload(Buffer.from("not an image")) };
  const bad = { ...set, pins: [{ ...first, image: refused }, broken] };
  await expect(createBulk(creator.ctx, bad)).rejects.toMatchObject({ more: { kept: ["pins[0]"] } });
  const digests = [arrived, refused].map(({ sha256 }) => sha256);
  expect(await findSavedUploads(creator.ctx, { digests })).toEqual(digests);
  const again = [first, { ...second, image: keptAs(arrived) }, { ...third, image: keptAs(refused) }];
  const { firstFrames } = await createBulk(creator.ctx, { ...set, pins: again });
  expect(firstFrames).toEqual([2, 3]);
});
