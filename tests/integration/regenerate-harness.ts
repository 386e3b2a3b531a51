import { eq } from "drizzle-orm";
import { pins } from "#db/schema/pins.ts";
import { regenerateImage } from "#lib/features/generation/images.ts";
import type { Creator, TestSetup } from "./generation-harness.ts";

/** Helpers of the regeneration tests. */
export const regenerationsIn = (setup: TestSetup) => {
  const pinOf = async (pinId: string) => {
    const [row] = await setup.job().db.select().from(pins).where(eq(pins.id, pinId));
    if (!row) throw new Error("The pin was deleted.");
    return row;
  };
  return {
    pinOf,
    /** A user with one generated draft. */
    draft: async (keyword = "fig cake", credits = 0) => {
      const creator = await setup.insertCreator(credits);
      const { groupId } = await setup.start(creator, [keyword]);
      const [task] = await setup.tasksOf(groupId);
      const { pinId } = await setup.drive(task?.id ?? "");
      return { creator, pinId: pinId ?? "" };
    },
    regenerate: async ({ ctx }: Creator, pinId: string, quality: "high" | "standard" = "standard") => {
      const started = await regenerateImage(ctx, { pinId, quality });
      if (started.kind === "nothing_affordable") throw new Error(started.warning);
      const [task] = await setup.tasksOf(started.groupId);
      if (!task) throw new Error("There is no task.");
      return { groupId: started.groupId, taskId: task.id };
    },
  };
};
