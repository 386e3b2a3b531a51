import "server-only";
import { setImmediate } from "node:timers/promises";
import { sql } from "drizzle-orm";
import { planOverrides } from "#db/schema/planning.ts";
import { type Ctx, databaseTime } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import type { AccountId } from "#lib/core/ids.ts";
import { addMs, toIso, toIsoOrNull } from "#lib/core/time.ts";
import { TEXTS as PIN_TEXTS } from "#lib/features/pins/constants.ts";
import { requireOwnedPin } from "#lib/features/pins/queries.ts";
import { planStart } from "#lib/features/publishing/free-times.ts";
import { findConnectionEnds, findOwnPins, type PlannedPin } from "#lib/features/publishing/queries.ts";
import { previewSchedule, renewalDueOf, requireDrafts } from "#lib/features/publishing/schedule-preview.ts";
import { type ScheduledBatch, scheduleAt } from "#lib/features/publishing/scheduling.ts";
import type { ScheduleBatchInput, ScheduledWire } from "#lib/features/publishing/schema.ts";
import { toScheduled } from "#lib/features/publishing/serializers.ts";
import { NO_RULES, PLAN_LEAD_MS, PLAN_SEED, TEXTS } from "./constants.ts";
import { checkInOrder, findBreaches, type PlanPin, type PlanRules, plan } from "./planner.ts";
import { presetOf } from "./policy.ts";
import { findAccountOf, findHistories, findOverrides, findPaces, hasNewerSchedule } from "./queries.ts";
import type {
  ApplyPlanInput,
  CheckTimesInput,
  PacedPreviewWire,
  PaceWarningWire,
  PlanNotesInput,
  PlanNoteWire,
  PlanWire,
  ProposePlanInput,
} from "./schema.ts";
import { toBreachWire, toPlannedSlot } from "./serializers.ts";

/** The account of drafts that are planned together. @throws AppError `invalid` when they belong to several */
const requireOneAccount = (drafts: readonly PlannedPin[]): AccountId => {
  const [first, ...others] = new Set(drafts.map(({ accountId }) => accountId));
  if (!first || others.length > 0) throw new AppError("invalid", { text: PIN_TEXTS.accountsDiffer });
  return first;
};

/**
 * A plan for drafts of one account, by the account's pace. Changes nothing.
 * @throws AppError `not_found`; `wrong_state` when one is not a draft; `invalid` for several accounts, and for a past
 * or too late time
 */
export const proposePlan = async (ctx: Ctx, input: ProposePlanInput): Promise<PlanWire> => {
  const now = await databaseTime(ctx);
  const start = input.start ? planStart(input.start, now) : addMs(now, PLAN_LEAD_MS);
  for (const at of input.chosen.values()) planStart(at, now);
  const drafts = await requireDrafts(ctx, input.pinIds);
  const accountId = requireOneAccount(drafts);
  const pace = (await findPaces(ctx, [accountId]))(accountId);
  const history = (await findHistories(ctx, new Map([[accountId, pace]]), now))(accountId);
  const rules: PlanRules = { ...pace, left: new Set(input.leftOut) };
  const { chosen } = input;
  const made = plan(drafts, history, { ...rules, start, seed: PLAN_SEED, chosen }, now);
  const byId = new Map(drafts.map((pin) => [pin.id as string, pin]));
  const timed = made.placements.flatMap(({ id, at }) => {
    const pin = byId.get(id);
    return pin ? [{ pin, at }] : [];
  });
  const breaches = chosen.size > 0 ? findBreaches(timed, history, rules, now) : null;
  const planned = made.placements.map(({ at }) => ({ accountId, dueAt: at }));
  return {
    planned_at: toIso(now),
    time_zone: pace.timeZone,
    preset: presetOf(pace.numbers),
    numbers: pace.numbers,
    slots: made.placements.map((placed) => toPlannedSlot(placed, breaches?.get(placed.id) ?? [])),
    unplaced: made.unplaced.map(({ id, rule }) => ({ post_id: id, rule })),
    renewal_due: toIsoOrNull(renewalDueOf(planned, await findConnectionEnds(ctx, [accountId]))),
  };
};

