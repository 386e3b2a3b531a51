import { eq, sql } from "drizzle-orm";
import { afterEach, describe, expect, test } from "vitest";
import { creditTransfers } from "#db/schema/credits.ts";
import { generationGroups, generationTasks } from "#db/schema/generation.ts";
import { orphanedImages } from "#db/schema/images.ts";
import { pins } from "#db/schema/pins.ts";
import { toHistoryWire } from "#lib/features/credits/statement.ts";
import { TEXTS } from "#lib/features/generation/constants.ts";
import { generateTaskImage } from "#lib/features/generation/drafting.ts";
import { cancelGeneration, listCreditEntries, trackGeneration } from "#lib/features/generation/groups.ts";
import { readRegeneration, regenerateImage, undoRegeneration } from "#lib/features/generation/images.ts";
import { findRunningGroup } from "#lib/features/generation/queries.ts";
import { toTrackingWire } from "#lib/features/generation/serializers.ts";
import { sweepTasks } from "#lib/features/generation/task-recovery.ts";
import { finishTask } from "#lib/features/generation/tasks.ts";
import { deleteDrafts } from "#lib/features/pins/drafts.ts";
import { editDraft } from "#lib/features/pins/edits.ts";
import { recordReview } from "#lib/features/pins/review.ts";
import { scheduleBatch } from "#lib/features/publishing/scheduling.ts";
import { CHAT, type Creator, generationSetup, IMAGES } from "./generation-harness.ts";
import { regenerationsIn } from "./regenerate-harness.ts";

const setup = generationSetup();

const code = (expected: string) => expect.objectContaining({ code: expected });

afterEach(async () => {
  await setup.job().db.delete(generationGroups);
});

const { draft, pinOf, regenerate } = regenerationsIn(setup);

const causesOf = async (taskId: string): Promise<string[]> => {
  const rows = await setup
    .job()
    .db.select({ cause: creditTransfers.cause })
    .from(creditTransfers)
    .where(sql`${creditTransfers.cause} like ${`%${taskId}`}`)
    .orderBy(creditTransfers.number);
  return rows.map(({ cause }) => cause);
};

