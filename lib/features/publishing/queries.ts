import "server-only";
import { and, count, desc, eq, gt, gte, inArray, isNotNull, isNull, lt, lte, max, ne, or, sql } from "drizzle-orm";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import { pins } from "#db/schema/pins.ts";
import { publishAttempts } from "#db/schema/publishing.ts";
import type { Ctx } from "#lib/context.ts";
import { requireUserId } from "#lib/core/errors.ts";
import type { AccountId } from "#lib/core/ids.ts";
import { type Attempt, type Pin, toOwnAttempt, toPin } from "#lib/features/pins/queries.ts";
import { KNOWN_PINS_MAX } from "./constants.ts";
import { isOnItsWay, isSameContent } from "./policy.ts";
import type { PinAttempt, ScheduledPin } from "./schema.ts";

/** What publishing needs to know of an account; never its tokens. */
export interface PublishingAccount {
  id: AccountId;
  status: "connected" | "reconnect_needed" | "removed";
  pausedUntil: Date | null;
}

const readAccount = async (ctx: Ctx, id: AccountId): Promise<PublishingAccount> => {
  const [account] = await ctx.db
    .select({ status: pinterestAccounts.status, pausedUntil: pinterestAccounts.pausedUntil })
    .from(pinterestAccounts)
    .where(eq(pinterestAccounts.id, id));
  // The foreign key sees to it that it exists.
  return { id, status: account?.status ?? "removed", pausedUntil: account?.pausedUntil ?? null };
};

/** A scheduled pin, its row locked until the transaction ends, with its account and its open attempt. */
export interface Locked {
  pin: Pin;
  account: PublishingAccount;
  open: Attempt | null;
}

/** Locks a pin if it is still scheduled as the run knows it, else null: then the run is over. */
export const lockScheduledPin = async (
  tx: Ctx,
  { pinId, scheduleGeneration }: ScheduledPin,
): Promise<Locked | null> => {
  const [row] = await tx.db.select().from(pins).where(eq(pins.id, pinId)).for("update");
  if (row?.status !== "scheduled" || row.scheduleGeneration !== scheduleGeneration) return null;
  const pin = toPin(row);
  // Statements of their own, so that they see what was committed while the lock was waited for.
  const [[open], account] = await Promise.all([
    tx.db
      .select()
      .from(publishAttempts)
      .where(and(eq(publishAttempts.pinId, pinId), ne(publishAttempts.state, "settled"))),
    readAccount(tx, pin.accountId),
  ]);
  return { pin, account, open: open ? toOwnAttempt(open) : null };
};

/** A pin with an attempt and its account, unlocked; null when there is no such attempt. */
export const findAttempt = async (
  ctx: Ctx,
  { attemptId }: Pick<PinAttempt, "attemptId">,
): Promise<{ pin: Pin; attempt: Attempt; account: PublishingAccount } | null> => {
  const [row] = await ctx.db
    .select({
      pin: pins,
      attempt: publishAttempts,
      account: { status: pinterestAccounts.status, pausedUntil: pinterestAccounts.pausedUntil },
    })
    .from(publishAttempts)
    .innerJoin(pins, eq(pins.id, publishAttempts.pinId))
    .innerJoin(pinterestAccounts, eq(pinterestAccounts.id, pins.accountId))
    .where(eq(publishAttempts.id, attemptId));
  if (!row) return null;
  const pin = toPin(row.pin);
  return { pin, attempt: toOwnAttempt(row.attempt), account: { id: pin.accountId, ...row.account } };
};

/** When a search for one of the account's unclear pins last failed; null when none of them did. */
export const findLastFailedLook = async (ctx: Ctx, accountId: AccountId): Promise<Date | null> => {
  const [row] = await ctx.db
    .select({ at: max(publishAttempts.lookedAt) })
    .from(publishAttempts)
    .innerJoin(pins, eq(pins.id, publishAttempts.pinId))
    .where(
      and(eq(pins.accountId, accountId), eq(publishAttempts.state, "calling"), gt(publishAttempts.lookFailures, 0)),
    );
  return row?.at ?? null;
};

const PLANNED_COLUMNS = {
  id: pins.id,
  accountId: pins.accountId,
  status: pins.status,
  title: pins.title,
  imageKey: pins.imageKey,
  likeness: pins.likeness,
};

/** A pin that somebody thinks of scheduling. */
export type PlannedPin = Pick<Pin, keyof typeof PLANNED_COLUMNS>;

/** The actor's pins with these ids, of accounts that are not removed; in no order. */
export const findOwnPins = async (ctx: Ctx, ids: readonly string[]): Promise<PlannedPin[]> => {
  const rows = await ctx.db
    .select(PLANNED_COLUMNS)
    .from(pins)
    .innerJoin(pinterestAccounts, eq(pinterestAccounts.id, pins.accountId))
    .where(
      and(
        inArray(pins.id, [...ids]),
        eq(pins.userId, requireUserId(ctx)),
        ne(pinterestAccounts.status, "removed"),
        isNull(pins.deletedAt),
      ),
    );
  // Rows of this table hold ids that `createId` made.
  return rows as PlannedPin[];
};

