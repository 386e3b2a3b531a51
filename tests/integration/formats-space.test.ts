import { readdirSync } from "node:fs";
import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { pinVideos } from "#db/schema/formats.ts";
import { pins } from "#db/schema/pins.ts";
import { TEXTS, UNPUBLISHED_BYTES_MAX } from "#lib/features/formats/constants.ts";
import { expectVideo } from "#lib/features/formats/video-space.ts";
import { deleteDrafts, duplicatePins } from "#lib/features/pins/drafts.ts";
import { receiveVideo } from "#lib/server/received-files.ts";
import { sampleVideo } from "#tests/support/sample-videos.ts";
import { formatPins } from "./formats-harness.ts";
import { type Creator, publishingSetup } from "./publishing-harness.ts";

const setup = publishingSetup();
const { makeVideo } = formatPins();

const FULL = { code: "wrong_state", message: TEXTS.videosFull };
const ONE = sampleVideo().length;
/** More than a video has, so that a few rows fill the space. */
const LARGE = 2_000_000_000;

const setBytes = (creator: Creator, pinId: string, bytes: number) =>
  creator.ctx.db.update(pinVideos).set({ bytes }).where(eq(pinVideos.pinId, pinId));

/** A user whose videos leave this much space. */
const creatorWithSpace = async (bytes: number) => {
  const creator = await setup.insertCreator();
  const ids: string[] = [];
  for (let left = UNPUBLISHED_BYTES_MAX - bytes; left > 0; left -= LARGE) {
    const { id } = await makeVideo(creator);
    await setBytes(creator, id, Math.min(left, LARGE));
    ids.push(id);
  }
  const [first = ""] = ids;
  return { creator, first };
};

const storedVideos = (): number => readdirSync(`${setup.storageDir}/videos`).length;

test("a user's videos that aren't published have a limit, and one beyond it is not stored", async () => {
  const { creator } = await creatorWithSpace(ONE - 1);
  const before = [storedVideos(), await creator.ctx.db.$count(pins, eq(pins.userId, creator.userId))];
  await expect(makeVideo(creator)).rejects.toMatchObject(FULL);
  expect([storedVideos(), await creator.ctx.db.$count(pins, eq(pins.userId, creator.userId))]).toEqual(before);
  // Others have their own.
  expect((await makeVideo(await setup.insertCreator())).format).toBe("video");
});

test("videos that are created at the same time don't exceed it together", async () => {
  const { creator } = await creatorWithSpace(2 * ONE);
  const made = await Promise.allSettled(Array.from({ length: 5 }, () => makeVideo(creator)));
  expect(made.filter(({ status }) => status === "fulfilled")).toHaveLength(2);
  for (const one of made) if (one.status === "rejected") expect(one.reason).toMatchObject(FULL);
});

test("copies count once, deleted ones until they are erased, and published ones not", async () => {
  const { creator, first } = await creatorWithSpace(ONE);
  await duplicatePins(creator.ctx, { pinIds: [first], boardIds: [creator.boardId] });
  const { id } = await makeVideo(creator);
  await expect(makeVideo(creator)).rejects.toMatchObject(FULL);
  await deleteDrafts(creator.ctx, { pinIds: [id] });
  await expect(makeVideo(creator)).rejects.toMatchObject(FULL);
  await creator.ctx.db.update(pins).set({ status: "published" }).where(eq(pins.id, id));
  expect((await makeVideo(creator)).format).toBe("video");
});

test("a request whose length says that it is too large is refused before its body is read", async () => {
  const { creator } = await creatorWithSpace(500_000_000);
  const receive = async (length: number | null) => {
    const form = new FormData();
    form.set("video", new File([new Uint8Array(sampleVideo())], "video.mp4"));
    const request = new Request("https://app.example/", { method: "POST", body: form });
    if (length !== null) request.headers.set("content-length", String(length));
    const { input, discard } = await receiveVideo(request, creator.ctx);
    await discard();
    return Object(input).files.video.bytes;
  };
  await expect(receive(600_000_000)).rejects.toMatchObject(FULL);
  expect(await receive(500_000_000)).toBe(ONE);
  expect(await receive(null)).toBe(ONE);
});

test("a repeated request gets its pin, although no space is left by now", async () => {
  const { creator } = await creatorWithSpace(ONE);
  const { id } = await makeVideo(creator, { key: "once" });
  const repeated = { bytes: ONE, idempotencyKey: "once" };
  await expectVideo(creator.ctx, repeated);
  await expect(expectVideo(creator.ctx, { ...repeated, idempotencyKey: "other" })).rejects.toMatchObject(FULL);
  expect((await makeVideo(creator, { key: "once" })).id).toBe(id);
});
