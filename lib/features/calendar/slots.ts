import "server-only";
import { and, eq, gte } from "drizzle-orm";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import { postingSlots } from "#db/schema/calendar.ts";
import { pins } from "#db/schema/pins.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import { localTimeOf } from "#lib/core/zoned-time.ts";
import { requireOwnedAccount } from "#lib/features/accounts/queries.ts";
import type { Dimension } from "#lib/features/analytics/constants.ts";
import { isAbove, others, recentSpan } from "#lib/features/analytics/policy.ts";
import { readReport } from "#lib/features/analytics/report.ts";
import { SLOT_SEARCH_DAYS, SLOT_TAKEN_MINUTES, TEXTS } from "./constants.ts";
import { addDays, daysProblem, nextFreeSlots, suggestSlots, type TimeResult } from "./policy.ts";
import type {
  PlannedSlotWire,
  PlanSlotsInput,
  PostingSlot,
  SaveSlotsInput,
  SetAccountTimeZoneInput,
  SuggestedSlotsWire,
  SuggestSlotsInput,
} from "./schema.ts";

/** By weekday and time. Callers must have checked ownership. */
export const findSlots = (ctx: Ctx, accountId: string): Promise<PostingSlot[]> =>
  ctx.db
    .select({ weekday: postingSlots.weekday, minute: postingSlots.minute })
    .from(postingSlots)
    .where(eq(postingSlots.accountId, accountId))
    .orderBy(postingSlots.weekday, postingSlots.minute);

/** Replaces all slots of an account. @throws AppError `not_found` */
export const saveSlots = async (ctx: Ctx, { accountId, slots }: SaveSlotsInput): Promise<PostingSlot[]> => {
  const { id } = await requireOwnedAccount(ctx, accountId);
  await inTransaction(ctx, async (tx) => {
    // One save at a time, so that two never leave the slots of both.
    await tx.db
      .select({ id: pinterestAccounts.id })
      .from(pinterestAccounts)
      .where(eq(pinterestAccounts.id, id))
      .for("update");
    await tx.db.delete(postingSlots).where(eq(postingSlots.accountId, id));
    if (slots.length > 0)
      await tx.db
        .insert(postingSlots)
        .values(slots.map((slot) => ({ ...slot, accountId: id })))
        .onConflictDoNothing();
  });
  return findSlots(ctx, id);
};

/** Null: the account follows its user's time zone. Scheduled pins keep their instants. @throws AppError `not_found` */
export const setAccountTimeZone = async (
  ctx: Ctx,
  { accountId, timeZone }: SetAccountTimeZoneInput,
): Promise<{ timeZone: string | null }> => {
  const { id } = await requireOwnedAccount(ctx, accountId);
  await ctx.db.update(pinterestAccounts).set({ timeZone }).where(eq(pinterestAccounts.id, id));
  return { timeZone };
};

const SUGGESTION_DAYS = 90;

/** The hours (0 to 23) or ISO weekdays (1 to 7) whose click rate is above the others' by more than luck. */
const betterTimes = async (
  ctx: Ctx,
  { accountId, timeZone }: SuggestSlotsInput,
  by: Extract<Dimension, "hour" | "weekday">,
): Promise<TimeResult[]> => {
  const input = { accountId, ...recentSpan(ctx.now(), SUGGESTION_DAYS), by };
  const { groups, totals } = await readReport(ctx, input, timeZone);
  const known = groups.filter(({ key, isUndecided }) => key !== "" && !isUndecided);
  return known.map(({ key, sums }) => ({
    value: Number(key),
    isBetter: isAbove(sums, others(totals, sums), known.length),
  }));
};

/** From the account's results where they are more than luck, else default times. Saves nothing. */
export const suggestAccountSlots = async (ctx: Ctx, input: SuggestSlotsInput): Promise<SuggestedSlotsWire> => {
  const { timeZone } = await requireOwnedAccount(ctx, input.accountId);
  const own = { ...input, timeZone: timeZone ?? input.timeZone };
  const hours = await betterTimes(ctx, own, "hour");
  const weekdays = await betterTimes(ctx, own, "weekday");
  // ISO counts Sunday as 7.
  const fromSunday = weekdays.map(({ value, isBetter }) => ({ value: value % 7, isBetter }));
  const isFromResults = [...hours, ...weekdays].some(({ isBetter }) => isBetter);
  return { slots: suggestSlots(hours, fromSunday), isFromResults };
};

const refuse = (field: keyof PlanSlotsInput, text: string): AppError =>
  new AppError("invalid", { text, fields: { [field]: [text] } });

/**
 * The next free slots for pins, in their order; with a last day, the last pins may get none. Changes nothing: the user
 * confirms the times, and `movePins` saves them.
 * @throws AppError `not_found`; `invalid` for days that have passed, are too far ahead, or in the wrong order, and
 * without slots or enough free ones
 */
export const planIntoSlots = async (ctx: Ctx, input: PlanSlotsInput): Promise<PlannedSlotWire[]> => {
  const { id, timeZone } = await requireOwnedAccount(ctx, input.accountId);
  const [slots, now] = [await findSlots(ctx, id), ctx.now()];
  if (slots.length === 0) throw refuse("accountId", TEXTS.slotsMissing);
  const since = new Date(now.getTime() - SLOT_TAKEN_MINUTES * 60_000);
  const scheduled = await ctx.db
    .select({ at: pins.scheduledAt })
    .from(pins)
    .where(and(eq(pins.accountId, id), eq(pins.status, "scheduled"), gte(pins.scheduledAt, since)));
  const zone = timeZone ?? input.timeZone;
  const today = localTimeOf(now, zone).date;
  const { spreadDays, pinIds } = input;
  const problem = daysProblem(input.firstDay ?? today, input.lastDay, today);
  if (problem) throw refuse(input.lastDay === null ? "firstDay" : "lastDay", problem);
  const firstDay = input.firstDay !== null && input.firstDay > today ? input.firstDay : today;
  const lastDay = input.lastDay ?? addDays(today, SLOT_SEARCH_DAYS);
  const taken = scheduled.flatMap(({ at }) => at ?? []);
  const found = nextFreeSlots({ slots, zone, now, firstDay, lastDay, count: pinIds.length, taken, spreadDays });
  if (input.lastDay !== null && found.length === 0) throw refuse("lastDay", TEXTS.noFreeSlotsThen);
  if (input.lastDay === null && found.length < pinIds.length) throw refuse("pinIds", TEXTS.noFreeSlots);
  return found.map(({ at, clock }, index) => ({ post_id: pinIds[index] ?? "", at: at.toISOString(), clock }));
};
