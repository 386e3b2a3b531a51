import { eq, sql } from "drizzle-orm";
import { afterEach, describe, expect, test } from "vitest";
import { creditTransfers } from "#db/schema/credits.ts";
import { generationGroups, generationTasks } from "#db/schema/generation.ts";
import { orphanedImages } from "#db/schema/images.ts";
import { pins } from "#db/schema/pins.ts";
import { toHistoryWire } from "#lib/features/credits/statement.ts";
import { TEXTS } from "#lib/features/generation/constants.ts";
import { drawTaskImage } from "#lib/features/generation/drafting.ts";
import { cancelGeneration, listCreditEntries, trackGeneration } from "#lib/features/generation/groups.ts";
import { readRemake, remakePicture, undoRemake } from "#lib/features/generation/images.ts";
import { findRunningGroup } from "#lib/features/generation/queries.ts";
import { toTrackingWire } from "#lib/features/generation/serializers.ts";
import { sweepTasks } from "#lib/features/generation/task-recovery.ts";
import { finishTask } from "#lib/features/generation/tasks.ts";
import { deleteDrafts } from "#lib/features/pins/drafts.ts";
import { editDraft } from "#lib/features/pins/edits.ts";
import { recordReview } from "#lib/features/pins/review.ts";
import { scheduleBatch } from "#lib/features/publishing/scheduling.ts";
import { CHAT, generationWorld, IMAGES, type Maker } from "./generation-house.ts";
import { remakesIn } from "./remake-house.ts";

const world = generationWorld();

const code = (expected: string) => expect.objectContaining({ code: expected });

afterEach(async () => {
  await world.job().db.delete(generationGroups);
});

const { draft, pinOf, remake } = remakesIn(world);

const causesOf = async (taskId: string): Promise<string[]> => {
  const rows = await world
    .job()
    .db.select({ cause: creditTransfers.cause })
    .from(creditTransfers)
    .where(sql`${creditTransfers.cause} like ${`%${taskId}`}`)
    .orderBy(creditTransfers.number);
  return rows.map(({ cause }) => cause);
};

