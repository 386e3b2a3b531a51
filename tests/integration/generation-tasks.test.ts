import { eq } from "drizzle-orm";
import sharp from "sharp";
import { describe, expect, onTestFinished, test } from "vitest";
import { drawingPauses, drawingPlaces, generationTasks } from "#db/schema/generation.ts";
import { pins } from "#db/schema/pins.ts";
import { MINUTE_MS } from "#lib/core/time.ts";
import { SILENT_AFTER_MS } from "#lib/features/generation/constants.ts";
import { drawTaskImage, writeTaskCopy } from "#lib/features/generation/drafting.ts";
import { trackGeneration } from "#lib/features/generation/groups.ts";
import { nameImage } from "#lib/features/generation/images.ts";
import { toTrackingWire } from "#lib/features/generation/serializers.ts";
import { failTask, finishTask } from "#lib/features/generation/tasks.ts";
import { until } from "#tests/support/poll.ts";
import { CHAT, generationWorld, IMAGES, type Maker } from "./generation-house.ts";

const world = generationWorld();

const startOne = async (keyword: string, quality: "high" | "standard" = "standard") => {
  const maker = await world.makeMaker();
  const rows = [{ keyword, url: "https://garden.example/moss" }];
  const { groupId } = await world.start(maker, [], { rows, quality });
  const [task] = await world.tasksOf(groupId);
  if (!task) throw new Error("The group has no task.");
  return { maker, groupId, taskId: task.id };
};

const draftsOf = ({ ctx, userId }: Maker) => ctx.db.select().from(pins).where(eq(pins.userId, userId));

describe("a pin is made", () => {
  test("R-TRK-15, A-27: a finished task is a draft with its keyword and url, its credits are spent", async () => {
    const { maker, taskId } = await startOne("moss garden", "high");
    const task = await world.drive(taskId);
    expect(task).toMatchObject({ status: "SUCCESS", reason: null });
    const [draft, ...more] = await draftsOf(maker);
    expect(more).toEqual([]);
    expect(draft).toMatchObject({
      id: task.pinId,
      status: "draft",
      source: "ai",
      keyword: "moss garden",
      link: "https://garden.example/moss",
      boardId: "12345",
      accountId: maker.accountId,
      title: task.title,
      imageKey: task.imageKey,
    });
    expect(await world.buckets(maker)).toEqual([3, 0, 0]);
  });

  test("A-15, D10: the stored picture has the canvas, at most 300 kB, and its digital source type", async () => {
    const { taskId } = await startOne("fern shade");
    const { imageKey } = await world.drive(taskId);
    expect(imageKey).toMatch(/^pins\/[0-9a-f]{40}\.jpg$/);
    const jpeg = await world.job().storage.get(imageKey ?? "");
    expect(jpeg?.byteLength).toBeLessThanOrEqual(300_000);
    const metadata = await sharp(jpeg ?? undefined).metadata();
    expect([metadata.width, metadata.height, metadata.format]).toEqual([1080, 1680, "jpeg"]);
    expect(metadata.xmp?.toString()).toContain("digitalsourcetype/trainedAlgorithmicMedia");
  });
});

