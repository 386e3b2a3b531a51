import "server-only";
import { type Ctx, databaseTime } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import { addMs } from "#lib/core/time.ts";
import { KNOWN_PINS_MAX, START_MAX_AHEAD_MS, TEXTS, TWIN_WINDOW_MS } from "./constants.ts";
import { findClashes, type Slot } from "./find-clashes.ts";
import { findFreeStart } from "./find-free-start.ts";
import { findTwins } from "./find-twins.ts";
import { planStart } from "./plan-start.ts";
import { planSlots } from "./policy.ts";
import { toPreview } from "./present.ts";
import { findOwnPins, findPublished, findWaiting, type KnownPin, type PlannedPin } from "./queries.ts";
import type { PreviewWire, ScheduleBatchInput } from "./schema.ts";

/** The caller's drafts in the order given. @throws AppError as scheduling them would. */
const requireDrafts = async (ctx: Ctx, postIds: readonly string[]): Promise<PlannedPin[]> => {
  const found = await findOwnPins(ctx, postIds);
  const own = new Map<string, PlannedPin>(found.map((pin) => [pin.id, pin]));
  const planned = postIds.flatMap((id) => own.get(id) ?? []);
  if (planned.length < postIds.length) throw new AppError("not_found");
  if (planned.some(({ status }) => status !== "draft")) throw new AppError("wrong_state", { text: TEXTS.notDraft });
  return planned;
};

/** None where the plan would reach beyond what was read, or begin too far ahead. */
const freeStartOf = (slots: readonly Slot[], waiting: readonly KnownPin[], now: Date): Date | null => {
  const start = findFreeStart(slots, waiting);
  const [first, last, lastRead] = [slots[0], slots.at(-1), waiting.at(-1)];
  if (!start || !first || !last || start > addMs(now, START_MAX_AHEAD_MS)) return null;
  const ends = addMs(last.dueAt, start.getTime() - first.dueAt.getTime());
  return waiting.length < KNOWN_PINS_MAX || (lastRead && ends < lastRead.at) ? start : null;
};

/**
 * What scheduling drafts like this would mean: each pin's time, scheduled pins of the account that are closer than five
 * minutes with a later start that is clear of them, and what is nearly the same as a pin of the last 90 days or an
 * earlier one of the plan. Changes nothing; bounded whatever the account holds.
 * @throws AppError as `scheduleBatch` would: `not_found`, `wrong_state`, `invalid`.
 */
export const previewSchedule = async (ctx: Ctx, input: ScheduleBatchInput): Promise<PreviewWire> => {
  const now = await databaseTime(ctx);
  const start = planStart(input.start, now);
  const planned = await requireDrafts(ctx, input.postIds);
  const accountIds = [...new Set(planned.map(({ accountId }) => accountId))];
  const [waiting, published] = await Promise.all([
    findWaiting(ctx, accountIds),
    findPublished(ctx, { accountIds, since: addMs(now, -TWIN_WINDOW_MS) }),
  ]);
  const slots = planSlots(planned, start, input.intervalMinutes).map(({ id: pin, dueAt }) => ({ ...pin, dueAt }));
  const clashes = findClashes(slots, waiting);
  const twins = await findTwins(planned, [...waiting, ...published]);
  return toPreview({
    start,
    slots,
    clashes,
    twins,
    freeStart: clashes.size > 0 ? freeStartOf(slots, waiting, now) : null,
  });
};
