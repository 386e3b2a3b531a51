import "server-only";
import type { Ctx } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import { SECOND_MS } from "#lib/core/time.ts";
import { createLiveReads } from "#lib/features/accounts/accounts.ts";
import { toProviderError } from "#lib/features/accounts/policy.ts";
import type { OwnedAccount } from "#lib/features/accounts/queries.ts";
import type {
  FiguresAnswer,
  PinterestAccountFigures,
  PinterestDay,
  PinterestTopPin,
} from "#lib/integrations/pinterest/port.ts";
import { type Metric, TEXTS, TOP_PINS } from "./constants.ts";
import { callPinterest } from "./pinterest-calls.ts";
import { addFigures, checkRange, type DayRange, NO_FIGURES, rangeBefore, twinsBefore } from "./policy.ts";
import { findPublished, type PublishedPin, requireConnected } from "./queries.ts";
import type { AccountResultsInput, TopPinsInput } from "./schema.ts";

/** What Pinterest told, and when it was asked. */
interface Told<T> {
  value: T;
  askedAt: Date;
}

/**
 * Asks Pinterest while somebody waits, within the calls that an account has in a minute.
 * @throws AppError `reconnect_needed`, `refused`, `provider_unavailable`, also where the calls are used up.
 */
const askLive = async <T>(
  ctx: Ctx<"pinterest">,
  account: OwnedAccount,
  call: (accessToken: string) => Promise<FiguresAnswer<T>>,
): Promise<Told<T>> => {
  const answer = await callPinterest(ctx, { accountId: account.id, purpose: "screen" }, call);
  if (answer.kind === "problem") throw toProviderError(answer.problem);
  if (answer.kind === "ok") return { value: answer.value, askedAt: answer.askedAt };
  const retryAfterSeconds = Math.ceil(answer.afterMs / SECOND_MS);
  throw new AppError("provider_unavailable", { text: TEXTS.callsUsedUp, retryAfterSeconds });
};

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

/** One of Pinterest's best pins, with ours that it is. */
export interface TopPin extends PinterestTopPin {
  own: PublishedPin | null;
}

export interface TopPins {
  input: TopPinsInput;
  /** The best first. */
  pins: TopPin[];
  askedAt: Date;
}

const SORTS: Record<Metric, keyof PinterestAccountFigures> = {
  impressions: "impressions",
  engagements: "engagements",
  pin_clicks: "pinClicks",
  outbound_clicks: "outboundClicks",
  saves: "saves",
};

const topReads = createLiveReads<Told<PinterestTopPin[]>>();

/**
 * Pinterest's best pins of one of the actor's accounts in some days, those made elsewhere among them; read live and
 * kept for at most a minute (A-83, D8).
 * @throws AppError `not_found`, `invalid` for days that Pinterest does not tell of, `reconnect_needed`,
 * `provider_unavailable`, `refused`.
 */
export const readTopPins = async (ctx: Ctx<"pinterest">, input: TopPinsInput): Promise<TopPins> => {
  const account = await requireConnected(ctx, input.accountId);
  const { firstDay, lastDay, sortBy } = input;
  checkRange(input, ctx.now());
  const asked = { firstDay, lastDay, sortBy: SORTS[sortBy], count: TOP_PINS };
  const told = await topReads.read(ctx, `${account.id} ${firstDay} ${lastDay} ${sortBy}`, () =>
    askLive(ctx, account, (accessToken) => ctx.pinterest.readTopPins(accessToken, asked)),
  );
  const best = told.value.slice(0, TOP_PINS);
  const ids = best.map(({ pinterestPinId }) => pinterestPinId);
  const own = new Map((await findPublished(ctx, account.id, ids)).map((pin) => [pin.pinterestPinId, pin]));
  const pins = best.map((pin) => ({ ...pin, own: own.get(pin.pinterestPinId) ?? null }));
  return { input, pins, askedAt: told.askedAt };
};
