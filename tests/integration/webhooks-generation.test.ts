import { expect, test } from "vitest";
import { cancelGeneration } from "#lib/features/generation/groups.ts";
import { failTask } from "#lib/features/generation/tasks.ts";
import { generationSetup } from "./generation-harness.ts";
import { addEndpoint, recordedEvents } from "./webhooks-harness.ts";

const setup = generationSetup();

test("generation.finished is recorded once, when the last task ends, however it ends", async () => {
  const creator = await setup.insertCreator(20);
  await addEndpoint(creator.ctx);
  const { groupId } = await setup.start(creator, ["moss", "fern", "ivy"]);
  const [made, failed, canceled] = await setup.tasksOf(groupId);
  const { pinId } = await setup.drive(made?.id ?? "");
  await failTask(setup.job(), { taskId: failed?.id ?? "" });
  const finished = async () => recordedEvents(creator.ctx, "generation.finished");
  expect([canceled?.status, await finished()]).toEqual(["PENDING", []]);
  await cancelGeneration(creator.ctx, { groupId });
  await cancelGeneration(creator.ctx, { groupId });
  expect(await finished()).toMatchObject([
    {
      data: {
        ...{ generation_id: groupId, account_id: creator.accountId, board_id: "12345" },
        ...{ total: 3, succeeded: 1, failed: 1, canceled: 1, pin_ids: [pinId] },
      },
    },
  ]);
});
