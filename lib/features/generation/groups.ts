import "server-only";
import { and, asc, eq, inArray, isNull } from "drizzle-orm";
import { generationGroups, generationTasks } from "#db/schema/generation.ts";
import { isAnyOf } from "#db/sql.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { AppError, requireUserId } from "#lib/core/errors.ts";
import { type EmailId, type GroupId, isId, type UserId } from "#lib/core/ids.ts";
import { type OwnedAccountId, requireOwnedAccount } from "#lib/features/accounts/queries.ts";
import { countSpending } from "#lib/features/api-keys/spending.ts";
import { COST_CREDITS, type PinQuality } from "#lib/features/credits/constants.ts";
import type { ReservedFor } from "#lib/features/credits/policy.ts";
import { reserveCredits, settleReservations } from "#lib/features/credits/reservations.ts";
import type { HistoryInput } from "#lib/features/credits/schema.ts";
import { readStatement, type StatementEntry } from "#lib/features/credits/statement.ts";
import { requestDelivery } from "#lib/features/email/delivery.ts";
import { claimSubmission, type Submission, submissionOf } from "#lib/features/pins/guards.ts";
import { markImagesForDeletion } from "#lib/features/pins/images.ts";
import { findSubmission } from "#lib/features/pins/queries.ts";
import { imageState } from "#lib/features/pins/schema.ts";
import { requireImageRights } from "#lib/features/sites/rights.ts";
import { imageKeyOf } from "./images.ts";
import { leftOutWarning } from "./policy.ts";
import { findReservedFor, findTrackedGroup, type TrackedGroup } from "./queries.ts";
import type { CancelGenerationInput, GeneratePinsInput, KeywordRow, TrackGenerationInput } from "./schema.ts";
import { dispatchTasks } from "./task-queue.ts";
import { closeGroup } from "./tasks.ts";

export type StartResult =
  | { kind: "started"; groupId: GroupId; totalTasks: number; warning: string | null }
  | { kind: "nothing_affordable"; warning: string };

const requireConnectedAccount = async (ctx: Ctx, id: string): Promise<OwnedAccountId> => {
  const account = await requireOwnedAccount(ctx, id);
  if (account.status !== "connected") throw new AppError("reconnect_needed");
  return account.id;
};

/** With the page's own image only the text is generated, which costs what a standard pin costs. */
const costOf = ({ imageSource }: KeywordRow, quality: PinQuality): number =>
  COST_CREDITS[imageSource === "page" ? "standard" : quality];

/** Only the tasks that the credits cover, in the order of the rows. */
const writeGroup = async (
  tx: Ctx,
  input: Omit<GeneratePinsInput, "accountId"> & { accountId: OwnedAccountId },
  submission: Submission | null,
): Promise<{ result: StartResult; emailIds: EmailId[] }> => {
  const { accountId, boardId, boardSectionId, quality, unreadPage, variants = 1 } = input;
  const rows = input.rows.flatMap((row) => Array.from({ length: variants }, (_, at) => ({ ...row, variant: at + 1 })));
  const userId = requireUserId(tx);
  const planned = rows.map((row) => ({ ...row, id: tx.newId("task"), costCredits: costOf(row, quality) }));
  const lots = planned.map(({ id, costCredits: cost }) => ({ reference: id, costCredits: cost }));
  const { reserved, availableCredits, emailIds, leftOut } = await reserveCredits(tx, { userId, lots });
  if (reserved === 0 && leftOut === "email_unconfirmed") throw new AppError("email_unconfirmed");
  const hadCredits = availableCredits + lots.slice(0, reserved).reduce((sum, lot) => sum + lot.costCredits, 0);
  const requested = rows.length;
  const warning = leftOutWarning({
    ...{ requested, started: reserved, availableCredits: hadCredits, leftOut },
    // The first row is the one that the credits didn't cover when none was started.
    costCredits: lots[0]?.costCredits ?? COST_CREDITS[quality],
    counted: variants > 1 ? "pin" : "keyword",
  });
  if (reserved === 0) return { result: { kind: "nothing_affordable", warning: warning ?? "" }, emailIds };
  await countSpending(
    tx,
    lots.slice(0, reserved).reduce((sum, lot) => sum + lot.costCredits, 0),
  );
  const groupId = tx.newId("group");
  const createdAt = tx.now();
  // A concurrent request with this key was first: this one reserves nothing, and finds its group when it is repeated.
  const isFirst = !submission || (await claimSubmission(tx, { ...submission, pinIds: [groupId] })) === null;
  if (!isFirst) throw new AppError("write_in_progress", { retryAfterSeconds: 1 });
  await tx.db.insert(generationGroups).values({
    id: groupId,
    userId,
    accountId,
    boardId,
    boardSectionId,
    quality,
    unreadPage,
    totalTasks: reserved,
    createdAt,
  });
  const started = planned.slice(0, reserved);
  await tx.db.insert(generationTasks).values(
    started.map(({ id, keyword, variant, url, imageSource, costCredits: cost }, position) => {
      const task = {
        ...{ id, groupId, userId, position, keyword, variant, url },
        costCredits: cost,
        ...(imageSource && { imageSource }),
      };
      return { ...task, status: "PENDING" as const, wakeAt: createdAt, createdAt };
    }),
  );
  return { result: { kind: "started", groupId, totalTasks: reserved, warning }, emailIds };
};

