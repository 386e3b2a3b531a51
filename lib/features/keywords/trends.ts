import "server-only";
import type { Ctx } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import { addMs, MINUTE_MS, msUntil, SECOND_MS } from "#lib/core/time.ts";
import { withAccessToken } from "#lib/features/accounts/access-tokens.ts";
import { createReadCache } from "#lib/features/accounts/accounts.ts";
import { RELATED_TERMS_SCOPE } from "#lib/features/accounts/constants.ts";
import { toProviderError } from "#lib/features/accounts/policy.ts";
import { hasScope, type OwnedAccount, type OwnedAccountId } from "#lib/features/accounts/queries.ts";
import { type Group, plainKeyword, recentSpan } from "#lib/features/analytics/policy.ts";
import { requireConnected } from "#lib/features/analytics/queries.ts";
import { readReport } from "#lib/features/analytics/report.ts";
import { countShared } from "#lib/features/limits/shared-counts.ts";
import type { PinterestProblem, PinterestResult, PinterestTrend } from "#lib/integrations/pinterest/port.ts";
import {
  limitText,
  OWN_PINS_DAYS,
  ownLimitText,
  TEXTS,
  TREND_CALLS_LIMIT,
  TREND_ENTRIES_MAX,
  TRENDS_KEPT_MS,
  WINDOW_CALLS,
  WINDOW_MS,
} from "./constants.ts";
import type { RelatedInput, TrendsInput } from "./schema.ts";

/** The calls that share a limit of Pinterest. */
type Category = "trends" | "related";

const waitFor = (ms: number, textOf: (seconds: number) => string): AppError => {
  const retryAfterSeconds = Math.max(1, Math.ceil(ms / SECOND_MS));
  return new AppError("too_many", { text: textOf(retryAfterSeconds), retryAfterSeconds });
};

/** What Pinterest refused with, or would refuse with. */
const refusal = (category: Category, ms: number): AppError =>
  waitFor(ms, (seconds) => limitText(seconds, category === "trends" ? TREND_CALLS_LIMIT : null));

/** What Pinterest refused, and when to try again. Each process learns it from its own refused call. */
const refusedUntil = new Map<string, Date>();

const refusedMs = (ctx: Ctx, key: string): number => msUntil(refusedUntil.get(key) ?? ctx.now(), ctx.now());

const noteRefusal = (ctx: Ctx, key: string, forMs: number): void => {
  for (const [known, at] of refusedUntil) if (at <= ctx.now()) refusedUntil.delete(known);
  refusedUntil.set(key, addMs(ctx.now(), forMs));
};

const limitKey = (category: Category, { pinterestUserId }: OwnedAccount): string => `${category} ${pinterestUserId}`;

const requireCall = async (ctx: Ctx, category: Category, account: OwnedAccount): Promise<void> => {
  const waitMs = refusedMs(ctx, limitKey(category, account));
  if (waitMs > 0) throw refusal(category, waitMs);
  const subject = account.pinterestUserId;
  const counted = await countShared(ctx, { name: `pinterest-${category}`, subject, windowMs: WINDOW_MS });
  if (counted.calls > WINDOW_CALLS) throw waitFor(counted.endsInMs, ownLimitText);
  ctx.log.count("keyword_calls");
};

const toError = (ctx: Ctx, problem: PinterestProblem, category: Category, account: OwnedAccount): AppError => {
  if (problem.kind !== "rate_limited") return toProviderError(problem);
  const waitMs = (problem.retryAfterSeconds ?? 0) * SECOND_MS || MINUTE_MS;
  noteRefusal(ctx, limitKey(category, account), waitMs);
  return refusal(category, waitMs);
};

/** Counted for the Pinterest account, which several users may have connected. */
const callWith = async <T>(
  ctx: Ctx<"pinterest">,
  account: OwnedAccount,
  category: Category,
  send: (accessToken: string) => Promise<PinterestResult<T>>,
): Promise<{ value: T; readAt: Date }> => {
  const result = await withAccessToken(ctx, account.id, async (accessToken) => {
    await requireCall(ctx, category, account);
    return send(accessToken);
  });
  if (result.kind === "problem") throw toError(ctx, result.problem, category, account);
  return { value: result.value, readAt: ctx.now() };
};

interface LiveTrends {
  value: PinterestTrend[];
  readAt: Date;
}

