import "server-only";
import { and, asc, eq, inArray, ne } from "drizzle-orm";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import { pins } from "#db/schema/pins.ts";
import { bulkSubmissions } from "#db/schema/submissions.ts";
import { isAnyOf } from "#db/sql.ts";
import type { Ctx } from "#lib/context.ts";
import { AppError, requireUserId, toAppError } from "#lib/core/errors.ts";
import { listBoards } from "#lib/features/accounts/accounts.ts";
import type { OwnedAccountId } from "#lib/features/accounts/queries.ts";
import { TEXTS } from "./constants.ts";
import { findSubmission, isVisible, type Pin, requireOwnedPin, toPin } from "./queries.ts";
import { type EditDraftsInput, partName } from "./schema.ts";

/** Locks an account until the transaction ends, so that it cannot be removed. @throws AppError `not_found` */
export const lockAccount = async (tx: Ctx, accountId: OwnedAccountId): Promise<void> => {
  const present = await tx.db
    .select({ id: pinterestAccounts.id })
    .from(pinterestAccounts)
    .where(and(eq(pinterestAccounts.id, accountId), ne(pinterestAccounts.status, "removed")))
    .for("share");
  if (present.length === 0) throw new AppError("not_found");
};

interface LockPinsInput {
  pinIds: readonly string[];
  isDeleted?: boolean;
}

/**
 * Locks first their accounts, then the pins by id, to avoid deadlocks; returns them in the order of `pinIds`.
 * @throws AppError `not_found` when one is missing, another user's, of a removed account, or not in the wanted state
 */
export const lockPins = async (tx: Ctx, { pinIds, isDeleted = false }: LockPinsInput): Promise<Pin[]> => {
  const isOwn = and(isAnyOf(pins.id, pinIds), eq(pins.userId, requireUserId(tx)));
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
    .where(and(isOwn, inArray(pins.accountId, accounts), isDeleted ? eq(pins.status, "deleted") : isVisible))
    .orderBy(asc(pins.id))
    .for("update");
  const locked = new Map<string, Pin>(rows.map((row) => [row.id, toPin(row)]));
  const found = pinIds.flatMap((id) => locked.get(id) ?? []);
  if (found.length < pinIds.length) throw new AppError("not_found");
  return found;
};

interface CheckedBoards {
  accountId: string;
  boardIds: readonly string[];
  /** Each board belongs to one row of a form, and errors name the row. */
  isPerRow?: boolean;
}

/** The ids of the account's boards, or null while Pinterest does not respond. */
const readBoards = async (ctx: Ctx<"pinterest">, accountId: string): Promise<Set<string> | null> => {
  try {
    return new Set((await listBoards(ctx, { accountId })).map(({ id }) => id));
  } catch (thrown) {
    const error = toAppError(thrown);
    if (error.code !== "provider_unavailable" && error.code !== "provider_failed") throw error;
    ctx.log.set({ boards_problem: error.code });
    return null;
  }
};

const boardProblem = (at: number, isRow: boolean) =>
  isRow
    ? { text: `Pin ${at + 1}: ${TEXTS.boardForeign}`, field: partName(at) }
    : { text: TEXTS.boardForeign, field: "boardId" };

/** Passes while Pinterest is down: publishing checks again. @throws AppError `invalid`, `reconnect_needed` */
export const checkBoards = async (
  ctx: Ctx<"pinterest">,
  { accountId, boardIds, isPerRow = false }: CheckedBoards,
): Promise<void> => {
  const boards = await readBoards(ctx, accountId);
  const wrong = boards ? boardIds.findIndex((id) => !boards.has(id)) : -1;
  if (wrong < 0) return;
  const { text, field } = boardProblem(wrong, isPerRow);
  throw new AppError("invalid", { text, fields: { [field]: [text] } });
};

/** Checks the board of a change. Calls Pinterest, so run it before the transaction. @throws AppError */
export const checkChange = async (ctx: Ctx<"pinterest">, { pinIds, change }: EditDraftsInput): Promise<void> => {
  const { boardId } = change;
  if (boardId === undefined) return;
  const { pin } = await requireOwnedPin(ctx, pinIds[0] ?? "");
  await checkBoards(ctx, { accountId: pin.accountId, boardIds: [boardId] });
};

/** Waits for a concurrent one with this key; null for a new key. @throws AppError `wrong_state` for other content */
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