/** A pin that others are compared with. `at`: when it goes or went out. */
export interface KnownPin {
  accountId: AccountId;
  title: string;
  imageKey: string;
  likeness: string | null;
  status: "scheduled" | "published";
  at: Date;
}

type KnownRow = Omit<KnownPin, "status" | "accountId" | "at"> & { accountId: string; at: Date | null };

const toKnown = (rows: readonly KnownRow[], status: KnownPin["status"]): KnownPin[] =>
  rows.flatMap(({ at, ...row }) => (at ? [{ ...row, accountId: row.accountId as AccountId, at, status }] : []));

const KNOWN_COLUMNS = {
  accountId: pins.accountId,
  title: pins.title,
  imageKey: pins.imageKey,
  likeness: pins.likeness,
};

/** Scheduled pins of accounts by their time, at most so many as a preview reads. */
export const findWaiting = async (ctx: Ctx, accountIds: readonly AccountId[]): Promise<KnownPin[]> => {
  const rows = await ctx.db
    .select({ ...KNOWN_COLUMNS, at: pins.scheduledAt })
    .from(pins)
    .where(and(inArray(pins.accountId, [...accountIds]), eq(pins.status, "scheduled")))
    .orderBy(pins.scheduledAt)
    .limit(KNOWN_PINS_MAX);
  return toKnown(rows, "scheduled");
};

/**
 * Pins that accounts have published since then, newest first, at most so many as a preview reads. The state stands in the
 * statement itself, as in the index that holds just these.
 */
export const findPublished = async (
  ctx: Ctx,
  { accountIds, since }: { accountIds: readonly AccountId[]; since: Date },
): Promise<KnownPin[]> => {
  const isRecent = and(sql`${pins.status} = 'published'`, gte(pins.publishedAt, since));
  const rows = await ctx.db
    .select({ ...KNOWN_COLUMNS, at: pins.publishedAt })
    .from(pins)
    .where(and(inArray(pins.accountId, [...accountIds]), isRecent))
    .orderBy(desc(pins.publishedAt))
    .limit(KNOWN_PINS_MAX);
  return toKnown(rows, "published");
};

/** How many due pins of the account stand before this one. */
export const countAhead = async (ctx: Ctx, pin: Pin & { scheduledAt: Date }): Promise<number> => {
  const isEarlier = or(
    lt(pins.scheduledAt, pin.scheduledAt),
    and(eq(pins.scheduledAt, pin.scheduledAt), lt(pins.id, pin.id)),
  );
  const [row] = await ctx.db
    .select({ ahead: count() })
    .from(pins)
    .where(
      and(eq(pins.accountId, pin.accountId), eq(pins.status, "scheduled"), lte(pins.scheduledAt, ctx.now()), isEarlier),
    );
  return row?.ahead ?? 0;
};

/** Whether a call for another pin of the same content may still be on its way to the same board. */
export const hasTwinOnItsWay = async (ctx: Ctx, pin: Pin): Promise<boolean> => {
  const rows = await ctx.db
    .select({ pin: pins, attempt: publishAttempts })
    .from(publishAttempts)
    .innerJoin(pins, eq(pins.id, publishAttempts.pinId))
    .where(
      and(
        eq(pins.accountId, pin.accountId),
        eq(pins.boardId, pin.boardId),
        ne(pins.id, pin.id),
        eq(publishAttempts.state, "calling"),
        isNotNull(publishAttempts.calledAt),
        isNull(publishAttempts.answeredAt),
      ),
    );
  return rows.some((row) => isSameContent(row.pin, pin) && isOnItsWay(row.attempt, ctx.now()));
};

/** Which of these Pinterest ids are on a receipt of ours already. */
export const findIdsOnReceipts = async (ctx: Ctx, ids: readonly string[]): Promise<Set<string>> => {
  if (ids.length === 0) return new Set();
  const [published, answered] = await Promise.all([
    ctx.db
      .select({ id: pins.pinterestPinId })
      .from(pins)
      .where(inArray(pins.pinterestPinId, [...ids])),
    ctx.db
      .select({ id: publishAttempts.pinterestPinId })
      .from(publishAttempts)
      .where(inArray(publishAttempts.pinterestPinId, [...ids])),
  ]);
  return new Set([...published, ...answered].flatMap(({ id }) => (id === null ? [] : [id])));
};

/** The condition under which nobody seems to be working on a scheduled pin any more. */
export const isForgotten = (now: Date, graceMs: number) =>
  and(
    eq(pins.status, "scheduled"),
    lt(pins.wakeAt, new Date(now.getTime() - graceMs)),
    // Pins of an account that must be connected again wait for that; a removed account's are brought to an end.
    sql`exists (select 1 from ${pinterestAccounts} where ${pinterestAccounts.id} = ${pins.accountId}
      and ${pinterestAccounts.status} <> 'reconnect_needed')`,
  );
