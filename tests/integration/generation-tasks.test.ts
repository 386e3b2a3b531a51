import { eq } from "drizzle-orm";
import sharp from "sharp";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { generationTasks, imagePauses, imageSlots } from "#db/schema/generation.ts";
import { pins } from "#db/schema/pins.ts";
import { MINUTE_MS } from "#lib/core/time.ts";
import { HEARTBEAT_MS, SILENT_AFTER_MS } from "#lib/features/generation/constants.ts";
import { generateTaskImage, writeTaskCopy } from "#lib/features/generation/drafting.ts";
import { trackGeneration } from "#lib/features/generation/groups.ts";
import { imageKeyOf } from "#lib/features/generation/images.ts";
import { toTrackingWire } from "#lib/features/generation/serializers.ts";
import { withHeartbeat } from "#lib/features/generation/task-recovery.ts";
import { failTask, finishTask } from "#lib/features/generation/tasks.ts";
import { until } from "#tests/support/poll.ts";
import { CHAT, type Creator, generationSetup, IMAGES } from "./generation-harness.ts";

const setup = generationSetup();

const startOne = async (keyword: string, quality: "high" | "standard" = "standard") => {
  const creator = await setup.insertCreator();
  const rows = [{ keyword, url: "https://garden.example/moss" }];
  const { groupId } = await setup.start(creator, [], { rows, quality });
  const [task] = await setup.tasksOf(groupId);
  if (!task) throw new Error("The group has no task.");
  return { creator, groupId, taskId: task.id };
};

const draftsOf = ({ ctx, userId }: Creator) => ctx.db.select().from(pins).where(eq(pins.userId, userId));

describe("a pin is generated", () => {
  test("R-TRK-15, A-27: a finished task is a draft with its keyword and url, its credits are spent", async () => {
    const { creator, taskId } = await startOne("moss garden", "high");
    const task = await setup.drive(taskId);
    expect(task).toMatchObject({ status: "SUCCESS", reason: null });
    const [draft, ...more] = await draftsOf(creator);
    expect(more).toEqual([]);
    expect(draft).toMatchObject({
      id: task.pinId,
      status: "draft",
      source: "ai",
      keyword: "moss garden",
      link: "https://garden.example/moss",
      boardId: "12345",
      accountId: creator.accountId,
      title: task.title,
      imageKey: task.imageKey,
    });
    expect(await setup.buckets(creator)).toEqual([3, 0, 0]);
  });

  test("A-15: the stored image has the canvas size, at most 300 kB, and its digital source type", async () => {
    const { taskId } = await startOne("fern shade");
    const { imageKey } = await setup.drive(taskId);
    expect(imageKey).toMatch(/^pins\/[0-9a-f]{40}\.jpg$/);
    const jpeg = await setup.job().storage.get(imageKey ?? "");
    expect(jpeg?.byteLength).toBeLessThanOrEqual(300_000);
    const metadata = await sharp(jpeg ?? undefined).metadata();
    expect([metadata.width, metadata.height, metadata.format]).toEqual([1080, 1680, "jpeg"]);
    expect(metadata.xmp?.toString()).toContain("digitalsourcetype/trainedAlgorithmicMedia");
  });
});