describe("a new picture", () => {
  test("R-SRV-01, DESIGN 5.2: the old one stays until the new one is there; two movements of credits, no text model", async () => {
    const { maker, pinId } = await draft();
    await recordReview(maker.ctx, { pinId, review: "approved" });
    const before = await pinOf(pinId);
    const written = await world.calls(CHAT);
    const { groupId, taskId } = await remake(maker, pinId);
    expect(await world.buckets(maker)).toEqual([3, 0, 1]);
    expect((await pinOf(pinId)).imageKey).toBe(before.imageKey);
    await world.drive(taskId);
    const after = await pinOf(pinId);
    expect(after.imageKey).not.toBe(before.imageKey);
    expect(after).toMatchObject({ title: before.title, status: "draft", source: "ai", review: null, reviewedAt: null });
    expect(after.likeness).not.toBe(before.likeness);
    expect(after.placeholder).toMatch(/^data:image\/webp/);
    const stored = await world.job().storage.get(after.imageKey);
    expect(stored).not.toBeNull();
    expect(stored).not.toEqual(await world.job().storage.get(before.imageKey));
    expect(await world.buckets(maker)).toEqual([3, 0, 0]);
    expect(await causesOf(taskId)).toEqual([`reserve:${taskId}`, `settle:${taskId}`]);
    expect(await world.calls(CHAT)).toBe(written);
    expect(await maker.ctx.db.$count(pins, eq(pins.userId, maker.userId))).toBe(1);
    expect(toTrackingWire(await trackGeneration(maker.ctx, { groupId }), maker.ctx).tasks).toMatchObject([
      { status: "SUCCESS", replaces_pin_id: pinId, title: before.title },
    ]);
  });

  test("costs as much as a pin of its quality, and the history calls it what it is", async () => {
    const { maker, pinId } = await draft("fig cake", 10);
    const { title } = await pinOf(pinId);
    const { taskId, groupId } = await remake(maker, pinId, "high");
    expect(await world.buckets(maker)).toEqual([2, 10, 2]);
    const words = async () => toHistoryWire(await listCreditEntries(maker.ctx, {})).entries.map(({ text }) => text);
    expect((await words())[0]).toBe(`Reserved for a new picture for "${title}"`);
    await world.drive(taskId);
    expect((await words())[0]).toBe(`Spent on a new picture for "${title}"`);
    const again = await remake(maker, pinId);
    await cancelGeneration(maker.ctx, { groupId: again.groupId });
    expect((await words())[0]).toBe(`Returned because you cancelled a new picture for "${title}"`);
    expect(groupId).not.toBe(again.groupId);
  });

  test("R-SRV-01: pressing many times at once, or again meanwhile, starts and reserves one", async () => {
    const { maker, pinId } = await draft();
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => remakePicture(maker.ctx, { pinId, quality: "standard" })),
    );
    expect(answers.map(({ kind }) => kind).toSorted()).toEqual(["started", ...Array(5).fill("under_way")]);
    expect(new Set(answers.map((answer) => "groupId" in answer && answer.groupId)).size).toBe(1);
    expect(await world.buckets(maker)).toEqual([3, 0, 1]);
  });

  test("each is another one, and is not what a reload of the creator resumes", async () => {
    const { maker, pinId } = await draft();
    const seen = new Set([(await pinOf(pinId)).likeness]);
    for (let take = 2; take <= 3; take += 1) {
      const { taskId } = await remake(maker, pinId);
      expect(await findRunningGroup(maker.ctx)).toBeNull();
      await world.drive(taskId);
      seen.add((await pinOf(pinId)).likeness);
    }
    expect(seen.size).toBe(3);
  });

  test("R-AIC-11: without credits nothing is started, and it says what it would cost", async () => {
    const { maker, pinId } = await draft();
    await world.start(maker, ["a", "b", "c", "d"]);
    expect(await remakePicture(maker.ctx, { pinId, quality: "high" })).toEqual({
      kind: "nothing_affordable",
      warning: "No pins were started: you have 0 credits, and one pin of this quality costs 2 credits.",
    });
    expect(await readRemake(maker.ctx, { pinId })).toBeNull();
  });

  test("R-API-31: a foreign, absent, scheduled or deleted pin gets none", async () => {
    const { maker, pinId } = await draft();
    const stranger = await world.makeMaker();
    const ask = (ctx: Maker["ctx"], id: string) => remakePicture(ctx, { pinId: id, quality: "standard" });
    for (const id of [pinId, "pin_00000000000000000000000000", "'"]) {
      await expect(ask(stranger.ctx, id)).rejects.toEqual(code("not_found"));
      await expect(readRemake(stranger.ctx, { pinId: id })).rejects.toEqual(code("not_found"));
      await expect(undoRemake(stranger.ctx, { pinId: id })).rejects.toEqual(code("not_found"));
    }
    await scheduleBatch(maker.ctx, { pinIds: [pinId], intervalMinutes: 60, start: null });
    await expect(ask(maker.ctx, pinId)).rejects.toEqual(code("wrong_state"));
    const other = await draft();
    await deleteDrafts(other.maker.ctx, { pinIds: [other.pinId] });
    await expect(ask(other.maker.ctx, other.pinId)).rejects.toEqual(code("not_found"));
  });
});

