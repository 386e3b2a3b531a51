import "server-only";
import { and, asc, eq, inArray, isNull } from "drizzle-orm";
import { generationGroups, generationTasks } from "#db/schema/generation.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { AppError, requireUserId } from "#lib/core/errors.ts";
import { type GroupId, isId, type LetterId, type UserId } from "#lib/core/ids.ts";
import { type OwnedAccountId, requireOwnedAccount } from "#lib/features/accounts/queries.ts";
import { COST_CREDITS } from "#lib/features/credits/constants.ts";
import type { ReservedFor } from "#lib/features/credits/policy.ts";
import { reserveCredits, settleReservations } from "#lib/features/credits/reservations.ts";
import type { HistoryInput } from "#lib/features/credits/schema.ts";
import { readStatement, type StatementEntry } from "#lib/features/credits/statement.ts";
import { announceLetters } from "#lib/features/email/delivery.ts";
import { condemnImages } from "#lib/features/pins/images.ts";
import { showing } from "#lib/features/pins/schema.ts";
import { nameImage } from "./images.ts";
import { leftOutWarning } from "./policy.ts";
import { findReservedFor, findTrackedGroup, type TrackedGroup } from "./queries.ts";
import type { CancelGenerationInput, GeneratePinsInput, TrackGenerationInput } from "./schema.ts";
import { callUpTasks } from "./task-queue.ts";
import { closeGroup } from "./tasks.ts";

/** Too few credits is an expected outcome, not an error (R-AIC-11, R-SRV-02). */
export type StartResult =
  | { kind: "started"; groupId: GroupId; totalTasks: number; warning: string | null }
  | { kind: "nothing_affordable"; warning: string };

const requireConnectedAccount = async (ctx: Ctx, id: string): Promise<OwnedAccountId> => {
  const account = await requireOwnedAccount(ctx, id);
  if (account.status !== "connected") throw new AppError("reconnect_needed");
  return account.id;
};

/** Reserves credits in the rows' order and writes the group with the tasks that they pay for, or nothing. */
const writeGroup = async (
  tx: Ctx,
  input: Omit<GeneratePinsInput, "accountId"> & { accountId: OwnedAccountId },
): Promise<{ result: StartResult; letterIds: LetterId[] }> => {
  const { accountId, boardId, quality, rows } = input;
  const userId = requireUserId(tx);
  const costCredits = COST_CREDITS[quality];
  const planned = rows.map((row) => ({ ...row, id: tx.newId("task") }));
  const lots = planned.map(({ id }) => ({ reference: id, costCredits }));
  const { reserved, availableCredits, letterIds } = await reserveCredits(tx, { userId, lots });
  const hadCredits = availableCredits + reserved * costCredits;
  const asked = rows.length;
  const warning = leftOutWarning({ asked, started: reserved, availableCredits: hadCredits, costCredits });
  if (reserved === 0) return { result: { kind: "nothing_affordable", warning: warning ?? "" }, letterIds };
  const groupId = tx.newId("group");
  const createdAt = tx.now();
  await tx.db
    .insert(generationGroups)
    .values({ id: groupId, userId, accountId, boardId, quality, totalTasks: reserved, createdAt });
  const started = planned.slice(0, reserved);
  await tx.db.insert(generationTasks).values(
    started.map(({ id, keyword, url }, position) => {
      const asked = { id, groupId, userId, position, keyword, url, costCredits };
      return { ...asked, status: "PENDING" as const, wakeAt: createdAt, createdAt };
    }),
  );
  return { result: { kind: "started", groupId, totalTasks: reserved, warning }, letterIds };
};

/**
 * Starts as many pins as the user's credits pay for, in the order of the rows (R-AIC-08, R-SRV-02). Credits, group
 * and tasks are written together; then each task gets an event when its turn comes.
 * @throws AppError `not_found` for an account that is not the actor's, `reconnect_needed` for one that is not connected.
 */
export const startGeneration = async (ctx: Ctx<"jobs">, input: GeneratePinsInput): Promise<StartResult> => {
  const accountId = await requireConnectedAccount(ctx, input.accountId);
  const { result, letterIds } = await inTransaction(ctx, (tx) => writeGroup(tx, { ...input, accountId }));
  if (result.kind === "nothing_affordable") return result;
  ctx.log.set({ group_id: result.groupId, tasks: result.totalTasks });
  await callUpTasks(ctx);
  if (letterIds.length > 0) await announceLetters(ctx, letterIds);
  return result;
};

/**
 * One of the actor's groups with its tasks in start order (R-TRK-03, R-TRK-16).
 * @throws AppError `not_found` for any other group.
 */