const findStarted = async (ctx: Ctx, submission: Submission | null): Promise<StartResult | null> => {
  const [groupId] = (submission && (await findSubmission(ctx, submission))) ?? [];
  if (!groupId) return null;
  const { tasks } = await findTrackedGroup(ctx, groupId);
  return { kind: "started", groupId: groupId as GroupId, totalTasks: tasks.length, warning: null };
};

/**
 * @param writeKey names the request, so that a repeated one starts nothing
 * @throws AppError `not_found` for another user's account; `reconnect_needed`; `email_unconfirmed`; `refused` without the
 * user's word that they may use a page's image; `wrong_state` for a key used with other content
 */
export const startGeneration = async (
  ctx: Ctx<"jobs">,
  input: GeneratePinsInput,
  writeKey: string | null = null,
): Promise<StartResult> => {
  const submission = submissionOf(writeKey && `generation:${writeKey}`, input);
  const earlier = await findStarted(ctx, submission);
  if (earlier) return earlier;
  const accountId = await requireConnectedAccount(ctx, input.accountId);
  const ofPages = input.rows.filter(({ imageSource }) => imageSource === "page");
  await requireImageRights(
    ctx,
    ofPages.flatMap(({ url }) => url ?? []),
  );
  // The same request may have started while this one waited for the balance, and used up the credits.
  const { result, emailIds } = await inTransaction(ctx, (tx) =>
    writeGroup(tx, { ...input, accountId }, submission),
  ).catch(async (error: unknown) => {
    const started = await findStarted(ctx, submission);
    if (!started) throw error;
    return { result: started, emailIds: [] };
  });
  if (result.kind === "nothing_affordable") return (await findStarted(ctx, submission)) ?? result;
  ctx.log.set({ group_id: result.groupId, tasks: result.totalTasks });
  await dispatchTasks(ctx);
  if (emailIds.length > 0) await requestDelivery(ctx, emailIds);
  return result;
};

/** @throws AppError `not_found` for another user's group */
export const trackGeneration = async (ctx: Ctx, { groupId }: TrackGenerationInput): Promise<TrackedGroup> => {
  const tracked = await findTrackedGroup(ctx, groupId);
  if (tracked.tasks.length === 0) throw new AppError("not_found");
  return tracked;
};

interface CanceledGeneration {
  revokedTasks: number;
  returnedCredits: number;
  continuingTasks: number;
}

const requireOwnGroup = async (tx: Ctx, groupId: string): Promise<void> => {
  const userId = requireUserId(tx);
  const isOwn = and(eq(generationGroups.id, groupId), eq(generationGroups.userId, userId));
  if (!isId("group", groupId) || (await tx.db.$count(generationGroups, isOwn)) === 0) throw new AppError("not_found");
};

/** A task that starts concurrently is either started or revoked, never both. */
const revokeTasks = async (tx: Ctx, groupId: string): Promise<string[]> => {
  const isWaiting = and(
    eq(generationTasks.groupId, groupId),
    eq(generationTasks.status, "PENDING"),
    isNull(generationTasks.startedAt),
    isNull(generationTasks.finishedAt),
  );
  // All code that locks several tasks does so in id order, to avoid deadlocks.
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

/** One transaction; started tasks continue. Idempotent. @throws AppError `not_found` for another user's group */
export const cancelGeneration = async (
  ctx: Ctx<"jobs">,
  { groupId }: CancelGenerationInput,
): Promise<CanceledGeneration> => {
  const canceled = await inTransaction(ctx, async (tx) => {
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
    const continuingTasks = await tx.db.$count(generationTasks, isOpen);
    return { revokedTasks: references.length, returnedCredits: settled.credits, continuingTasks };
  });
  ctx.log.set({ group_id: groupId, tasks_revoked: canceled.revokedTasks });
  // Revoked tasks may have been dispatched, so others can take their turn.
  await dispatchTasks(ctx);
  return canceled;
};

/** `pin` is null once its task was deleted. */
interface CreditHistory {
  entries: (StatementEntry & { pin: ReservedFor | null })[];
  nextCursor: string | null;
}

/**
 * Keywords are not in the append-only ledger, so that they disappear with their task or user.
 * @throws AppError `unauthenticated`; `invalid` for a cursor of another list
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

/** In groups, each of which has up to 100 tasks. */
const ERASE_BATCH = 20;

const eraseBatch = async (tx: Ctx, userId: UserId): Promise<number> => {
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
    .where(isAnyOf(generationTasks.groupId, ids));
  // An image may be in storage even if its task does not know it.
  const replacedKeys = tasks.flatMap(({ replaced }) => {
    const before = imageState.safeParse(replaced).data;
    return before ? [before.imageKey, before.baseImageKey] : [];
  });
  const imageKeys = [...tasks.map(({ id }) => imageKeyOf(tx, id)), ...replacedKeys.filter((key) => key !== null)];
  await markImagesForDeletion(tx, { imageKeys, erasedUserId: userId });
  await tx.db.delete(generationGroups).where(isAnyOf(generationGroups.id, ids));
  return ids.length;
};

/** No task may still be running. */
export const eraseGroups = async (ctx: Ctx, { userId }: { userId: UserId }): Promise<void> => {
  while ((await inTransaction(ctx, (tx) => eraseBatch(tx, userId))) > 0);
};
