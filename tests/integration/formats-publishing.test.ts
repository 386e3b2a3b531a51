import { readdirSync, readFileSync } from "node:fs";
import { eq, sql } from "drizzle-orm";
import sharp from "sharp";
import { describe, expect, test } from "vitest";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import { pinSlides, videoUploads } from "#db/schema/formats.ts";
import { pins } from "#db/schema/pins.ts";
import { publishAttempts } from "#db/schema/publishing.ts";
import { HOUR_MS, MINUTE_MS } from "#lib/core/time.ts";
import { TEXTS, UPLOAD_LEASE_MS, UPLOAD_TURN_MS } from "#lib/features/formats/constants.ts";
import { TEXTS as PUBLISHING_TEXTS } from "#lib/features/publishing/constants.ts";
import { publishDuePin } from "#lib/features/publishing/publisher.ts";
import { retryPin } from "#lib/features/publishing/retries.ts";
import { sampleVideo } from "#tests/support/sample-videos.ts";
import { formatPins } from "./formats-harness.ts";
import { CREATE, type Creator, publishingSetup, SHAPES } from "./publishing-harness.ts";

const setup = publishingSetup(() => ({ allowedHosts: [new URL(setup.pinterest.url).host] }));
const { makeVideo, makeCarousel } = formatPins();

const REGISTER = "POST /v5/media";
const UPLOAD = "POST /media-upload";
const STATUS = "GET /v5/media/:id";

type Scheduled = Awaited<ReturnType<typeof setup.scheduled>>;

const schedule = async (creator: Creator, pinId: Scheduled["pinId"]): Promise<Scheduled> => {
  await setup.schedule(creator, [pinId]);
  return { pinId, scheduleGeneration: (await setup.pin(pinId)).scheduleGeneration };
};

const scheduledVideo = async () => {
  const creator = await setup.insertCreator();
  const scheduled = await schedule(creator, (await makeVideo(creator)).id);
  await setup.pinterest.resetCalls();
  return { creator, scheduled };
};

/** Runs a pin to its end as the durable function does, moving the clock instead of sleeping. */
const run = async (creator: Creator, scheduled: Scheduled, rounds = 60) => {
  const requested = { ...scheduled, accountId: creator.account.id };
  for (let round = 0; round < rounds; round += 1) {
    const move = await publishDuePin(setup.job(), requested);
    if (move.kind === "done") return move.result;
    await setup.moveClock(move.afterMs);
  }
  return "still waiting";
};

const uploadOf = async (pinId: string) => {
  const [row] = await setup.harness.database.db.select().from(videoUploads).where(eq(videoUploads.pinId, pinId));
  return row;
};

const calls = async () => ({
  registered: await setup.pinterest.calls(REGISTER),
  uploaded: await setup.pinterest.calls(UPLOAD),
  created: await setup.pinterest.calls(CREATE),
});

