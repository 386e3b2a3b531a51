import "server-only";
import { and, eq, inArray, ne, sql } from "drizzle-orm";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import { pins } from "#db/schema/pins.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import { addMs } from "#lib/core/time.ts";
import { requireUserId } from "#lib/features/identity/policy.ts";
import { type Pin, toPin } from "#lib/features/pins/queries.ts";
import { announcePins } from "./announce-pins.ts";
import { START_MAX_AHEAD_MS, TEXTS } from "./constants.ts";
import { planSlots } from "./policy.ts";
import type { ScheduleBatchInput } from "./schema.ts";

/** A batch that was scheduled: when its last pin is due. */
export interface ScheduledBatch {
  lastPublishAt: Date;
}

/** The first slot: now, or the asked time; one that has passed means now. */
const startOf = (tx: Ctx, asked: Date | null): Date => {
  const now = tx.now();
  if (!asked || asked < now) return now;
  if (asked > addMs(now, START_MAX_AHEAD_MS)) throw new AppError("invalid", { text: TEXTS.startInvalid });
  return asked;
};

/** Locks the accounts first, as everybody does, so that none is removed meanwhile; then the pins. */
const lockOwnPins = async (tx: Ctx, ids: string[]): Promise<Pin[]> => {
  const isOwn = and(inArray(pins.id, ids), eq(pins.userId, requireUserId(tx)));
  const accountIds = tx.db.selectDistinct({ id: pins.accountId }).from(pins).where(isOwn);
  const present = await tx.db
    .select({ id: pinterestAccounts.id })
    .from(pinterestAccounts)
    .where(and(inArray(pinterestAccounts.id, accountIds), ne(pinterestAccounts.status, "removed")))
    .orderBy(pinterestAccounts.id)
    .for("share");
  const accounts = present.map(({ id }) => id);
  if (accounts.length === 0) return [];
  const rows = await tx.db
    .select()
    .from(pins)
    .where(and(isOwn, inArray(pins.accountId, accounts)))
    .orderBy(pins.id)
    .for("update");
  return rows.map(toPin);
};

const writeSlots = async (tx: Ctx, slots: { id: string; dueAt: Date }[]): Promise<Pin[]> => {
  const now = tx.now();
  const ids = slots.map(({ id }) => id);
  const dueAt = sql.join(
    slots.map((slot) => sql`when ${slot.id} then ${slot.dueAt.toISOString()}::timestamptz`),
    sql` `,
  );
  const rows = await tx.db
    .update(pins)
    .set({
      status: "scheduled",
      scheduledAt: sql`case ${pins.id} ${dueAt} end`,
      scheduleGeneration: sql`${pins.scheduleGeneration} + 1`,
      batchId: tx.newId("batch"),
      chosenAt: now,
      // Until its event is sent: should that never happen, the sweep comes by soon.
      wakeAt: now,
      sweeps: 0,
      breakdowns: 0,
      reason: null,
      updatedAt: now,
    })
    .where(and(inArray(pins.id, ids), eq(pins.status, "draft")))
    .returning();
  return rows.map(toPin);
};

/**
 * Schedules drafts in the order given, all of them or none (R-SCH-06, R-SCH-09, R-SCH-10, A-34, A-35), and records
 * that the user chose each of them (D9).
 * @throws AppError `not_found` when one is not the actor's; `wrong_state` when one is no draft; `invalid`.
 */
export const scheduleBatch = async (ctx: Ctx<"jobs">, input: ScheduleBatchInput): Promise<ScheduledBatch> => {
  const { scheduled, lastPublishAt } = await inTransaction(ctx, async (tx) => {
    const start = startOf(tx, input.start);
    const slots = planSlots(input.postIds, start, input.intervalMinutes);
    const own = await lockOwnPins(tx, input.postIds);
    if (own.length < input.postIds.length) throw new AppError("not_found");
    if (own.some(({ status }) => status !== "draft")) throw new AppError("wrong_state", { text: TEXTS.notDraft });
    const written = await writeSlots(tx, slots);
    if (written.length < slots.length) throw new AppError("wrong_state", { text: TEXTS.notDraft });
    return { scheduled: written, lastPublishAt: slots.at(-1)?.dueAt ?? start };
  });
  ctx.log.set({ pins_scheduled: scheduled.length });
  await announcePins(
    ctx,
    scheduled.map(({ id, accountId, scheduleGeneration }) => ({ pinId: id, accountId, scheduleGeneration })),
  );
  return { lastPublishAt };
};