describe("DESIGN §5: every step may run twice", () => {
  test("words and picture that are stored are not paid for again", async () => {
    const { taskId } = await startOne("twice over");
    const before = [await world.calls(CHAT), await world.calls(IMAGES)];
    for (const attempt of [0, 0, 1]) {
      expect(await writeTaskCopy(world.job(), { taskId, attempt })).toEqual({ kind: "stored" });
      expect(await drawTaskImage(world.job(), { taskId, attempt })).toEqual({ kind: "stored" });
    }
    const after = [await world.calls(CHAT), await world.calls(IMAGES)];
    expect(after.map((count, index) => count - (before[index] ?? 0))).toEqual([1, 1]);
  });

  test("a step that died after storing the picture finds it and draws no other", async () => {
    const { taskId } = await startOne("died in between");
    await drawTaskImage(world.job(), { taskId, attempt: 0 });
    const { imageKey } = await world.task(taskId);
    const first = await world.job().storage.get(imageKey ?? "");
    await forgetPicture(taskId);
    const before = await world.calls(IMAGES);
    await drawTaskImage(world.job(), { taskId, attempt: 0 });
    expect(await world.calls(IMAGES)).toBe(before);
    expect((await world.task(taskId)).imageKey).toBe(imageKey);
    expect(await world.job().storage.get(imageKey ?? "")).toEqual(first);
  });

  test("who waited in line while the picture was drawn, or the task ended, draws no other", async () => {
    const drawn = await startOne("drawn meanwhile");
    const ended = await startOne("ended meanwhile");
    const ctx = world.withPlaces(1);
    const other = await world.occupyPlace(ctx);
    const before = await world.calls(IMAGES);
    const waiting = [drawn, ended].map(({ taskId }) => drawTaskImage(ctx, { taskId, attempt: 0 }));
    await until(async () => (await ctx.db.select().from(drawingPlaces)).length === 3, { what: "both in line" });
    await ctx.storage.put(nameImage(ctx, drawn.taskId), Buffer.from("drawn by another run"));
    await failTask(ctx, ended);
    await other.leave();
    expect(await Promise.all(waiting)).toEqual([{ kind: "stored" }, { kind: "finished" }]);
    expect(await world.calls(IMAGES)).toBe(before);
    expect(await ctx.db.select().from(drawingPlaces)).toEqual([]);
  });

  test("finishing many times at once makes one draft and spends once", async () => {
    const { maker, taskId } = await startOne("finished often", "high");
    await writeTaskCopy(world.job(), { taskId, attempt: 0 });
    await drawTaskImage(world.job(), { taskId, attempt: 0 });
    const results = await Promise.all(Array.from({ length: 6 }, () => finishTask(world.job(), { taskId })));
    expect(results.filter(({ kind }) => kind === "finished")).toHaveLength(1);
    const drafts = await draftsOf(maker);
    expect(drafts).toHaveLength(1);
    const { imageKey } = await world.task(taskId);
    const picture = await maker.ctx.storage.get(imageKey ?? "");
    expect(drafts[0]).toMatchObject(await maker.ctx.pictures.describePicture(picture ?? new Uint8Array()));
    expect(await world.buckets(maker)).toEqual([3, 0, 0]);
  });

  test("R-SRV-01, A-27: failing many times gives the credits back once, and nothing follows a failure", async () => {
    const { maker, taskId } = await startOne("failed often", "high");
    const results = await Promise.all(
      Array.from({ length: 6 }, () => failTask(world.job(), { taskId, reason: "A test." })),
    );
    expect(results.filter(({ kind }) => kind === "failed")).toHaveLength(1);
    expect(await world.buckets(maker)).toEqual([5, 0, 0]);
    const before = await world.calls(IMAGES);
    expect(await drawTaskImage(world.job(), { taskId, attempt: 0 })).toEqual({ kind: "finished" });
    expect(await finishTask(world.job(), { taskId })).toEqual({ kind: "already_finished" });
    expect(await world.calls(IMAGES)).toBe(before);
    expect(await draftsOf(maker)).toEqual([]);
  });

  test("finishing and failing at the same moment: one of them, never both", async () => {
    const { maker, taskId } = await startOne("torn", "high");
    await writeTaskCopy(world.job(), { taskId, attempt: 0 });
    await drawTaskImage(world.job(), { taskId, attempt: 0 });
    await Promise.all([finishTask(world.job(), { taskId }), failTask(world.job(), { taskId })]);
    const isDone = (await world.task(taskId)).status === "SUCCESS";
    expect((await draftsOf(maker)).length).toBe(isDone ? 1 : 0);
    expect(await world.buckets(maker)).toEqual([isDone ? 3 : 5, 0, 0]);
  });

  test("a task without its picture cannot be finished", async () => {
    const { maker, taskId } = await startOne("half done");
    await writeTaskCopy(world.job(), { taskId, attempt: 0 });
    await expect(finishTask(world.job(), { taskId })).rejects.toMatchObject({ code: "internal" });
    expect(await draftsOf(maker)).toEqual([]);
    expect(await world.buckets(maker)).toEqual([4, 0, 1]);
  });
});