describe("a new image", () => {
  test("R-SRV-01: the old image stays until the new one is ready; two ledger entries, no text model call", async () => {
    const { creator, pinId } = await draft();
    await recordReview(creator.ctx, { pinId, review: "approved" });
    const before = await pinOf(pinId);
    const written = await setup.calls(CHAT);
    const { groupId, taskId } = await regenerate(creator, pinId);
    expect(await setup.buckets(creator)).toEqual([3, 0, 1]);
    expect((await pinOf(pinId)).imageKey).toBe(before.imageKey);
    await setup.drive(taskId);
    const after = await pinOf(pinId);
    expect(after.imageKey).not.toBe(before.imageKey);
    expect(after).toMatchObject({ title: before.title, status: "draft", source: "ai", review: null, reviewedAt: null });
    expect(after.likeness).not.toBe(before.likeness);
    expect(after.placeholder).toMatch(/^data:image\/webp/);
    const stored = await setup.job().storage.get(after.imageKey);
    expect(stored).not.toBeNull();
    expect(stored).not.toEqual(await setup.job().storage.get(before.imageKey));
    expect(await setup.buckets(creator)).toEqual([3, 0, 0]);
    expect(await causesOf(taskId)).toEqual([`reserve:${taskId}`, `settle:${taskId}`]);
    expect(await setup.calls(CHAT)).toBe(written);
    expect(await creator.ctx.db.$count(pins, eq(pins.userId, creator.userId))).toBe(1);
    expect(toTrackingWire(await trackGeneration(creator.ctx, { groupId }), creator.ctx).tasks).toMatchObject([
      { status: "SUCCESS", replaces_pin_id: pinId, title: before.title },
    ]);
  });

  test("costs as much as a pin of its quality, and the history names it", async () => {
    const { creator, pinId } = await draft("fig cake", 10);
    const { title } = await pinOf(pinId);
    const { taskId, groupId } = await regenerate(creator, pinId, "high");
    expect(await setup.buckets(creator)).toEqual([2, 10, 2]);
    const words = async () => toHistoryWire(await listCreditEntries(creator.ctx, {})).entries.map(({ text }) => text);
    expect((await words())[0]).toBe(`Reserved for a new image for "${title}"`);
    await setup.drive(taskId);
    expect((await words())[0]).toBe(`Spent on a new image for "${title}"`);
    const again = await regenerate(creator, pinId);
    await cancelGeneration(creator.ctx, { groupId: again.groupId });
    expect((await words())[0]).toBe(`Returned because you canceled a new image for "${title}"`);
    expect(groupId).not.toBe(again.groupId);
  });

  test("R-SRV-01: repeated and concurrent clicks start and reserve one", async () => {
    const { creator, pinId } = await draft();
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => regenerateImage(creator.ctx, { pinId, quality: "standard" })),
    );
    expect(answers.map(({ kind }) => kind).toSorted()).toEqual(["started", ...Array(5).fill("under_way")]);
    expect(new Set(answers.map((answer) => "groupId" in answer && answer.groupId)).size).toBe(1);
    expect(await setup.buckets(creator)).toEqual([3, 0, 1]);
  });

  test("each differs, and the creator does not resume it after a reload", async () => {
    const { creator, pinId } = await draft();
    const seen = new Set([(await pinOf(pinId)).likeness]);
    for (let take = 2; take <= 3; take += 1) {
      const { taskId } = await regenerate(creator, pinId);
      expect(await findRunningGroup(creator.ctx)).toBeNull();
      await setup.drive(taskId);
      seen.add((await pinOf(pinId)).likeness);
    }
    expect(seen.size).toBe(3);
  });

  test("R-AIC-11: without credits nothing starts, and the warning names the cost", async () => {
    const { creator, pinId } = await draft();
    await setup.start(creator, ["a", "b", "c", "d"]);
    expect(await regenerateImage(creator.ctx, { pinId, quality: "high" })).toEqual({
      kind: "nothing_affordable",
      warning: "You have 0 credits, but a pin at this quality costs 2. Nothing was generated.",
    });
    expect(await readRegeneration(creator.ctx, { pinId })).toBeNull();
  });

  test("R-API-31: another user's, a missing, a scheduled and a deleted pin get none", async () => {
    const { creator, pinId } = await draft();
    const stranger = await setup.insertCreator();
    const request = (ctx: Creator["ctx"], id: string) => regenerateImage(ctx, { pinId: id, quality: "standard" });
    for (const id of [pinId, "pin_00000000000000000000000000", "'"]) {
      await expect(request(stranger.ctx, id)).rejects.toEqual(code("not_found"));
      await expect(readRegeneration(stranger.ctx, { pinId: id })).rejects.toEqual(code("not_found"));
      await expect(undoRegeneration(stranger.ctx, { pinId: id })).rejects.toEqual(code("not_found"));
    }
    await scheduleBatch(creator.ctx, { pinIds: [pinId], intervalMinutes: 60, start: null });
    await expect(request(creator.ctx, pinId)).rejects.toEqual(code("wrong_state"));
    const other = await draft();
    await deleteDrafts(other.creator.ctx, { pinIds: [other.pinId] });
    await expect(request(other.creator.ctx, other.pinId)).rejects.toEqual(code("not_found"));
  });
});