describe("a video pin", () => {
  test("is registered, uploaded, waited for, and created once with its cover", async () => {
    const { creator, scheduled } = await scheduledVideo();
    await setup.pinterest.set({ videoProcessingSeconds: 90 });
    expect(await run(creator, scheduled)).toBe("published");
    await setup.pinterest.set({ videoProcessingSeconds: 0 });
    const [pin] = await setup.publicPins(creator);
    expect(pin).toMatchObject({ title: "A quiet pin", ai_disclosures: null, image: { contentType: "image/jpeg" } });
    const file = String(Object(pin).video);
    const there = Buffer.from(await (await fetch(`${setup.pinterest.url}/media/${file}`)).arrayBuffer());
    expect(Buffer.compare(there, sampleVideo())).toBe(0);
    expect(await calls()).toEqual({ registered: 1, uploaded: 1, created: 1 });
    expect(await setup.pin(scheduled.pinId)).toMatchObject({ status: "published", reason: null });
    expect(await setup.attempts(scheduled.pinId)).toMatchObject([{ outcome: "created", number: 1 }]);
  });

  test("that Pinterest is processing says so, and holds back no other pin of the account", async () => {
    const { creator, scheduled } = await scheduledVideo();
    await setup.pinterest.set({ videoProcessingSeconds: 600 });
    const requested = { ...scheduled, accountId: creator.account.id };
    for (let round = 0; round < 6; round += 1) {
      const move = await publishDuePin(setup.job(), requested);
      if (move.kind === "wait") await setup.moveClock(move.afterMs);
    }
    expect(await setup.pin(scheduled.pinId)).toMatchObject({ status: "scheduled", reason: TEXTS.processing });
    const other = await setup.scheduled(creator);
    expect(await run(creator, other)).toBe("published");
    await setup.pinterest.set({ videoProcessingSeconds: 0 });
    expect(await run(creator, scheduled)).toBe("published");
    expect((await calls()).registered).toBe(1);
  });

  test.each([
    ["cut", "video-upload-cut", { problemText: TEXTS.uploadCut, httpStatus: null }],
    ["stored, but its answer lost", "video-upload-lost", { problemText: TEXTS.uploadCut, httpStatus: null }],
    [
      "refused",
      "video-upload-refused",
      {
        ...{ problemText: "Pinterest didn't accept the video upload.", httpStatus: 403 },
        providerMessage: "Invalid according to Policy: Policy expired.",
      },
    ],
  ])("whose upload was %s is registered and uploaded anew", async (_what, scenario, expected) => {
    const { creator, scheduled } = await scheduledVideo();
    await setup.pinterest.addFault({ match: UPLOAD, scenario, times: 1 });
    expect(await run(creator, scheduled)).toBe("published");
    expect(await calls()).toEqual({ registered: 2, uploaded: 2, created: 1 });
    expect(await setup.attempts(scheduled.pinId)).toMatchObject([
      { number: 2, outcome: "created" },
      { number: 1, outcome: "later", calledAt: null, ...expected },
    ]);
  });

  test("whose process died while uploading is taken over once its lease has expired", async () => {
    const { creator, scheduled } = await scheduledVideo();
    const leaseUntil = new Date((await setup.job().now()).getTime() + UPLOAD_LEASE_MS);
    const dead = { state: "uploading" as const, holder: "dead", leaseUntil, mediaId: "123" };
    await setup.harness.database.db.insert(videoUploads).values({ ...dead, pinId: scheduled.pinId });
    const requested = { ...scheduled, accountId: creator.account.id };
    expect(await publishDuePin(setup.job(), requested)).toMatchObject({ kind: "wait" });
    expect((await calls()).registered).toBe(0);
    expect(await run(creator, scheduled)).toBe("published");
    expect(await calls()).toEqual({ registered: 1, uploaded: 1, created: 1 });
  });

  test("that two workers run at once is uploaded and created once", async () => {
    const { creator, scheduled } = await scheduledVideo();
    const requested = { ...scheduled, accountId: creator.account.id };
    await Promise.all([publishDuePin(setup.job(), requested), publishDuePin(setup.job("other"), requested)]);
    expect(await run(creator, scheduled)).toBe("published");
    expect(await calls()).toEqual({ registered: 1, uploaded: 1, created: 1 });
    expect(await setup.publicPins(creator)).toHaveLength(1);
  });

  test("a failed question about processing never becomes the answer of another run's call", async () => {
    const { creator, scheduled } = await scheduledVideo();
    const requested = { ...scheduled, accountId: creator.account.id };
    await setup.pinterest.set({ videoProcessingSeconds: 600 });
    const first = await publishDuePin(setup.job(), requested);
    if (first.kind === "wait") await setup.moveClock(first.afterMs);
    await setup.pinterest.set({ videoProcessingSeconds: 0 });
    const { db } = setup.harness.database;
    const ofPin = eq(publishAttempts.pinId, scheduled.pinId);
    const late = setup.job();
    const pinterest: typeof late.pinterest = {
      ...late.pinterest,
      readVideoStatus: async () => {
        // The other run is faster: its call has begun.
        await db.update(publishAttempts).set({ state: "calling", calledAt: sql`now()` }).where(ofPin);
        return { kind: "problem", problem: { kind: "unavailable", text: "Pinterest is not available." } };
      },
    };
    await publishDuePin({ ...late, pinterest }, requested);
    expect(await db.select().from(publishAttempts).where(ofPin)).toMatchObject([
      { number: 1, state: "calling", answeredAt: null, problem: null },
    ]);
    expect((await setup.pin(scheduled.pinId)).reason).not.toBe("Pinterest is not available.");
  });

  test("waits while its account is paused, and while two other videos are being uploaded", async () => {
    const { creator, scheduled } = await scheduledVideo();
    const requested = { ...scheduled, accountId: creator.account.id };
    const { db } = setup.harness.database;
    const others = [(await makeVideo(creator)).id, (await makeVideo(creator)).id];
    const leaseUntil = new Date(setup.job().now().getTime() + HOUR_MS);
    for (const pinId of others) {
      await db.insert(videoUploads).values({ pinId, state: "uploading", holder: pinId, leaseUntil });
    }
    expect(await publishDuePin(setup.job(), requested)).toEqual({ kind: "wait", afterMs: UPLOAD_TURN_MS });
    await db.delete(videoUploads);
    const pausedUntil = new Date(setup.job().now().getTime() + HOUR_MS);
    await db.update(pinterestAccounts).set({ pausedUntil }).where(eq(pinterestAccounts.id, creator.account.id));
    await setup.moveClock(UPLOAD_TURN_MS);
    const paused = await publishDuePin(setup.job(), requested);
    expect(paused.kind === "wait" && paused.afterMs > HOUR_MS / 2).toBe(true);
    expect(await calls()).toEqual({ registered: 0, uploaded: 0, created: 0 });
    expect(await run(creator, scheduled)).toBe("published");
  });

  test("that Pinterest can't process fails readably, and a retry uploads it anew", async () => {
    const { creator, scheduled } = await scheduledVideo();
    await setup.pinterest.addFault({ match: STATUS, scenario: "video-processing-fails", times: 1 });
    expect(await run(creator, scheduled)).toBe("failed");
    expect(await setup.pin(scheduled.pinId)).toMatchObject({
      ...{ status: "failed", reason: TEXTS.processingFailed, mayBePublished: false },
    });
    expect(await uploadOf(scheduled.pinId)).toBeUndefined();
    expect(await calls()).toEqual({ registered: 1, uploaded: 1, created: 0 });
    await retryPin(creator.ctx, { pinId: scheduled.pinId });
    const { scheduleGeneration } = await setup.pin(scheduled.pinId);
    expect(await run(creator, { pinId: scheduled.pinId, scheduleGeneration })).toBe("published");
    expect(await calls()).toEqual({ registered: 2, uploaded: 2, created: 1 });
  });

  test("whose processing is stuck fails after an hour", async () => {
    const { creator, scheduled } = await scheduledVideo();
    await setup.pinterest.addFault({ match: STATUS, scenario: "video-processing-stuck", times: 500 });
    const startedAt = setup.job().now().getTime();
    expect(await run(creator, scheduled, 200)).toBe("failed");
    const tookMs = setup.job().now().getTime() - startedAt;
    expect(tookMs).toBeGreaterThan(HOUR_MS);
    expect(tookMs).toBeLessThan(HOUR_MS + 5 * MINUTE_MS);
    expect((await setup.pin(scheduled.pinId)).reason).toBe(TEXTS.processingStuck);
  });

  test("created without an answer is found on the board and not uploaded again", async () => {
    const { creator, scheduled } = await scheduledVideo();
    await setup.pinterest.addFault({ match: CREATE, scenario: "reply-lost-after-creating", times: 1 });
    const requested = { ...scheduled, accountId: creator.account.id };
    for (let round = 0; round < 4; round += 1) {
      const move = await publishDuePin(setup.job(), requested);
      if (move.kind === "wait") await setup.moveClock(move.afterMs);
    }
    expect(await setup.drive(scheduled)).toEqual({ kind: "done", result: "published" });
    expect(await calls()).toEqual({ registered: 1, uploaded: 1, created: 1 });
    expect(await setup.publicPins(creator)).toHaveLength(1);
  });

  test("whose file is missing fails instead of uploading nothing", async () => {
    const { creator, scheduled } = await scheduledVideo();
    for (const name of readdirSync(`${setup.storageDir}/videos`)) await creator.ctx.storage.delete(`videos/${name}`);
    expect(await run(creator, scheduled)).toBe("failed");
    expect((await setup.pin(scheduled.pinId)).reason).toBe(TEXTS.videoMissing);
  });
});

