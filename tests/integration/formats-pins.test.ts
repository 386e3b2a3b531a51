import { readdirSync } from "node:fs";
import { buffer } from "node:stream/consumers";
import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { pinSlides, pinVideos } from "#db/schema/formats.ts";
import { orphanedImages } from "#db/schema/images.ts";
import { pins } from "#db/schema/pins.ts";
import { DAY_MS } from "#lib/core/time.ts";
import { readCalendar } from "#lib/features/calendar/calendar.ts";
import { VIDEO_PROBLEMS } from "#lib/features/formats/constants.ts";
import { openStoredVideo } from "#lib/features/formats/playback.ts";
import { purgeImages, regenerateImage } from "#lib/features/generation/images.ts";
import { TEXTS } from "#lib/features/pins/constants.ts";
import { deleteDrafts, duplicatePins } from "#lib/features/pins/drafts.ts";
import { editDraft } from "#lib/features/pins/edits.ts";
import { readPin } from "#lib/features/pins/library.ts";
import { erasePins, purgePins } from "#lib/features/pins/retention.ts";
import { sampleVideo } from "#tests/support/sample-videos.ts";
import { formatPins } from "./formats-harness.ts";
import { type Creator, publishingSetup } from "./publishing-harness.ts";

const setup = publishingSetup();
const { makeVideo, makeCarousel } = formatPins();

const filesIn = (folder: string): string[] => readdirSync(`${setup.storageDir}/${folder}`);
const orphans = async (creator: Creator) => (await creator.ctx.db.select().from(orphanedImages)).map(({ key }) => key);
const detailsOf = (creator: Creator, pinId: string) => readPin(creator.ctx, { pinId });

test("a video is stored once, with its facts, and nothing is left marked as unused", async () => {
  const creator = await setup.insertCreator();
  const pin = await makeVideo(creator, { key: "first" });
  expect(pin).toMatchObject({ format: "video", status: "draft", source: "manual", title: "A quiet pin" });
  expect((await makeVideo(creator, { key: "first" })).id).toBe(pin.id);
  const { video } = await detailsOf(creator, pin.id);
  expect(video).toMatchObject({ content_type: "video/mp4", duration_ms: 6_000, bytes: sampleVideo().length });
  expect(await orphans(creator)).toEqual([]);
  await expect(makeVideo(creator, { key: "first", title: "Another" })).rejects.toThrow(TEXTS.keyUsed);
});

test("a refused video creates no draft and stores no video", async () => {
  const creator = await setup.insertCreator();
  const before = filesIn("").includes("videos") ? filesIn("videos").length : 0;
  const attempt = makeVideo(creator, { video: sampleVideo({ seconds: 0 }) });
  await expect(attempt).rejects.toMatchObject({ code: "invalid", fields: { video: [VIDEO_PROBLEMS.no_length] } });
  expect(filesIn("").includes("videos") ? filesIn("videos").length : 0).toBe(before);
  expect(await creator.ctx.db.$count(pins, eq(pins.accountId, creator.account.id))).toBe(0);
});

test("copies keep the format and share the files, which stay until the last copy is gone", async () => {
  const creator = await setup.insertCreator();
  const [video, carousel] = [await makeVideo(creator), await makeCarousel(creator)];
  const { ids } = await duplicatePins(creator.ctx, { pinIds: [video.id, carousel.id], boardIds: [creator.boardId] });
  const copies = await Promise.all(ids.map((id) => detailsOf(creator, id)));
  expect(copies.map(({ post, slides }) => [post.format, slides.length])).toEqual([
    ["video", 0],
    ["carousel", 3],
  ]);
  const [row] = await creator.ctx.db.select().from(pinVideos).where(eq(pinVideos.pinId, video.id));
  const slides = await creator.ctx.db.select().from(pinSlides).where(eq(pinSlides.pinId, carousel.id));
  const keys = [row?.videoKey ?? "", ...slides.map(({ imageKey }) => imageKey)];
  const present = async () =>
    (await Promise.all(keys.map((key) => creator.ctx.storage.has(key)))).filter(Boolean).length;
  const purge = async (pinIds: string[]) => {
    await deleteDrafts(creator.ctx, { pinIds });
    await setup.moveClock(2 * DAY_MS);
    await purgePins(setup.job());
    await setup.moveClock(8 * DAY_MS);
    await purgeImages(setup.job());
  };
  await purge([video.id, carousel.id]);
  expect(await present()).toBe(4);
  await purge(ids);
  expect(await present()).toBe(0);
});

test("erasing a user marks slides and videos for deletion at once", async () => {
  const creator = await setup.insertCreator();
  await makeVideo(creator);
  await makeCarousel(creator);
  await erasePins(setup.job(), { userId: creator.userId });
  const marked = await creator.ctx.db
    .select()
    .from(orphanedImages)
    .where(eq(orphanedImages.erasedUserId, creator.userId));
  expect(marked.filter(({ key }) => key.startsWith("videos/"))).toHaveLength(1);
  expect(marked.filter(({ key }) => key.startsWith("pins/"))).toHaveLength(4);
});

test("texts can be edited, but the image of a video or carousel can't be generated again", async () => {
  const creator = await setup.insertCreator();
  const pin = await makeVideo(creator);
  expect(await editDraft(creator.ctx, { pinId: pin.id, title: "New" })).toMatchObject({
    title: "New",
    format: "video",
  });
  const refusal = { code: "wrong_state", message: TEXTS.imageFixed };
  await expect(regenerateImage(creator.ctx, { pinId: pin.id, quality: "standard" })).rejects.toMatchObject(refusal);
});

test("a player gets the whole video or the range it asks for", async () => {
  const creator = await setup.insertCreator();
  const { video } = await detailsOf(creator, (await makeVideo(creator)).id);
  const [, expires = "", signature = "", key = ""] = /signed\/(\d+)\/([^/]+)\/(.+)$/.exec(video?.url ?? "") ?? [];
  const signed = { expires: Number(expires), signature };
  const read = async (range: string | null) => {
    const { body, status, headers } = await openStoredVideo(creator.ctx, { key, signed, range });
    const bytes = await buffer(body);
    return { status, range: headers["content-range"], bytes };
  };
  const whole = sampleVideo();
  expect(await read(null)).toEqual({ status: 200, range: undefined, bytes: whole });
  expect(await read("bytes=10-19")).toEqual({
    ...{ status: 206, range: `bytes 10-19/${whole.length}`, bytes: whole.subarray(10, 20) },
  });
  expect((await read("bytes=-5")).bytes).toEqual(whole.subarray(-5));
  expect((await read(`bytes=${whole.length - 3}-`)).bytes).toEqual(whole.subarray(-3));
  expect((await read("bytes=99999-")).status).toBe(200);
  const forged = openStoredVideo(creator.ctx, { key, signed: { ...signed, signature: "x" }, range: null });
  await expect(forged).rejects.toMatchObject({ code: "not_found" });
});

test("the calendar knows the format", async () => {
  const creator = await setup.insertCreator();
  const pin = await makeCarousel(creator);
  await setup.schedule(creator, [pin.id]);
  const now = setup.job().now().getTime();
  const range = { from: new Date(now - DAY_MS), to: new Date(now + DAY_MS) };
  const { posts } = await readCalendar(creator.ctx, { accountId: creator.account.id, ...range });
  expect(posts).toMatchObject([{ id: pin.id, format: "carousel" }]);
});
