import "server-only";
import { eq, inArray } from "drizzle-orm";
import { generationGroups, generationTasks } from "#db/schema/generation.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import type { UserId } from "#lib/core/ids.ts";
import { condemnImages } from "#lib/features/pins/condemn-images.ts";
import { showing } from "#lib/features/pins/schema.ts";
import { nameImage } from "./name-image.ts";

/** A group has up to 100 tasks. */
const BATCH = 20;

const eraseSome = async (tx: Ctx, userId: UserId): Promise<number> => {
  const groups = await tx.db
    .select({ id: generationGroups.id })
    .from(generationGroups)
    .where(eq(generationGroups.userId, userId))
    .limit(BATCH);
  const ids = groups.map(({ id }) => id);
  if (ids.length === 0) return 0;
  const tasks = await tx.db
    .select({ id: generationTasks.id, replaced: generationTasks.replaced })
    .from(generationTasks)
    .where(inArray(generationTasks.groupId, ids));
  // Known to the task or not, a picture may lie in the storage; and one that a pin had before.
  const lost = tasks.flatMap(({ replaced }) => {
    const before = showing.safeParse(replaced).data;
    return before ? [before.imageKey, before.baseImageKey] : [];
  });
  const imageKeys = [...tasks.map(({ id }) => nameImage(tx, id)), ...lost.filter((key) => key !== null)];
  await condemnImages(tx, { imageKeys });
  await tx.db.delete(generationGroups).where(inArray(generationGroups.id, ids));
  return ids.length;
};

/** Deletes a user's groups with their tasks and condemns their pictures, some at a time. Nobody works on them any more. */
export const eraseGroups = async (ctx: Ctx, { userId }: { userId: UserId }): Promise<void> => {
  while ((await inTransaction(ctx, (tx) => eraseSome(tx, userId))) > 0);
};
