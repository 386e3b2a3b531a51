import "server-only";
import { and, desc, eq, gt, gte, isNotNull, isNull, max, ne, sql } from "drizzle-orm";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import { pins } from "#db/schema/pins.ts";
import { publishAttempts } from "#db/schema/publishing.ts";
import { isAnyOf, preparedOnce } from "#db/sql.ts";
import type { Ctx } from "#lib/context.ts";
import { requireUserId } from "#lib/core/errors.ts";
import type { AccountId } from "#lib/core/ids.ts";
import { type Attempt, type Pin, toOwnAttempt, toPin } from "#lib/features/pins/queries.ts";
import { KNOWN_PINS_MAX } from "./constants.ts";
import { isInFlight, isSameContent, type PinContent } from "./policy.ts";
import type { PinAttempt, ScheduledPin } from "./schema.ts";

/** What publishing needs to know about an account; never its tokens. */
export interface PublishingAccount {
  id: AccountId;
  status: "connected" | "reconnect_needed" | "removed";
  pausedUntil: Date | null;
}

/** A scheduled pin, locked until the transaction ends, with its account and open attempt. */
export interface Locked {
  pin: Pin;
  account: PublishingAccount;
  open: Attempt | null;
}

const lockStatement = preparedOnce((db) =>
  db
    .select()
    .from(pins)
    .where(eq(pins.id, sql.placeholder("pinId")))
    .for("update")
    .prepare("lock_pin"),
);

const accountStatement = preparedOnce((db) =>
  db
    .select({
      account: { status: pinterestAccounts.status, pausedUntil: pinterestAccounts.pausedUntil },
      open: publishAttempts,
    })
    .from(pinterestAccounts)
    .leftJoin(
      publishAttempts,
      and(eq(publishAttempts.pinId, sql.placeholder("pinId")), ne(publishAttempts.state, sql`'settled'`)),
    )
    .where(eq(pinterestAccounts.id, sql.placeholder("accountId")))
    .prepare("publishing_account"),
);

/** Locks a pin that is still scheduled under this generation; otherwise null, and the run is over. */
export const lockScheduledPin = async (
  tx: Ctx,
  { pinId, scheduleGeneration }: ScheduledPin,
): Promise<Locked | null> => {
  const [row] = await lockStatement(tx.db).execute({ pinId });
  if (row?.status !== "scheduled" || row.scheduleGeneration !== scheduleGeneration) return null;
  const pin = toPin(row);
  // A separate statement, so that it sees what was committed while waiting for the lock.
  const [found] = await accountStatement(tx.db).execute({ pinId, accountId: pin.accountId });
  const account: PublishingAccount = {
    id: pin.accountId,
    status: found?.account.status ?? "removed",
    pausedUntil: found?.account.pausedUntil ?? null,
  };
  return { pin, account, open: found?.open ? toOwnAttempt(found.open) : null };
};

const attemptStatement = preparedOnce((db) =>
  db
    .select({
      pin: pins,
      attempt: publishAttempts,
      account: { status: pinterestAccounts.status, pausedUntil: pinterestAccounts.pausedUntil },
    })
    .from(publishAttempts)
    .innerJoin(pins, eq(pins.id, publishAttempts.pinId))
    .innerJoin(pinterestAccounts, eq(pinterestAccounts.id, pins.accountId))
    .where(eq(publishAttempts.id, sql.placeholder("attemptId")))
    .prepare("attempt"),
);

/** An attempt with its pin and account, unlocked; null when there is none. */
export const findAttempt = async (
  ctx: Ctx,
  { attemptId }: Pick<PinAttempt, "attemptId">,
): Promise<{ pin: Pin; attempt: Attempt; account: PublishingAccount } | null> => {
  const [row] = await attemptStatement(ctx.db).execute({ attemptId });
  if (!row) return null;
  const pin = toPin(row.pin);
  return { pin, attempt: toOwnAttempt(row.attempt), account: { id: pin.accountId, ...row.account } };
};

/** When a board check for one of the account's unknown outcomes last failed; null when none did. */
export const findLastFailedBoardCheck = async (ctx: Ctx, accountId: AccountId): Promise<Date | null> => {
  const [row] = await ctx.db
    .select({ at: max(publishAttempts.boardCheckedAt) })
    .from(publishAttempts)
    .innerJoin(pins, eq(pins.id, publishAttempts.pinId))
    .where(
      and(
        eq(pins.accountId, accountId),
        eq(publishAttempts.state, "calling"),
        gt(publishAttempts.failedBoardChecks, 0),
      ),
    );
  return row?.at ?? null;
};

const PLANNED_COLUMNS = {
  id: pins.id,
  accountId: pins.accountId,
  status: pins.status,
  title: pins.title,
  link: pins.link,
  imageKey: pins.imageKey,
  likeness: pins.likeness,
};

export type PlannedPin = Pick<Pin, keyof typeof PLANNED_COLUMNS>;