describe("concurrent changes", () => {
  test("the pin is scheduled: no image is paid for, it keeps its own, and the credits are returned", async () => {
    const { creator, pinId } = await draft();
    const { imageKey } = await pinOf(pinId);
    const { taskId } = await regenerate(creator, pinId);
    await scheduleBatch(creator.ctx, { pinIds: [pinId], intervalMinutes: 60, start: null });
    const imageCalls = await setup.calls(IMAGES);
    expect(await generateTaskImage(setup.job(), { taskId, attempt: 0 })).toEqual({ kind: "failed" });
    expect(await setup.calls(IMAGES)).toBe(imageCalls);
    expect(await setup.task(taskId)).toMatchObject({ status: "FAILURE", reason: TEXTS.imageUnwanted });
    expect(await setup.buckets(creator)).toEqual([4, 0, 0]);
    expect((await pinOf(pinId)).imageKey).toBe(imageKey);
  });

  test("the pin is scheduled or deleted after the image was generated: it keeps its own, and the credits are returned", async () => {
    for (const leave of ["schedule", "delete", "sweep"] as const) {
      const { creator, pinId } = await draft();
      const { taskId } = await regenerate(creator, pinId);
      await generateTaskImage(setup.job(), { taskId, attempt: 0 });
      if (leave === "schedule") {
        await scheduleBatch(creator.ctx, { pinIds: [pinId], intervalMinutes: 60, start: null });
      } else await deleteDrafts(creator.ctx, { pinIds: [pinId] });
      if (leave === "sweep") await creator.ctx.db.delete(pins).where(eq(pins.id, pinId));
      expect(await finishTask(setup.job(), { taskId }), leave).toEqual({ kind: "unwanted" });
      expect(await finishTask(setup.job(), { taskId })).toEqual({ kind: "already_finished" });
      const task = await setup.task(taskId);
      expect(task).toMatchObject({ status: "FAILURE", reason: TEXTS.imageUnwanted, pinId: null });
      expect(await setup.buckets(creator)).toEqual([4, 0, 0]);
      expect(await causesOf(taskId)).toEqual([`reserve:${taskId}`, `settle:${taskId}`]);
      const orphaned = eq(orphanedImages.key, task.imageKey ?? "");
      expect(await creator.ctx.db.$count(orphanedImages, orphaned)).toBe(1);
    }
  });

  test("its text is edited: the edit stays, and the image still changes", async () => {
    const { creator, pinId } = await draft();
    const { imageKey } = await pinOf(pinId);
    const { taskId } = await regenerate(creator, pinId);
    await generateTaskImage(setup.job(), { taskId, attempt: 0 });
    await editDraft(creator.ctx, { pinId, title: "My own title" });
    await setup.drive(taskId);
    const after = await pinOf(pinId);
    expect(after.title).toBe("My own title");
    expect(after.imageKey).not.toBe(imageKey);
  });

  test("it is canceled before it starts, or moderation rejects it: the credits are returned, and the pin is unchanged", async () => {
    const { creator, pinId } = await draft("poppy field");
    const { imageKey } = await pinOf(pinId);
    const first = await regenerate(creator, pinId);
    expect(await cancelGeneration(creator.ctx, { groupId: first.groupId })).toMatchObject({ returnedCredits: 1 });
    await setup.addFault({ match: IMAGES, scenario: "moderation_blocked", where: { keyword: "poppy field" } });
    const second = await regenerate(creator, pinId);
    expect(await generateTaskImage(setup.job(), { taskId: second.taskId, attempt: 0 })).toEqual({ kind: "failed" });
    const read = await readRegeneration(creator.ctx, { pinId });
    expect(read?.task).toMatchObject({
      status: "FAILURE",
      reason: expect.stringContaining("can't make a pin about this"),
    });
    expect(read?.can_undo).toBe(false);
    expect(await setup.buckets(creator)).toEqual([4, 0, 0]);
    expect((await pinOf(pinId)).imageKey).toBe(imageKey);
  });

  test("a run dies after each of its steps and another continues: one image, one payment", async () => {
    const { creator, pinId } = await draft();
    const { taskId } = await regenerate(creator, pinId);
    const imageCalls = await setup.calls(IMAGES);
    // Crashed before the event was sent: the sweep sends it.
    await setup.harness.later(60_000, () => sweepTasks(setup.job()));
    await generateTaskImage(setup.job(), { taskId, attempt: 0 });
    // Crashed after storing the image, before the task was updated.
    await creator.ctx.db.update(generationTasks).set({ imageKey: null }).where(eq(generationTasks.id, taskId));
    await generateTaskImage(setup.job(), { taskId, attempt: 0 });
    const [one, two] = await Promise.all([finishTask(setup.job(), { taskId }), finishTask(setup.job(), { taskId })]);
    expect([one.kind, two.kind].toSorted()).toEqual(["already_finished", "finished"]);
    expect(await setup.calls(IMAGES)).toBe(imageCalls + 1);
    expect(await setup.buckets(creator)).toEqual([3, 0, 0]);
  });

  test("it makes no progress for too long: the sweep fails it, and the credits are returned", async () => {
    await setup.midMonth();
    const { creator, pinId } = await draft();
    const { taskId } = await regenerate(creator, pinId);
    for (let hour = 1; hour <= 8; hour += 1) {
      await setup.harness.later(hour * 3_600_000, () => sweepTasks(setup.job()));
    }
    expect(await setup.task(taskId)).toMatchObject({ status: "FAILURE", reason: TEXTS.taskStuck });
    expect(await setup.buckets(creator)).toEqual([4, 0, 0]);
  });
});