/** Two plans for an account at the same time: the later one waits here and then sees the earlier one's pins. */
const lockPlans = async (tx: Ctx, accountId: AccountId): Promise<void> => {
  await tx.db.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`plan:${accountId}`}, 0))`);
};

const keepOverrides = async (tx: Ctx, { batchId }: ScheduledBatch, input: ApplyPlanInput): Promise<void> => {
  const accountId = await findAccountOf(
    tx,
    input.slots.map(({ id }) => id),
  );
  if (!accountId) throw new AppError("invalid", { text: PIN_TEXTS.accountsDiffer });
  await lockPlans(tx, accountId);
  if (await hasNewerSchedule(tx, { accountId, batchId, since: input.plannedAt })) {
    throw new AppError("wrong_state", { text: TEXTS.changedMeanwhile });
  }
  if (input.leftOut.length === 0) return;
  const createdAt = tx.now();
  await tx.db
    .insert(planOverrides)
    .values(input.leftOut.map(({ rule, reason }) => ({ batchId, rule, accountId, reason, createdAt })));
};

/**
 * Schedules the drafts for exactly these times, all or none, and keeps why rules were left out.
 * @throws AppError as `scheduleAt`; `invalid` for several accounts; `wrong_state` when other pins of the account were
 * scheduled since the plan was made
 */
export const applyPlan = async (ctx: Ctx<"jobs">, input: ApplyPlanInput): Promise<ScheduledWire> =>
  toScheduled(await scheduleAt(ctx, input.slots, (tx, batch) => keepOverrides(tx, batch, input)));

/** A pin, possibly one that doesn't exist yet, and the time that it would get. */
interface TimedPin {
  accountId: AccountId;
  pin: PlanPin;
  at: Date;
}

/** Pins that are compared before other requests get their turn. */
const PINS_PER_TURN = 50;

/** Where times break the pace of their accounts. Callers must have checked ownership. */
export const findWarnings = async (ctx: Ctx, slots: readonly TimedPin[]): Promise<PaceWarningWire[]> => {
  if (slots.length === 0) return [];
  const now = await databaseTime(ctx);
  const byAccount = Map.groupBy(slots, ({ accountId }) => accountId);
  const paceOf = await findPaces(ctx, [...byAccount.keys()]);
  const accounts = new Map([...byAccount.keys()].map((id) => [id, paceOf(id)]));
  const historyOf = await findHistories(ctx, accounts, now, new Set(slots.map(({ pin }) => pin.id)));
  const warnings: PaceWarningWire[] = [];
  let checked = 0;
  for (const [accountId, own] of byAccount) {
    const pace = paceOf(accountId);
    for (const { id, found } of checkInOrder(own, historyOf(accountId), { ...pace, left: NO_RULES }, now)) {
      if (found.length > 0) warnings.push({ post_id: id, numbers: pace.numbers, breaches: found.map(toBreachWire) });
      checked += 1;
      if (checked % PINS_PER_TURN === 0) await setImmediate();
    }
  }
  return warnings;
};

/** The preview of a fixed interval, with a warning where it breaks an account's pace. Its times don't change. */
export const previewWithPace = async (ctx: Ctx, input: ScheduleBatchInput): Promise<PacedPreviewWire> => {
  const [preview, drafts] = await Promise.all([previewSchedule(ctx, input), requireDrafts(ctx, input.pinIds)]);
  const byId = new Map<string, PlannedPin>(drafts.map((pin) => [pin.id, pin]));
  const slots = preview.slots.flatMap(({ post_id, due_at }) => {
    const pin = byId.get(post_id);
    return pin ? [{ accountId: pin.accountId, pin, at: new Date(due_at) }] : [];
  });
  return { ...preview, pace: await findWarnings(ctx, slots) };
};

/** Where times break the pace, for drafts and pins that move. Changes nothing. @throws AppError `not_found` */
export const checkTimes = async (ctx: Ctx, times: CheckTimesInput): Promise<PaceWarningWire[]> => {
  const found = await findOwnPins(ctx, [...times.keys()]);
  if (found.length < times.size) throw new AppError("not_found");
  const slots = found.flatMap((pin) => {
    const at = times.get(pin.id);
    return at ? [{ accountId: pin.accountId, pin, at }] : [];
  });
  return findWarnings(ctx, slots);
};

/** The rules that were left out of the plan of a pin. @throws AppError `not_found` for another user's pin */
export const readPlanNotes = async (ctx: Ctx, { pinId }: PlanNotesInput): Promise<PlanNoteWire[]> => {
  const { pin } = await requireOwnedPin(ctx, pinId);
  return pin.batchId === null ? [] : findOverrides(ctx, pin.batchId);
};
