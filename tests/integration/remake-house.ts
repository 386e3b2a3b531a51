import { eq } from "drizzle-orm";
import { pins } from "#db/schema/pins.ts";
import { remakePicture } from "#lib/features/generation/images.ts";
import type { Maker, World } from "./generation-house.ts";

/** What tests of new pictures do again and again, in the world of their file. */
export const remakesIn = (world: World) => {
  const pinOf = async (pinId: string) => {
    const [row] = await world.job().db.select().from(pins).where(eq(pins.id, pinId));
    if (!row) throw new Error("The pin is gone.");
    return row;
  };
  return {
    pinOf,
    /** A maker with one draft, made as drafts are. */
    draft: async (keyword = "fig cake", credits = 0) => {
      const maker = await world.makeMaker(credits);
      const { groupId } = await world.start(maker, [keyword]);
      const [task] = await world.tasksOf(groupId);
      const { pinId } = await world.drive(task?.id ?? "");
      return { maker, pinId: pinId ?? "" };
    },
    remake: async ({ ctx }: Maker, pinId: string, quality: "high" | "standard" = "standard") => {
      const started = await remakePicture(ctx, { pinId, quality });
      if (started.kind === "nothing_affordable") throw new Error(started.warning);
      const [task] = await world.tasksOf(started.groupId);
      if (!task) throw new Error("There is no task.");
      return { groupId: started.groupId, taskId: task.id };
    },
  };
};