describe("every step may run twice", () => {
  test("stored text and images are not paid for again", async () => {
    const { taskId } = await startOne("twice over");
    const before = [await setup.calls(CHAT), await setup.calls(IMAGES)];
    for (const attempt of [0, 0, 1]) {
      expect(await writeTaskCopy(setup.job(), { taskId, attempt })).toEqual({ kind: "stored" });
      expect(await generateTaskImage(setup.job(), { taskId, attempt })).toEqual({ kind: "stored" });
    }
    const after = [await setup.calls(CHAT), await setup.calls(IMAGES)];
    expect(after.map((count, index) => count - (before[index] ?? 0))).toEqual([1, 1]);
  });

  test("a step that crashed after storing the image finds it and generates no other", async () => {
    const { taskId } = await startOne("died in between");
    await generateTaskImage(setup.job(), { taskId, attempt: 0 });
    const { imageKey } = await setup.task(taskId);
    const first = await setup.job().storage.get(imageKey ?? "");
    await clearImageKey(taskId);
    const before = await setup.calls(IMAGES);
    await generateTaskImage(setup.job(), { taskId, attempt: 0 });
    expect(await setup.calls(IMAGES)).toBe(before);
    expect((await setup.task(taskId)).imageKey).toBe(imageKey);
    expect(await setup.job().storage.get(imageKey ?? "")).toEqual(first);
  });

  test("a call that waited while the image was generated, or the task ended, generates no other", async () => {
    const drawn = await startOne("drawn meanwhile");
    const ended = await startOne("ended meanwhile");
    const ctx = setup.withSlots(1);
    const other = await setup.occupySlot(ctx);
    const before = await setup.calls(IMAGES);
    const waiting = [drawn, ended].map(({ taskId }) => generateTaskImage(ctx, { taskId, attempt: 0 }));
    await until(async () => (await ctx.db.select().from(imageSlots)).length === 3, { what: "both to be queued" });
    await ctx.storage.put(imageKeyOf(ctx, drawn.taskId), Buffer.from("drawn by another run"));
    await failTask(ctx, ended);
    await other.leave();
    expect(await Promise.all(waiting)).toEqual([{ kind: "stored" }, { kind: "finished" }]);
    expect(await setup.calls(IMAGES)).toBe(before);
    expect(await ctx.db.select().from(imageSlots)).toEqual([]);
  });

  test("finishing concurrently creates one draft and spends once", async () => {
    const { creator, taskId } = await startOne("finished often", "high");
    await writeTaskCopy(setup.job(), { taskId, attempt: 0 });
    await generateTaskImage(setup.job(), { taskId, attempt: 0 });
    const results = await Promise.all(Array.from({ length: 6 }, () => finishTask(setup.job(), { taskId })));
    expect(results.filter(({ kind }) => kind === "finished")).toHaveLength(1);
    const drafts = await draftsOf(creator);
    expect(drafts).toHaveLength(1);
    const { imageKey } = await setup.task(taskId);
    const image = await creator.ctx.storage.get(imageKey ?? "");
    expect(drafts[0]).toMatchObject(await creator.ctx.images.describeJpeg(image ?? new Uint8Array()));
    expect(await setup.buckets(creator)).toEqual([3, 0, 0]);
  });

  test("R-SRV-01, A-27: failing repeatedly returns the credits once, and nothing follows a failure", async () => {
    const { creator, taskId } = await startOne("failed often", "high");
    const results = await Promise.all(
      Array.from({ length: 6 }, () => failTask(setup.job(), { taskId, reason: "A test." })),
    );
    expect(results.filter(({ kind }) => kind === "failed")).toHaveLength(1);
    expect(await setup.buckets(creator)).toEqual([5, 0, 0]);
    const before = await setup.calls(IMAGES);
    expect(await generateTaskImage(setup.job(), { taskId, attempt: 0 })).toEqual({ kind: "finished" });
    expect(await finishTask(setup.job(), { taskId })).toEqual({ kind: "already_finished" });
    expect(await setup.calls(IMAGES)).toBe(before);
    expect(await draftsOf(creator)).toEqual([]);
  });

  test("finishing and failing concurrently: one of them, never both", async () => {
    const { creator, taskId } = await startOne("torn", "high");
    await writeTaskCopy(setup.job(), { taskId, attempt: 0 });
    await generateTaskImage(setup.job(), { taskId, attempt: 0 });
    await Promise.all([finishTask(setup.job(), { taskId }), failTask(setup.job(), { taskId })]);
    const isDone = (await setup.task(taskId)).status === "SUCCESS";
    expect((await draftsOf(creator)).length).toBe(isDone ? 1 : 0);
    expect(await setup.buckets(creator)).toEqual([isDone ? 3 : 5, 0, 0]);
  });

  test("a task without its image cannot be finished", async () => {
    const { creator, taskId } = await startOne("half done");
    await writeTaskCopy(setup.job(), { taskId, attempt: 0 });
    await expect(finishTask(setup.job(), { taskId })).rejects.toMatchObject({ code: "internal" });
    expect(await draftsOf(creator)).toEqual([]);
    expect(await setup.buckets(creator)).toEqual([4, 0, 1]);
  });
});

describe("a problem fails only that pin, with a readable reason and its credits returned", () => {
  test("a declined keyword", async () => {
    const creator = await setup.insertCreator();
    const { groupId } = await setup.start(creator, ["moss", "a forbidden subject", "fern"]);
    for (const { id } of await setup.tasksOf(groupId)) await setup.drive(id);
    const wire = toTrackingWire(await trackGeneration(creator.ctx, { groupId }), creator.ctx);
    expect(wire.tasks.map(({ stage }) => stage)).toEqual(["SUCCESS", "FAILURE", "SUCCESS"]);
    expect(wire.tasks[1]?.reason).toBe("Our AI can't make a pin about this. Try another keyword.");
    expect(wire).toMatchObject({ completed_tasks: 3, progress_percentage: 100, estimated_time_remaining: null });
    expect(wire.stage_counts).toMatchObject({ success: 2, failure: 1, failed: 1, pending: 0 });
    expect(await draftsOf(creator)).toHaveLength(2);
    expect(await setup.buckets(creator)).toEqual([3, 0, 0]);
  });

  test.each([
    [CHAT, "refusal", "Our AI can't make a pin about this. Try another keyword.", 1],
    [CHAT, "content_filter", "Our AI can't make a pin about this. Try another keyword.", 1],
    [CHAT, "truncated", "The AI didn't finish the text. Please try again.", 3],
    [CHAT, "invalid_json", "The AI returned text we couldn't use. Please try again.", 3],
    [CHAT, "wrong_shape", "The AI returned text we couldn't use. Please try again.", 3],
    [CHAT, "too_long", "The AI returned text we couldn't use. Please try again.", 3],
    [IMAGES, "missing_image", "The AI didn't return an image. Please try again.", 3],
    [IMAGES, "missing_data", "The AI didn't return an image. Please try again.", 3],
    [IMAGES, "not_an_image", "The AI returned an image we couldn't read. Please try again.", 3],
    [IMAGES, "moderation_blocked", "Our AI can't make a pin about this. Try another keyword.", 1],
    [IMAGES, "insufficient_quota", "Pin generation isn't set up correctly on our end. Please contact support.", 1],
  ])("%s %s", async (match, scenario, reason, tries) => {
    const keyword = `strike ${scenario.replaceAll("_", " ")}`;
    await setup.addFault({ match, scenario, times: 30, where: { keyword } });
    const { creator, taskId } = await startOne(keyword);
    const before = await setup.calls(match);
    expect(await setup.drive(taskId)).toMatchObject({ status: "FAILURE", reason });
    expect((await setup.calls(match)) - before).toBe(tries);
    expect(await setup.buckets(creator)).toEqual([5, 0, 0]);
    expect(await draftsOf(creator)).toEqual([]);
  });
});

