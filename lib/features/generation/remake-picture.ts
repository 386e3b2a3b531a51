import "server-only";
import { and, eq, isNull } from "drizzle-orm";
import { generationGroups, generationTasks } from "#db/schema/generation.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import type { GroupId, LetterId } from "#lib/core/ids.ts";
import { COST_CREDITS } from "#lib/features/credits/constants.ts";
import { reserveCredits } from "#lib/features/credits/reserve-credits.ts";
import { announceLetters } from "#lib/features/letters/announce-letters.ts";
import { lockPins } from "#lib/features/pins/lock-pins.ts";
import type { Pin } from "#lib/features/pins/queries.ts";
import { callUpTasks } from "./call-up-tasks.ts";
import { TEXTS } from "./constants.ts";
import { leftOutWarning, mayBeRemade } from "./policy.ts";
import type { RemakePictureInput } from "./schema.ts";

/** `under_way`: a picture for this pin is being made already, and nothing more was reserved. */
export type RemakeStart =
  | { kind: "started" | "under_way"; groupId: GroupId }
  | { kind: "nothing_affordable"; warning: string };

const findOpenGroup = async (tx: Ctx, pinId: string): Promise<GroupId | null> => {
  const [row] = await tx.db
    .select({ groupId: generationTasks.groupId })
    .from(generationTasks)
    .where(and(eq(generationTasks.replacesPinId, pinId), isNull(generationTasks.finishedAt)));
  // The id was made by `createId`.
  return row ? (row.groupId as GroupId) : null;
};

/** One task with the pin's words as they are: only its picture is missing, and no text model is asked. */
const writeTask = async (tx: Ctx, pin: Pin, facts: { id: string; quality: RemakePictureInput["quality"] }) => {
  const groupId = tx.newId("group");
  const createdAt = tx.now();
  const { userId, accountId, boardId, keyword, title, description, altText, link } = pin;
  const { id, quality } = facts;
  await tx.db
    .insert(generationGroups)
    .values({ id: groupId, userId, accountId, boardId, quality, totalTasks: 1, createdAt });
  await tx.db.insert(generationTasks).values({
    ...{ id, groupId, userId, position: 0, keyword: keyword ?? title, url: link, title, description, altText },
    ...{ costCredits: COST_CREDITS[quality], replacesPinId: pin.id, status: "PENDING" },
    ...{ wakeAt: createdAt, createdAt },
  });
  return groupId;
};

const reserveAndWrite = async (
  tx: Ctx,
  { pinId, quality }: RemakePictureInput,
): Promise<{ start: RemakeStart; letterIds: LetterId[] }> => {
  const [pin] = await lockPins(tx, { pinIds: [pinId] });
  if (!pin) throw new AppError("not_found");
  if (!mayBeRemade(pin)) throw new AppError("wrong_state", { text: TEXTS.notRemakable });
  // The lock on the pin makes a second press wait for the first, and then find it.
  const open = await findOpenGroup(tx, pin.id);
  if (open) return { start: { kind: "under_way", groupId: open }, letterIds: [] };
  const id = tx.newId("task");
  const costCredits = COST_CREDITS[quality];
  const lots = [{ reference: id, costCredits }];
  const { reserved, availableCredits, letterIds } = await reserveCredits(tx, { userId: pin.userId, lots });
  if (reserved === 0) {
    const warning = leftOutWarning({ asked: 1, started: 0, availableCredits, costCredits }) ?? "";
    return { start: { kind: "nothing_affordable", warning }, letterIds };
  }
  return { start: { kind: "started", groupId: await writeTask(tx, pin, { id, quality }) }, letterIds };
};

/**
 * Starts making a new picture for a draft or failed pin: a generation of one task, with its credits, its turn and its
 * end like any other, but the pin keeps its old picture until the new one is there. Too few credits is an expected outcome.
 * @throws AppError `not_found`; `wrong_state` once it is scheduled, published, or may be published.
 */
export const remakePicture = async (ctx: Ctx<"jobs">, input: RemakePictureInput): Promise<RemakeStart> => {
  const { start, letterIds } = await inTransaction(ctx, (tx) => reserveAndWrite(tx, input));
  if (start.kind === "started") {
    ctx.log.set({ group_id: start.groupId, tasks: 1 });
    await callUpTasks(ctx);
  }
  if (letterIds.length > 0) await announceLetters(ctx, letterIds);
  return start;
};