/** Forecasts are a closed beta: after a refusal, trends are read without them for a day. */
const readLive = async (ctx: Ctx<"pinterest">, account: OwnedAccount, input: TrendsInput): Promise<LiveTrends> => {
  const { accountId: _, ...query } = input;
  const forecastKey = `forecast ${account.pinterestUserId}`;
  const read = (hasForecast: boolean) =>
    callWith(ctx, account, "trends", (token) => ctx.pinterest.readTrends(token, { ...query, hasForecast }));
  if (refusedMs(ctx, forecastKey) > 0) return read(false);
  try {
    return await read(true);
  } catch (error) {
    if (!(error instanceof AppError && error.code === "refused")) throw error;
    const live = await read(false);
    noteRefusal(ctx, forecastKey, TRENDS_KEPT_MS);
    return live;
  }
};

const trendReads = createReadCache<LiveTrends>({ keptMs: TRENDS_KEPT_MS, entriesMax: TREND_ENTRIES_MAX });

/** By keyword, as `plainKeyword` compares it. */
export type OwnPins = ReadonlyMap<string, Group>;

/** Published pins by keyword, with their stored metrics of the last days. */
export const findOwnPins = async (ctx: Ctx, accountId: OwnedAccountId): Promise<OwnPins> => {
  const { groups } = await readReport(ctx, { accountId, by: "keyword", ...recentSpan(ctx.now(), OWN_PINS_DAYS) });
  return new Map(groups.map((group) => [group.key, group]));
};

export interface Trends {
  input: TrendsInput;
  trends: { trend: PinterestTrend; own: Group | null }[];
  readAt: Date;
}

const readKept = (ctx: Ctx<"pinterest">, account: OwnedAccount, input: TrendsInput): Promise<LiveTrends> =>
  trendReads.read(ctx, JSON.stringify(input), () => readLive(ctx, account, input));

/**
 * What people search for, read live and kept for at most a day in memory, with the account's own pins.
 * @throws AppError `not_found`, `reconnect_needed`, `refused` without access, `too_many`, `provider_unavailable`
 */
export const readTrends = async (ctx: Ctx<"pinterest">, input: TrendsInput): Promise<Trends> => {
  const account = await requireConnected(ctx, input.accountId);
  const [live, own] = await Promise.all([readKept(ctx, account, input), findOwnPins(ctx, account.id)]);
  const trends = live.value.map((trend) => ({ trend, own: own.get(plainKeyword(trend.keyword)) ?? null }));
  return { input, trends, readAt: live.readAt };
};

/** The keywords of the same reading, without the report on the account's own pins. @throws AppError as `readTrends` */
export const readTrendKeywords = async (ctx: Ctx<"pinterest">, input: TrendsInput): Promise<string[]> => {
  const { value } = await readKept(ctx, await requireConnected(ctx, input.accountId), input);
  return value.map(({ keyword }) => keyword);
};

const relatedReads = createReadCache<{ value: string[] }>({ keptMs: TRENDS_KEPT_MS });

/** Kept like trends. @throws AppError as `readTrends`; `reconnect_needed` when the account didn't grant the scope */
export const readRelatedKeywords = async (
  ctx: Ctx<"pinterest">,
  { accountId, term }: RelatedInput,
): Promise<string[]> => {
  const account = await requireConnected(ctx, accountId);
  if (!ctx.settings.hasRelatedTerms) throw new AppError("refused", { text: TEXTS.relatedOff });
  if (!(await hasScope(ctx, account.id, RELATED_TERMS_SCOPE))) {
    throw new AppError("reconnect_needed", { text: TEXTS.relatedNotGranted });
  }
  const plain = plainKeyword(term);
  const { value } = await relatedReads.read(ctx, `${account.id} ${plain}`, () =>
    callWith(ctx, account, "related", (token) => ctx.pinterest.readRelatedTerms(token, plain)),
  );
  return [...new Set(value.map(plainKeyword))].filter((one) => one !== plain);
};

export interface Related {
  term: string;
  keywords: { keyword: string; own: Group | null }[];
}

/** With the account's own pins. @throws AppError as `readRelatedKeywords` */
export const readRelated = async (ctx: Ctx<"pinterest">, input: RelatedInput): Promise<Related> => {
  const account = await requireConnected(ctx, input.accountId);
  const [found, own] = await Promise.all([readRelatedKeywords(ctx, input), findOwnPins(ctx, account.id)]);
  return { term: input.term, keywords: found.map((keyword) => ({ keyword, own: own.get(keyword) ?? null })) };
};
