import "server-only";
import type { Ctx } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import type { AccountId, PinId } from "#lib/core/ids.ts";
import type {
  CallsLeft,
  DaySpan,
  FiguresAnswer,
  PinterestDay,
  PinterestPinFigures,
  PinterestProblem,
} from "#lib/integrations/pinterest/port.ts";
import { callPinterest } from "./call-pinterest.ts";
import { findDue } from "./find-due.ts";
import { type Found, storeFigures } from "./store-figures.ts";
import { toTotals } from "./sum-days.ts";

/**
 * How reading a group of pins in one call ended. `none`: nothing of it is due any more; `read`: stored, but for those
 * that were left out of the answer; `later`: no call was made; `lost`: the account needs its owner.
 */
export type GroupEnd =
  | { kind: "read"; stored: number; leftOut: PinId[]; callsLeft: CallsLeft | null }
  | { kind: "none" }
  | { kind: "later"; afterMs: number; isPace: boolean }
  | { kind: "lost"; text: string }
  | { kind: "problem"; problem: PinterestProblem; askedAt: Date | null };

type Days = PinterestDay<PinterestPinFigures>[];

interface Group {
  accountId: AccountId;
  pinIds: readonly PinId[];
  span: DaySpan;
  /** When the run was asked for. */
  since: Date;
}

/** One pin by the call for one, more by the call for many; the answer by Pinterest's ids either way. */
const askFor = async (
  ctx: Ctx<"pinterest">,
  token: string,
  [first, ...others]: readonly [string, ...string[]],
  span: DaySpan,
): Promise<FiguresAnswer<Map<string, Days>>> => {
  if (others.length > 0) return ctx.pinterest.readPinsAnalytics(token, [first, ...others], span);
  const answer = await ctx.pinterest.readPinAnalytics(token, first, span);
  return answer.kind === "problem" ? answer : { ...answer, value: new Map([[first, answer.value]]) };
};

/** What stopped the call before Pinterest was asked, or made Pinterest refuse the account's tokens. */
const toEnd = (thrown: unknown): GroupEnd => {
  if (!(thrown instanceof AppError)) throw thrown;
  if (thrown.code === "reconnect_needed") return { kind: "lost", text: thrown.message };
  if (thrown.code !== "provider_unavailable") throw thrown;
  const { retryAfterSeconds } = thrown;
  const wait = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
  return { kind: "problem", problem: { kind: "unavailable", text: thrown.message, ...wait }, askedAt: null };
};

/** Reads the figures of those of some pins of an account that are still due, in one call, and stores them. */
export const readGroup = async (ctx: Ctx<"pinterest">, { span, ...group }: Group): Promise<GroupEnd> => {
  const { accountId } = group;
  const known = await findDue(ctx, group);
  const [first, ...others] = known.map(({ pinterestPinId }) => pinterestPinId);
  if (first === undefined) return { kind: "none" };
  let result: Awaited<ReturnType<typeof callPinterest<Map<string, Days>>>>;
  try {
    result = await callPinterest(ctx, { accountId, purpose: "gathering" }, (token) =>
      askFor(ctx, token, [first, ...others], span),
    );
  } catch (error) {
    return toEnd(error);
  }
  if (result.kind !== "ok") return result;
  const { value, callsLeft, askedAt } = result;
  const found: Found[] = [];
  const leftOut: PinId[] = [];
  for (const { id, pinterestPinId } of known) {
    const days = value.get(pinterestPinId);
    if (days) found.push({ pinId: id, state: "ready", ...toTotals(days, span.firstDay) });
    else leftOut.push(id);
  }
  const stored = await storeFigures(ctx, { accountId, askedAt, found });
  return { kind: "read", stored, leftOut, callsLeft };
};