describe("issue 2, part 6: a problem fails that pin alone, readably, with its credits back", () => {
  test("a refused keyword", async () => {
    const maker = await world.makeMaker();
    const { groupId } = await world.start(maker, ["moss", "a forbidden subject", "fern"]);
    for (const { id } of await world.tasksOf(groupId)) await world.drive(id);
    const wire = toTrackingWire(await trackGeneration(maker.ctx, { groupId }), maker.ctx);
    expect(wire.tasks.map(({ stage }) => stage)).toEqual(["SUCCESS", "FAILURE", "SUCCESS"]);
    expect(wire.tasks[1]?.reason).toBe("The image model refused this subject. Try another keyword.");
    expect(wire).toMatchObject({ completed_tasks: 3, progress_percentage: 100, estimated_time_remaining: null });
    expect(wire.stage_counts).toMatchObject({ success: 2, failure: 1, failed: 1, pending: 0 });
    expect(await draftsOf(maker)).toHaveLength(2);
    expect(await world.buckets(maker)).toEqual([3, 0, 0]);
  });

  test.each([
    [CHAT, "refusal", "The text model refused this subject. Try another keyword.", 1],
    [CHAT, "content_filter", "The text model refused this subject. Try another keyword.", 1],
    [CHAT, "truncated", "The text model's answer was cut off.", 3],
    [CHAT, "invalid_json", "The text model gave an answer we could not use.", 3],
    [CHAT, "wrong_shape", "The text model gave an answer we could not use.", 3],
    [CHAT, "too_long", "The text model gave an answer we could not use.", 3],
    [IMAGES, "missing_image", "The image model sent no picture.", 3],
    [IMAGES, "missing_data", "The image model sent no picture.", 3],
    [IMAGES, "not_an_image", "The image model sent a picture that cannot be read.", 3],
    [IMAGES, "moderation_blocked", "The image model refused this subject. Try another keyword.", 1],
    [IMAGES, "insufficient_quota", "Making pins is not set up correctly on our side. Please contact support.", 1],
  ])("%s %s", async (match, scenario, reason, tries) => {
    const keyword = `strike ${scenario.replaceAll("_", " ")}`;
    await world.strike({ match, scenario, times: 30, where: { keyword } });
    const { maker, taskId } = await startOne(keyword);
    const before = await world.calls(match);
    expect(await world.drive(taskId)).toMatchObject({ status: "FAILURE", reason });
    expect((await world.calls(match)) - before).toBe(tries);
    expect(await world.buckets(maker)).toEqual([5, 0, 0]);
    expect(await draftsOf(maker)).toEqual([]);
  });
});

describe("R-SRV-04: passing problems", () => {
  test.each([
    [CHAT, "truncated"],
    [CHAT, "cut"],
    [CHAT, "server_error"],
    [IMAGES, "missing_image"],
    [IMAGES, "rate_limit_exceeded"],
    [IMAGES, "malformed"],
  ])("%s %s once, then the pin is made after all", async (match, scenario) => {
    const keyword = `pass ${scenario.replaceAll("_", " ")}`;
    await world.strike({ match, scenario, where: { keyword } });
    const { maker, taskId } = await startOne(keyword);
    const before = await world.calls(match);
    expect(await world.drive(taskId)).toMatchObject({ status: "SUCCESS", reason: null });
    expect((await world.calls(match)) - before).toBe(2);
    expect(await world.buckets(maker)).toEqual([4, 0, 0]);
  });

  test("a 429 that names a wait is a pause for all pictures, and no try of this one", async () => {
    await world.strike({ match: IMAGES, scenario: "rate_limit_retry_after_ms", where: { keyword: "asked to wait" } });
    const { taskId } = await startOne("asked to wait");
    const ctx = world.job();
    const before = await world.calls(IMAGES);
    expect(await ctx.db.$count(drawingPauses)).toBe(0);
    expect(await drawTaskImage(ctx, { taskId, attempt: 0 })).toEqual({ kind: "stored" });
    expect((await world.calls(IMAGES)) - before).toBe(2);
    expect(await ctx.db.$count(drawingPauses)).toBe(1);
  });

  test("a pause that is longer than a call may wait is slept through, and the task is not silent meanwhile", async () => {
    const { taskId } = await startOne("asked for ten minutes");
    const ctx = world.job();
    onTestFinished(() => world.pause(0));
    await world.pause(600);
    const result = await drawTaskImage(ctx, { taskId, attempt: 0 });
    expect(result).toMatchObject({ kind: "no_place", afterSeconds: expect.closeTo(600, -2) });
    const { wakeAt } = await world.task(taskId);
    expect(wakeAt.getTime() - Date.now()).toBeGreaterThan(600_000 + SILENT_AFTER_MS - MINUTE_MS);
  });

  test("a text model's 429 waits as long as asked, and shows as 'Retrying' without a reason", async () => {
    await world.strike({ match: CHAT, scenario: "rate_limit_retry_after", where: { keyword: "words wait" } });
    const { maker, groupId, taskId } = await startOne("words wait");
    expect(await writeTaskCopy(world.job(), { taskId, attempt: 0 })).toMatchObject({ kind: "retry", afterSeconds: 1 });
    const wire = toTrackingWire(await trackGeneration(maker.ctx, { groupId }), maker.ctx);
    expect(wire.tasks[0]).toMatchObject({ status: "RETRY", stage: "RETRY" });
    expect(wire.tasks[0]).not.toHaveProperty("reason");
    expect(wire.stage_counts).toMatchObject({ retry: 1, failed: 0 });
  });
});

const forgetPicture = async (taskId: string) => {
  await world.job().db.update(generationTasks).set({ imageKey: null }).where(eq(generationTasks.id, taskId));
};
