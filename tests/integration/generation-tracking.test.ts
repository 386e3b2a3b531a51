import { describe, expect, test } from "vitest";
import { drawTaskImage } from "#lib/features/generation/draw-task-image.ts";
import { toTrackingWire } from "#lib/features/generation/present.ts";
import { trackGeneration } from "#lib/features/generation/track-generation.ts";
import { writeTaskCopy } from "#lib/features/generation/write-task-copy.ts";
import { generationWorld, type Maker } from "./generation-house.ts";

const world = generationWorld();

const track = async ({ ctx }: Maker, groupId: string) => toTrackingWire(await trackGeneration(ctx, { groupId }), ctx);

describe("R-TRK-13, R-TRK-14: the answer", () => {
  test("R-ENT-09, A-29: has exactly the documented keys, with one count per stage code in lower case and `failed`", async () => {
    const maker = await world.makeMaker();
    const { groupId } = await world.start(maker, [], { rows: [{ keyword: "moss", url: "https://a.example/" }] });
    const wire = await track(maker, groupId);
    const [task] = wire.tasks;
    expect(wire).toEqual({
      total_tasks: 1,
      completed_tasks: 0,
      progress_percentage: 0,
      tasks: [
        {
          task_id: expect.stringMatching(/^tsk_/),
          id: task?.task_id,
          status: "PENDING",
          stage: "PENDING",
          keyword: "moss",
          title: null,
          description: null,
          image_url: null,
          url: "https://a.example/",
          progress_percentage: 0,
          hasTitle: false,
          hasDescription: false,
          hasImage: false,
        },
      ],
      stage_counts: {
        pending: 1,
        generating_title: 0,
        title_generated: 0,
        generating_description: 0,
        description_generated: 0,
        generating_image: 0,
        image_generated: 0,
        retry: 0,
        success: 0,
        failure: 0,
        revoked: 0,
        error: 0,
        failed: 0,
      },
      estimated_time_remaining: 50,
    });
  });

  test("R-TRK-12: each result shows as soon as it exists, in whatever order they come", async () => {
    const maker = await world.makeMaker();
    const { groupId } = await world.start(maker, ["words first", "picture first"], { quality: "high" });
    const [first, second] = await world.tasksOf(groupId);
    await writeTaskCopy(world.job(), { taskId: first?.id ?? "", attempt: 0 });
    await drawTaskImage(world.job(), { taskId: second?.id ?? "", attempt: 0 });
    const { tasks, stage_counts, progress_percentage } = await track(maker, groupId);
    expect(
      tasks.map(({ stage, hasTitle, hasDescription, hasImage }) => [stage, hasTitle, hasDescription, hasImage]),
    ).toEqual([
      ["GENERATING_IMAGE", true, true, false],
      ["GENERATING_TITLE", false, false, true],
    ]);
    expect(tasks[0]?.title).toBeTruthy();
    expect(tasks[1]?.image_url).toMatch(/^\/api\/images\/pins\/[0-9a-f]{40}\.jpg$/);
    expect(stage_counts).toMatchObject({ generating_image: 1, generating_title: 1 });
    expect(progress_percentage).toBe(50);
  });

  test("R-TRK-04: complete when all have finished", async () => {
    const maker = await world.makeMaker();
    const { groupId } = await world.start(maker, ["moss", "fern"]);
    for (const { id } of await world.tasksOf(groupId)) await world.drive(id);
    expect(await track(maker, groupId)).toMatchObject({
      total_tasks: 2,
      completed_tasks: 2,
      progress_percentage: 100,
      estimated_time_remaining: null,
    });
  });
});

test("R-TRK-16, R-API-31: a foreign, absent or malformed group is not found", async () => {
  const [maker, other] = [await world.makeMaker(), await world.makeMaker()];
  const { groupId } = await world.start(maker, ["moss"]);
  for (const id of [groupId, other.ctx.newId("group"), "grp_' or 1=1", ""]) {
    await expect(track(other, id)).rejects.toMatchObject({ code: "not_found" });
  }
  expect(await track(maker, groupId)).toMatchObject({ total_tasks: 1 });
});
