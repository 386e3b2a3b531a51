import "server-only";
import { and, asc, eq, inArray, ne } from "drizzle-orm";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import { pins } from "#db/schema/pins.ts";
import { bulkSubmissions } from "#db/schema/submissions.ts";
import type { Ctx } from "#lib/context.ts";
import { AppError, requireUserId, toAppError } from "#lib/core/errors.ts";
import { listBoards } from "#lib/features/accounts/accounts.ts";
import type { OwnedAccountId } from "#lib/features/accounts/queries.ts";
import { TEXTS } from "./constants.ts";
import { findSubmission, isShown, type Pin, requireOwnedPin, toPin } from "./queries.ts";
import { type EditDraftsInput, partName } from "./schema.ts";

/** Locks an account until the transaction ends, so that nobody removes it meanwhile. @throws AppError `not_found` */
export const lockAccount = async (tx: Ctx, accountId: OwnedAccountId): Promise<void> => {
  const present = await tx.db
    .select({ id: pinterestAccounts.id })
    .from(pinterestAccounts)
    .where(and(eq(pinterestAccounts.id, accountId), ne(pinterestAccounts.status, "removed")))
    .for("share");
  if (present.length === 0) throw new AppError("not_found");
};

interface Asked {
  /** From outside, each once. */
  pinIds: readonly string[];
  /** Those that were deleted and can still come back, instead of those that are shown. */
  isDeleted?: boolean;
}

/**
 * Locks pins of the actor until the transaction ends: their accounts first, as everybody does, so that none is removed
 * meanwhile, then the pins in the order of their ids. @returns them in the order asked.
 * @throws AppError `not_found` when one is foreign, absent, of a removed account, or deleted (not deleted, if asked so).
 */
export const lockPins = async (tx: Ctx, { pinIds, isDeleted = false }: Asked): Promise<Pin[]> => {
  const isOwn = and(inArray(pins.id, [...pinIds]), eq(pins.userId, requireUserId(tx)));
  const accountIds = tx.db.selectDistinct({ id: pins.accountId }).from(pins).where(isOwn);
  const present = await tx.db
    .select({ id: pinterestAccounts.id })
    .from(pinterestAccounts)
    .where(and(inArray(pinterestAccounts.id, accountIds), ne(pinterestAccounts.status, "removed")))
    .orderBy(asc(pinterestAccounts.id))
    .for("share");
  const accounts = present.map(({ id }) => id);
  if (accounts.length === 0) throw new AppError("not_found");
  const rows = await tx.db
    .select()
    .from(pins)
    .where(and(isOwn, inArray(pins.accountId, accounts), isDeleted ? eq(pins.status, "deleted") : isShown))
    .orderBy(asc(pins.id))
    .for("update");
  const locked = new Map<string, Pin>(rows.map((row) => [row.id, toPin(row)]));
  const asked = pinIds.flatMap((id) => locked.get(id) ?? []);
  if (asked.length < pinIds.length) throw new AppError("not_found");
  return asked;
};

interface CheckedBoards {
  accountId: string;
  boardIds: readonly string[];
  /** Each board is that of one row of a form. */
  isOfRows?: boolean;
}

/** Boards of the account, or null while Pinterest does not tell them. */
const readBoards = async (ctx: Ctx<"pinterest">, accountId: string): Promise<Set<string> | null> => {
  try {
    return new Set((await listBoards(ctx, { accountId })).map(({ id }) => id));
  } catch (thrown) {
    const error = toAppError(thrown);
    if (error.code !== "provider_unavailable" && error.code !== "provider_failed") throw error;
    ctx.log.set({ boards_unread: error.code });
    return null;
  }
};

/** Sentences about rows of a form name them as the form does: from 1. */
const faultOf = (at: number, isOfRow: boolean) =>
  isOfRow
    ? { text: `Pin ${at + 1}: ${TEXTS.boardForeign}`, field: partName(at) }
    : { text: TEXTS.boardForeign, field: "boardId" };

/**
 * Sees to it that drafts are for boards of the account (R-BULK-04). While Pinterest does not answer they are taken as
 * they are: a board may be gone by the time of publishing anyhow, and that is where it counts.
 * @throws AppError `invalid` when a board is another's, naming the row if they are of rows; `reconnect_needed`.
 */
export const checkBoards = async (
  ctx: Ctx<"pinterest">,
  { accountId, boardIds, isOfRows = false }: CheckedBoards,
): Promise<void> => {
  const boards = await readBoards(ctx, accountId);
  const wrong = boards ? boardIds.findIndex((id) => !boards.has(id)) : -1;
  if (wrong < 0) return;
  const { text, field } = faultOf(wrong, isOfRows);
  throw new AppError("invalid", { text, fields: { [field]: [text] } });
};

/**
 * Asks Pinterest whether the board of a change is one of the pins' account. Stands before the transaction of the change.
 * @throws AppError `not_found` when the first pin is not the actor's; `invalid`; `reconnect_needed`.
 */
export const checkChange = async (ctx: Ctx<"pinterest">, { pinIds, change }: EditDraftsInput): Promise<void> => {
  const { boardId } = change;
  if (boardId === undefined) return;
  const { pin } = await requireOwnedPin(ctx, pinIds[0] ?? "");
  await checkBoards(ctx, { accountId: pin.accountId, boardIds: [boardId] });
};

/**
 * Writes down what pins a submission makes; belongs into the transaction that makes them. Waits for another one under
 * the same key. @returns null when this is the first; else the pins that the earlier one made.
 * @throws AppError `wrong_state` when the earlier one had another content.
 */
export const claimSubmission = async (
  tx: Ctx,
  submission: { key: string; digest: string; pinIds: string[] },
): Promise<string[] | null> => {
  const claimed = await tx.db
    .insert(bulkSubmissions)
    .values({ ...submission, userId: requireUserId(tx), createdAt: tx.now() })
    .onConflictDoNothing()
    .returning({ key: bulkSubmissions.key });
  return claimed.length > 0 ? null : findSubmission(tx, submission);
};