export const trackGeneration = async (ctx: Ctx, { groupId }: TrackGenerationInput): Promise<TrackedGroup> => {
  const tracked = await findTrackedGroup(ctx, groupId);
  if (tracked.tasks.length === 0) throw new AppError("not_found");
  return tracked;
};

/** What cancelling took back, and what goes on because it had been started. */
interface Cancelled {
  revokedTasks: number;
  returnedCredits: number;
  goingOnTasks: number;
}

const requireOwnGroup = async (tx: Ctx, groupId: string): Promise<void> => {
  const userId = requireUserId(tx);
  const isOwn = and(eq(generationGroups.id, groupId), eq(generationGroups.userId, userId));
  if (!isId("group", groupId) || (await tx.db.$count(generationGroups, isOwn)) === 0) throw new AppError("not_found");
};

/** Revokes what nobody has begun. Whoever begins a task at this moment has it, or finds it revoked: never both. */
const revokeTasks = async (tx: Ctx, groupId: string): Promise<string[]> => {
  const isWaiting = and(
    eq(generationTasks.groupId, groupId),
    eq(generationTasks.status, "PENDING"),
    isNull(generationTasks.startedAt),
    isNull(generationTasks.finishedAt),
  );
  // Locked in the order of their ids, as everybody does who takes several tasks at once.
  const waiting = tx.db
    .select({ id: generationTasks.id })
    .from(generationTasks)
    .where(isWaiting)
    .orderBy(asc(generationTasks.id))
    .for("no key update");
  const revoked = await tx.db
    .update(generationTasks)
    .set({ status: "REVOKED", finishedAt: tx.now() })
    .where(and(inArray(generationTasks.id, waiting), isWaiting))
    .returning({ id: generationTasks.id });
  return revoked.map(({ id }) => id);
};

/**
 * Cancels a running generation (DESIGN §5.2): tasks that nobody has begun are revoked and their credits return, all or
 * none and once (R-SRV-01); begun ones end as they would. Cancelling again takes back what is left, which is nothing.
 * @throws AppError `not_found` for a group that is not the actor's.
 */
export const cancelGeneration = async (ctx: Ctx<"jobs">, { groupId }: CancelGenerationInput): Promise<Cancelled> => {
  const cancelled = await inTransaction(ctx, async (tx) => {
    await requireOwnGroup(tx, groupId);
    const references = await revokeTasks(tx, groupId);
    const settled = await settleReservations(tx, { userId: requireUserId(tx), references, outcome: "release" });
    if (settled.references.length < references.length) {
      throw new AppError("internal", {
        cause: new Error(`Credits of waiting tasks of ${groupId} are settled already.`),
      });
    }
    await closeGroup(tx, groupId);
    const isOpen = and(eq(generationTasks.groupId, groupId), isNull(generationTasks.finishedAt));
    const goingOnTasks = await tx.db.$count(generationTasks, isOpen);
    return { revokedTasks: references.length, returnedCredits: settled.credits, goingOnTasks };
  });
  ctx.log.set({ group_id: groupId, tasks_revoked: cancelled.revokedTasks });
  // Some of them may have been called up already: their seats are free.
  await callUpTasks(ctx);
  return cancelled;
};

/** A user's entries, each with the pin that its credits were for, as long as its task is kept. */
interface CreditHistory {
  entries: (StatementEntry & { pin: ReservedFor | null })[];
  nextCursor: string | null;
}

/**
 * What happened to the actor's credits, newest first, with the keywords of the pins they went to. It stands here, since
 * only this room knows both the ledger and what credits were reserved for; the words are not written into the ledger,
 * which is never changed: a keyword goes with its task, or with its user.
 * @throws AppError `unauthenticated`; `invalid` for a cursor that is not of this list.
 */
export const listCreditEntries = async (ctx: Ctx, input: HistoryInput): Promise<CreditHistory> => {
  const userId = requireUserId(ctx);
  const { entries, nextCursor } = await readStatement(ctx, input);
  const references = entries.flatMap(({ reference }) => (reference === null ? [] : [reference]));
  const pinOf = await findReservedFor(ctx, { userId, taskIds: references });
  return {
    entries: entries.map((entry) => ({ ...entry, pin: (entry.reference && pinOf.get(entry.reference)) || null })),
    nextCursor,
  };
};

/** A group has up to 100 tasks. */
const ERASE_BATCH = 20;

const eraseSome = async (tx: Ctx, userId: UserId): Promise<number> => {
  const groups = await tx.db
    .select({ id: generationGroups.id })
    .from(generationGroups)
    .where(eq(generationGroups.userId, userId))
    .limit(ERASE_BATCH);
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
