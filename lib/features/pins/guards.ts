import "server-only";
import { and, asc, eq, inArray, ne } from "drizzle-orm";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import { pins } from "#db/schema/pins.ts";
import { bulkSubmissions } from "#db/schema/submissions.ts";
import { isAnyOf } from "#db/sql.ts";
import type { Ctx } from "#lib/context.ts";
import { sha256 } from "#lib/core/crypto.ts";
import { AppError, requireUserId, toAppError } from "#lib/core/errors.ts";
import { forgetPlaces, listBoards, listSections } from "#lib/features/accounts/accounts.ts";
import type { OwnedAccountId } from "#lib/features/accounts/queries.ts";
import { TEXTS } from "./constants.ts";
import { placeIn } from "./policy.ts";
import { findSubmission, isVisible, type Pin, requireOwnedPin, toPin } from "./queries.ts";
import { type EditDraftsInput, type Place, partName } from "./schema.ts";

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
    .where(and(isOwn, isAnyOf(pins.accountId, accounts), isDeleted ? eq(pins.status, "deleted") : isVisible))
    .orderBy(asc(pins.id))
    .for("update");
  const locked = new Map<string, Pin>(rows.map((row) => [row.id, toPin(row)]));
  const found = pinIds.flatMap((id) => locked.get(id) ?? []);
  if (found.length < pinIds.length) throw new AppError("not_found");
  return found;
};

interface AccountPlaces {
  accountId: string;
  places: readonly Place[];
}

const readIds = async (ctx: Ctx, list: () => Promise<readonly { id: string }[]>): Promise<Set<string> | null> => {
  try {
    return new Set((await list()).map(({ id }) => id));
  } catch (thrown) {
    const error = toAppError(thrown);
    if (error.code !== "provider_unavailable" && error.code !== "provider_failed") throw error;
    ctx.log.set({ boards_problem: error.code });
    return null;
  }
};

/** The index of the first place whose section its board lacks, or -1. */
const findWrongSection = async (ctx: Ctx<"pinterest">, { accountId, places }: AccountPlaces): Promise<number> => {
  const boardIds = new Set(places.flatMap(({ boardId, boardSectionId }) => (boardSectionId ? [boardId] : [])));
  for (const boardId of boardIds) {
    const sections = await readIds(ctx, () => listSections(ctx, { accountId, boardId }));
    // Pinterest is down: each further board would wait for it as well.
    if (!sections) return -1;
    const isWrong = (place: Place) =>
      place.boardId === boardId && place.boardSectionId !== null && !sections.has(place.boardSectionId);
    const wrong = places.findIndex(isWrong);
    if (wrong >= 0) return wrong;
  }
  return -1;
};

interface WrongPlace {
  at: number;
  field: keyof Place;
  text: string;
}

const findUnlisted = async (ctx: Ctx<"pinterest">, input: AccountPlaces): Promise<WrongPlace | null> => {
  const boards = await readIds(ctx, () => listBoards(ctx, input));
  const board = boards ? input.places.findIndex(({ boardId }) => !boards.has(boardId)) : -1;
  if (board >= 0) return { at: board, field: "boardId", text: TEXTS.boardForeign };
  const section = await findWrongSection(ctx, input);
  return section < 0 ? null : { at: section, field: "boardSectionId", text: TEXTS.sectionForeign };
};

/**
 * The first place that the account does not have; none while Pinterest is down: publishing checks again.
 * @throws AppError `reconnect_needed`
 */
export const findWrongPlace = async (ctx: Ctx<"pinterest">, input: AccountPlaces): Promise<WrongPlace | null> => {
  if (!(await findUnlisted(ctx, input))) return null;
  // The lists are kept for a minute in each process, and another one may have created the place since.
  forgetPlaces(
    input.accountId,
    input.places.map(({ boardId }) => boardId),
  );
  return findUnlisted(ctx, input);
};

/** `isPerRow`: each place belongs to one row of a form, and errors name the row. @throws AppError `invalid` as well */
export const checkPlaces = async (
  ctx: Ctx<"pinterest">,
  { isPerRow = false, ...input }: AccountPlaces & { isPerRow?: boolean },
): Promise<void> => {
  const wrong = await findWrongPlace(ctx, input);
  if (!wrong) return;
  const text = isPerRow ? `Pin ${wrong.at + 1}: ${wrong.text}` : wrong.text;
  throw new AppError("invalid", { text, fields: { [isPerRow ? partName(wrong.at) : wrong.field]: [text] } });
};

/** Checks the board of a change. Calls Pinterest, so run it before the transaction. @throws AppError */
export const checkChange = async (ctx: Ctx<"pinterest">, { pinIds, change }: EditDraftsInput): Promise<void> => {
  const place = placeIn(change);
  if (!place) return;
  const { pin } = await requireOwnedPin(ctx, pinIds[0] ?? "");
  await checkPlaces(ctx, { accountId: pin.accountId, places: [place] });
};

/** A write that a client may repeat. */
export interface Submission {
  key: string;
  digest: string;
}

/** `content`: what makes two requests the same. Null without a key. */
export const submissionOf = (key: string | null | undefined, content: unknown): Submission | null =>
  key ? { key, digest: sha256(JSON.stringify(content)) } : null;

/** Waits for a concurrent one with this key; null for a new key. @throws AppError `wrong_state` for other content */
export const claimSubmission = async (
  tx: Ctx,
  submission: Submission & { pinIds: string[] },
): Promise<string[] | null> => {
  const claimed = await tx.db
    .insert(bulkSubmissions)
    .values({ ...submission, userId: requireUserId(tx), createdAt: tx.now() })
    .onConflictDoNothing()
    .returning({ key: bulkSubmissions.key });
  return claimed.length > 0 ? null : findSubmission(tx, submission);
};