describe("R-SRV-04: temporary problems", () => {
  test.each([
    [CHAT, "truncated"],
    [CHAT, "cut"],
    [CHAT, "server_error"],
    [IMAGES, "missing_image"],
    [IMAGES, "rate_limit_exceeded"],
    [IMAGES, "malformed"],
  ])("%s %s once, then the pin is generated after all", async (match, scenario) => {
    const keyword = `pass ${scenario.replaceAll("_", " ")}`;
    await setup.addFault({ match, scenario, where: { keyword } });
    const { creator, taskId } = await startOne(keyword);
    const before = await setup.calls(match);
    expect(await setup.drive(taskId)).toMatchObject({ status: "SUCCESS", reason: null });
    expect((await setup.calls(match)) - before).toBe(2);
    expect(await setup.buckets(creator)).toEqual([4, 0, 0]);
  });

  test("a 429 with a wait pauses all images and is not an attempt", async () => {
    await setup.addFault({ match: IMAGES, scenario: "rate_limit_retry_after_ms", where: { keyword: "asked to wait" } });
    const { taskId } = await startOne("asked to wait");
    const ctx = setup.job();
    const before = await setup.calls(IMAGES);
    expect(await ctx.db.$count(imagePauses)).toBe(0);
    expect(await generateTaskImage(ctx, { taskId, attempt: 0 })).toEqual({ kind: "stored" });
    expect((await setup.calls(IMAGES)) - before).toBe(2);
    expect(await ctx.db.$count(imagePauses)).toBe(1);
  });

  test("a task sleeps through a pause that is longer than a call may wait, and is not silent meanwhile", async () => {
    const { taskId } = await startOne("asked for ten minutes");
    const ctx = setup.job();
    onTestFinished(() => setup.pause(0));
    await setup.pause(600);
    const result = await generateTaskImage(ctx, { taskId, attempt: 0 });
    expect(result).toMatchObject({ kind: "no_slot", afterSeconds: expect.closeTo(600, -2) });
    const { wakeAt } = await setup.task(taskId);
    expect(wakeAt.getTime() - Date.now()).toBeGreaterThan(600_000 + SILENT_AFTER_MS - MINUTE_MS);
  });

  test("a task is not silent while a step works on it, however long the model takes", async () => {
    const { taskId } = await startOne("patience");
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    onTestFinished(() => void vi.useRealTimers());
    const model = Promise.withResolvers<string>();
    const working = withHeartbeat(setup.job(), taskId, () => model.promise);
    for (let beats = 0; beats < 3; beats += 1) {
      const { wakeAt: before } = await setup.task(taskId);
      vi.advanceTimersByTime(HEARTBEAT_MS);
      await until(async () => (await setup.task(taskId)).wakeAt > before, { what: "the heartbeat" });
    }
    model.resolve("the answer");
    expect(await working).toBe("the answer");
    expect(vi.getTimerCount()).toBe(0);
  });

  test("a text model's 429 waits as long as requested, and shows as 'Retrying' without a reason", async () => {
    await setup.addFault({ match: CHAT, scenario: "rate_limit_retry_after", where: { keyword: "words wait" } });
    const { creator, groupId, taskId } = await startOne("words wait");
    expect(await writeTaskCopy(setup.job(), { taskId, attempt: 0 })).toMatchObject({ kind: "retry", afterSeconds: 1 });
    const wire = toTrackingWire(await trackGeneration(creator.ctx, { groupId }), creator.ctx);
    expect(wire.tasks[0]).toMatchObject({ status: "RETRY", stage: "RETRY" });
    expect(wire.tasks[0]).not.toHaveProperty("reason");
    expect(wire.stage_counts).toMatchObject({ retry: 1, failed: 0 });
  });
});

const clearImageKey = async (taskId: string) => {
  await setup.job().db.update(generationTasks).set({ imageKey: null }).where(eq(generationTasks.id, taskId));
};