/** The user's own pins among these ids, without those of removed accounts; unordered. */
export const findOwnPins = async (ctx: Ctx, ids: readonly string[]): Promise<PlannedPin[]> => {
  const rows = await ctx.db
    .select(PLANNED_COLUMNS)
    .from(pins)
    .innerJoin(pinterestAccounts, eq(pinterestAccounts.id, pins.accountId))
    .where(
      and(
        isAnyOf(pins.id, ids),
        eq(pins.userId, requireUserId(ctx)),
        ne(pinterestAccounts.status, "removed"),
        isNull(pins.deletedAt),
      ),
    );
  return rows as PlannedPin[];
};

/** A pin that planned pins are compared with. `at`: when it goes out or went out. */
export interface KnownPin {
  id: string;
  accountId: AccountId;
  title: string;
  link: string | null;
  imageKey: string;
  likeness: string | null;
  status: "scheduled" | "published";
  at: Date;
  /** When publishing looks at a scheduled pin next, which is later than `at` for one that waits its turn. */
  wakeAt: Date | null;
}

type KnownRow = Omit<KnownPin, "status" | "accountId" | "at"> & { accountId: string; at: Date | null };

const toKnown = (rows: readonly KnownRow[], status: KnownPin["status"]): KnownPin[] =>
  rows.flatMap(({ at, ...row }) => (at ? [{ ...row, accountId: row.accountId as AccountId, at, status }] : []));

const KNOWN_COLUMNS = {
  id: pins.id,
  accountId: pins.accountId,
  title: pins.title,
  link: pins.link,
  imageKey: pins.imageKey,
  likeness: pins.likeness,
  wakeAt: pins.wakeAt,
};

/** Scheduled pins of these accounts by time, up to `KNOWN_PINS_MAX`. */
export const findScheduled = async (ctx: Ctx, accountIds: readonly AccountId[]): Promise<KnownPin[]> => {
  const rows = await ctx.db
    .select({ ...KNOWN_COLUMNS, at: pins.scheduledAt })
    .from(pins)
    .where(and(isAnyOf(pins.accountId, accountIds), eq(pins.status, "scheduled")))
    .orderBy(pins.scheduledAt)
    .limit(KNOWN_PINS_MAX);
  return toKnown(rows, "scheduled");
};

/** Published pins since then, newest first, up to `KNOWN_PINS_MAX`. The literal status matches the partial index. */
export const findPublished = async (
  ctx: Ctx,
  { accountIds, since }: { accountIds: readonly AccountId[]; since: Date },
): Promise<KnownPin[]> => {
  const isRecent = and(sql`${pins.status} = 'published'`, gte(pins.publishedAt, since));
  const rows = await ctx.db
    .select({ ...KNOWN_COLUMNS, at: pins.publishedAt })
    .from(pins)
    .where(and(isAnyOf(pins.accountId, accountIds), isRecent))
    .orderBy(desc(pins.publishedAt))
    .limit(KNOWN_PINS_MAX);
  return toKnown(rows, "published");
};

/** When the refresh tokens of these accounts expire. */
export const findConnectionEnds = async (ctx: Ctx, accountIds: readonly AccountId[]): Promise<Map<string, Date>> => {
  const rows = await ctx.db
    .select({ id: pinterestAccounts.id, endsAt: pinterestAccounts.refreshExpiresAt })
    .from(pinterestAccounts)
    .where(and(isAnyOf(pinterestAccounts.id, accountIds), eq(pinterestAccounts.status, "connected")));
  return new Map(rows.flatMap(({ id, endsAt }) => (endsAt ? [[id, endsAt]] : [])));
};

/** Whether a call for another pin with the same content may be in flight to the same board. */
export const hasDuplicateInFlight = async (ctx: Ctx, pin: Pin): Promise<boolean> => {
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
  return rows.some((row) => isSameContent(row.pin, pin) && isInFlight(row.attempt, ctx.now()));
};

/** The content of other pins with open attempts on the pin's board. */
export const findOpenSiblings = (ctx: Ctx, pin: Pin): Promise<PinContent[]> =>
  ctx.db
    .select({ title: pins.title, description: pins.description, link: pins.link })
    .from(publishAttempts)
    .innerJoin(pins, eq(pins.id, publishAttempts.pinId))
    .where(
      and(
        sql`${publishAttempts.state} <> 'settled'`,
        eq(pins.accountId, pin.accountId),
        eq(pins.boardId, pin.boardId),
        ne(pins.id, pin.id),
      ),
    );

/** Which of these Pinterest pin ids an attempt or pin of ours already recorded. */
export const findRecordedPinIds = async (ctx: Ctx, ids: readonly string[]): Promise<Set<string>> => {
  if (ids.length === 0) return new Set();
  const [published, answered] = await Promise.all([
    ctx.db.select({ id: pins.pinterestPinId }).from(pins).where(isAnyOf(pins.pinterestPinId, ids)),
    ctx.db
      .select({ id: publishAttempts.pinterestPinId })
      .from(publishAttempts)
      .where(isAnyOf(publishAttempts.pinterestPinId, ids)),
  ]);
  return new Set([...published, ...answered].flatMap(({ id }) => (id === null ? [] : [id])));
};
