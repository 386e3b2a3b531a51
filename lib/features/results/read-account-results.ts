import "server-only";
import type { Ctx } from "#lib/context.ts";
import { createLiveReads } from "#lib/features/accounts/create-live-reads.ts";
import type { PinterestAccountFigures, PinterestDay } from "#lib/integrations/pinterest/port.ts";
import { askLive, type Told } from "./ask-live.ts";
import { addFigures, checkRange, type DayRange, NO_FIGURES, rangeBefore, twinsBefore } from "./policy.ts";
import { requireConnected } from "./queries.ts";
import type { AccountResultsInput } from "./schema.ts";

type Day = PinterestDay<PinterestAccountFigures>;

/** What an account did in some days, each of them in order, and as many final days before. */
export interface AccountResults {
  input: AccountResultsInput;
  days: Day[];
  /** The last day that is final; null while none is. */
  readyThrough: string | null;
  sums: PinterestAccountFigures;
  before: (DayRange & { sums: PinterestAccountFigures }) | null;
  askedAt: Date;
}

const accountReads = createLiveReads<Told<Day[]>>();

const sumOf = (days: readonly Day[]): PinterestAccountFigures =>
  days.reduce((sum, { figures }) => (figures ? addFigures(sum, figures) : sum), NO_FIGURES);

/**
 * What one of the actor's accounts did, read live for both periods in one call and kept for at most a minute
 * (A-83, D8). Only final days are summed, and before as many, each so many days earlier as the range is long.
 * @throws AppError `not_found`, `invalid` for days that Pinterest does not tell of, `reconnect_needed`,
 * `provider_unavailable`, `refused`.
 */
export const readAccountResults = async (
  ctx: Ctx<"pinterest">,
  input: AccountResultsInput,
): Promise<AccountResults> => {
  const account = await requireConnected(ctx, input.accountId);
  checkRange(input, ctx.now());
  const before = rangeBefore(input, ctx.now());
  const span = { firstDay: before?.firstDay ?? input.firstDay, lastDay: input.lastDay };
  const told = await accountReads.read(ctx, `${account.id} ${span.firstDay} ${span.lastDay}`, () =>
    askLive(ctx, account, (accessToken) => ctx.pinterest.readAccountAnalytics(accessToken, span)),
  );
  const days = told.value.filter(({ date }) => date >= input.firstDay);
  const ready = days.filter(({ status }) => status === "ready");
  const twins = before && twinsBefore(ready, input);
  return {
    ...{ input, days, readyThrough: ready.at(-1)?.date ?? null, sums: sumOf(ready) },
    before: before && { ...before, sums: sumOf(told.value.filter(({ date }) => twins?.has(date))) },
    askedAt: told.askedAt,
  };
};
