import "server-only";
import type { Ctx } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import { SECOND_MS } from "#lib/core/time.ts";
import { createReadCache } from "#lib/features/accounts/accounts.ts";
import { toProviderError } from "#lib/features/accounts/policy.ts";
import type { OwnedAccount } from "#lib/features/accounts/queries.ts";
import type {
  MetricsAnswer,
  PinterestAccountMetrics,
  PinterestDay,
  PinterestTopPin,
} from "#lib/integrations/pinterest/port.ts";
import { type Metric, TEXTS, TOP_PINS } from "./constants.ts";
import { callPinterest } from "./pinterest-calls.ts";
import { addAccountSums, checkRange, type DayRange, matchingDaysBefore, NO_METRICS, rangeBefore } from "./policy.ts";
import { findPublished, type PublishedPin, requireConnected } from "./queries.ts";
import type { AccountAnalyticsInput, TopPinsInput } from "./schema.ts";

interface LiveAnswer<T> {
  value: T;
  requestedAt: Date;
}

/** @throws AppError `reconnect_needed`, `refused`, `provider_unavailable`, also when the rate limit is used up. */
const readLive = async <T>(
  ctx: Ctx<"pinterest">,
  account: OwnedAccount,
  call: (accessToken: string) => Promise<MetricsAnswer<T>>,
): Promise<LiveAnswer<T>> => {
  const answer = await callPinterest(ctx, { accountId: account.id, purpose: "screen" }, call);
  if (answer.kind === "problem") throw toProviderError(answer.problem);
  if (answer.kind === "ok") return { value: answer.value, requestedAt: answer.requestedAt };
  const retryAfterSeconds = Math.ceil(answer.afterMs / SECOND_MS);
  throw new AppError("provider_unavailable", { text: TEXTS.callsUsedUp, retryAfterSeconds });
};

type Day = PinterestDay<PinterestAccountMetrics>;

export interface AccountAnalytics {
  input: AccountAnalyticsInput;
  days: Day[];
  /** The last final day; null when none is. */
  readyThrough: string | null;
  sums: PinterestAccountMetrics;
  before: (DayRange & { sums: PinterestAccountMetrics }) | null;
  requestedAt: Date;
}

const accountReads = createReadCache<LiveAnswer<Day[]>>();

const sumOf = (days: readonly Day[]): PinterestAccountMetrics =>
  days.reduce((sum, { metrics }) => (metrics ? addAccountSums(sum, metrics) : sum), NO_METRICS);

/** Sums: final days. @throws AppError `not_found`, `invalid`, `reconnect_needed`, `provider_unavailable`, `refused` */
export const readAccountAnalytics = async (
  ctx: Ctx<"pinterest">,
  input: AccountAnalyticsInput,
): Promise<AccountAnalytics> => {
  const account = await requireConnected(ctx, input.accountId);
  checkRange(input, ctx.now());
  const before = rangeBefore(input, ctx.now());
  const span = { firstDay: before?.firstDay ?? input.firstDay, lastDay: input.lastDay };
  const answer = await accountReads.read(ctx, `${account.id} ${span.firstDay} ${span.lastDay}`, () =>
    readLive(ctx, account, (accessToken) => ctx.pinterest.readAccountAnalytics(accessToken, span)),
  );
  const days = answer.value.filter(({ date }) => date >= input.firstDay);
  const ready = days.filter(({ status }) => status === "ready");
  const duplicates = before && matchingDaysBefore(ready, input);
  return {
    ...{ input, days, readyThrough: ready.at(-1)?.date ?? null, sums: sumOf(ready) },
    before: before && { ...before, sums: sumOf(answer.value.filter(({ date }) => duplicates?.has(date))) },
    requestedAt: answer.requestedAt,
  };
};

export interface TopPin extends PinterestTopPin {
  own: PublishedPin | null;
}

export interface TopPins {
  input: TopPinsInput;
  pins: TopPin[];
  requestedAt: Date;
}

const SORTS: Record<Metric, keyof PinterestAccountMetrics> = {
  impressions: "impressions",
  engagements: "engagements",
  pin_clicks: "pinClicks",
  outbound_clicks: "outboundClicks",
  saves: "saves",
};

const topReads = createReadCache<LiveAnswer<PinterestTopPin[]>>();

/** Includes pins made elsewhere. @throws AppError as `readAccountAnalytics` */
export const readTopPins = async (ctx: Ctx<"pinterest">, input: TopPinsInput): Promise<TopPins> => {
  const account = await requireConnected(ctx, input.accountId);
  const { firstDay, lastDay, sortBy } = input;
  checkRange(input, ctx.now());
  const request = { firstDay, lastDay, sortBy: SORTS[sortBy], count: TOP_PINS };
  const answer = await topReads.read(ctx, `${account.id} ${firstDay} ${lastDay} ${sortBy}`, () =>
    readLive(ctx, account, (accessToken) => ctx.pinterest.readTopPins(accessToken, request)),
  );
  const best = answer.value.slice(0, TOP_PINS);
  const ids = best.map(({ pinterestPinId }) => pinterestPinId);
  const own = new Map((await findPublished(ctx, account.id, ids)).map((pin) => [pin.pinterestPinId, pin]));
  const pins = best.map((pin) => ({ ...pin, own: own.get(pin.pinterestPinId) ?? null }));
  return { input, pins, requestedAt: answer.requestedAt };
};