describe("meanwhile", () => {
  test("the pin is scheduled: no picture is paid for, it keeps its own, the credits return", async () => {
    const { maker, pinId } = await draft();
    const { imageKey } = await pinOf(pinId);
    const { taskId } = await remake(maker, pinId);
    await scheduleBatch(maker.ctx, { pinIds: [pinId], intervalMinutes: 60, start: null });
    const drawn = await world.calls(IMAGES);
    expect(await drawTaskImage(world.job(), { taskId, attempt: 0 })).toEqual({ kind: "failed" });
    expect(await world.calls(IMAGES)).toBe(drawn);
    expect(await world.task(taskId)).toMatchObject({ status: "FAILURE", reason: TEXTS.pictureUnwanted });
    expect(await world.buckets(maker)).toEqual([4, 0, 0]);
    expect((await pinOf(pinId)).imageKey).toBe(imageKey);
  });

  test("the pin is scheduled or deleted once the picture is drawn: the same, at the last moment", async () => {
    for (const leave of ["schedule", "delete", "sweep"] as const) {
      const { maker, pinId } = await draft();
      const { taskId } = await remake(maker, pinId);
      await drawTaskImage(world.job(), { taskId, attempt: 0 });
      if (leave === "schedule") {
        await scheduleBatch(maker.ctx, { pinIds: [pinId], intervalMinutes: 60, start: null });
      } else await deleteDrafts(maker.ctx, { pinIds: [pinId] });
      if (leave === "sweep") await maker.ctx.db.delete(pins).where(eq(pins.id, pinId));
      expect(await finishTask(world.job(), { taskId }), leave).toEqual({ kind: "unwanted" });
      expect(await finishTask(world.job(), { taskId })).toEqual({ kind: "already_finished" });
      const task = await world.task(taskId);
      expect(task).toMatchObject({ status: "FAILURE", reason: TEXTS.pictureUnwanted, pinId: null });
      expect(await world.buckets(maker)).toEqual([4, 0, 0]);
      expect(await causesOf(taskId)).toEqual([`reserve:${taskId}`, `settle:${taskId}`]);
      const lost = eq(orphanedImages.key, task.imageKey ?? "");
      expect(await maker.ctx.db.$count(orphanedImages, lost)).toBe(1);
    }
  });

  test("its words are edited: they stay, and the picture still comes", async () => {
    const { maker, pinId } = await draft();
    const { imageKey } = await pinOf(pinId);
    const { taskId } = await remake(maker, pinId);
    await drawTaskImage(world.job(), { taskId, attempt: 0 });
    await editDraft(maker.ctx, { pinId, title: "My own title" });
    await world.drive(taskId);
    const after = await pinOf(pinId);
    expect(after.title).toBe("My own title");
    expect(after.imageKey).not.toBe(imageKey);
  });

  test("it is cancelled before anybody began, or moderation refuses it: the credits return, the pin is as it was", async () => {
    const { maker, pinId } = await draft("poppy field");
    const { imageKey } = await pinOf(pinId);
    const first = await remake(maker, pinId);
    expect(await cancelGeneration(maker.ctx, { groupId: first.groupId })).toMatchObject({ returnedCredits: 1 });
    await world.strike({ match: IMAGES, scenario: "moderation_blocked", where: { keyword: "poppy field" } });
    const second = await remake(maker, pinId);
    expect(await drawTaskImage(world.job(), { taskId: second.taskId, attempt: 0 })).toEqual({ kind: "failed" });
    const read = await readRemake(maker.ctx, { pinId });
    expect(read?.task).toMatchObject({ status: "FAILURE", reason: expect.stringContaining("refused") });
    expect(read?.can_undo).toBe(false);
    expect(await world.buckets(maker)).toEqual([4, 0, 0]);
    expect((await pinOf(pinId)).imageKey).toBe(imageKey);
  });

  test("a run dies after each of its steps, and another goes on: one picture, one payment", async () => {
    const { maker, pinId } = await draft();
    const { taskId } = await remake(maker, pinId);
    const drawn = await world.calls(IMAGES);
    // Died before its event went out: the sweep sends it.
    await world.house.later(60_000, () => sweepTasks(world.job()));
    await drawTaskImage(world.job(), { taskId, attempt: 0 });
    // Died after storing the picture, before the task knew of it.
    await maker.ctx.db.update(generationTasks).set({ imageKey: null }).where(eq(generationTasks.id, taskId));
    await drawTaskImage(world.job(), { taskId, attempt: 0 });
    const [one, two] = await Promise.all([finishTask(world.job(), { taskId }), finishTask(world.job(), { taskId })]);
    expect([one.kind, two.kind].toSorted()).toEqual(["already_finished", "finished"]);
    expect(await world.calls(IMAGES)).toBe(drawn + 1);
    expect(await world.buckets(maker)).toEqual([3, 0, 0]);
  });

  test("nobody works on it for too long: the sweep gives it up, and the credits return", async () => {
    await world.midMonth();
    const { maker, pinId } = await draft();
    const { taskId } = await remake(maker, pinId);
    for (let hour = 1; hour <= 5; hour += 1) {
      await world.house.later(hour * 3_600_000, () => sweepTasks(world.job()));
    }
    expect(await world.task(taskId)).toMatchObject({ status: "FAILURE", reason: TEXTS.taskStuck });
    expect(await world.buckets(maker)).toEqual([4, 0, 0]);
  });
});