test("a carousel is created with its slides in order and in one size", async () => {
  const creator = await setup.insertCreator();
  const { id } = await makeCarousel(creator);
  expect(await run(creator, await schedule(creator, id))).toBe("published");
  const [pin] = await setup.publicPins(creator);
  type Slide = Record<"title" | "description" | "link", string | null>;
  const slides = Object(pin).slides as (Slide & { image: { widthPx: number; heightPx: number } })[];
  expect(slides.map(({ title, description, link }) => [title, description, link])).toEqual([
    ["One", null, "https://example.com/1"],
    [null, "The second", null],
    [null, null, null],
  ]);
  expect(slides.map(({ image }) => [image.widthPx, image.heightPx])).toEqual([
    [400, 600],
    [400, 600],
    [400, 600],
  ]);
  const [first] = await creator.ctx.db.select().from(pinSlides).where(eq(pinSlides.pinId, id));
  const [row] = await creator.ctx.db.select().from(pins).where(eq(pins.id, id));
  expect(row).toMatchObject({ format: "carousel", imageKey: first?.imageKey });
  expect(readFileSync(`${setup.storageDir}/${first?.imageKey}`).length).toBeGreaterThan(0);
});

describe("a carousel whose answer got lost", () => {
  const lost = async (scenario: string) => {
    const creator = await setup.insertCreator();
    const first = await sharp(Buffer.from(SHAPES)).resize(400, 600).jpeg().toBuffer();
    const scheduled = await schedule(creator, (await makeCarousel(creator, undefined, first)).id);
    await setup.pinterest.resetCalls();
    await setup.pinterest.addFault({ match: CREATE, scenario, where: { account: creator.account.username } });
    await setup.drive(scheduled);
    const [pin, listed] = [await setup.pin(scheduled.pinId), await setup.publicPins(creator)];
    expect(listed).toHaveLength(1);
    return { pin, listed, creates: await setup.pinterest.calls(CREATE) };
  };

  test("is found on the board, and never sent again", async () => {
    const { pin, listed, creates } = await lost("reply-lost-after-creating");
    expect(creates).toBe(1);
    expect(pin).toMatchObject({ status: "published", pinterestPinId: listed[0]?.id });
  });

  test("and whose texts Pinterest rewrote is known by its first image, and never sent again", async () => {
    const { pin, creates } = await lost("rewritten-after-creating");
    expect(creates).toBe(1);
    expect(pin).toMatchObject({ status: "failed", reason: PUBLISHING_TEXTS.unclear, mayBePublished: true });
  });
});
