import { AppError, unreachable } from "#lib/core/errors.ts";
import { formatCount } from "#lib/core/text.ts";
import { formatDay, formatMonth, monthKey } from "#lib/core/time.ts";
import type { PlanSlug } from "#lib/features/billing/plans.ts";
import { FREE_WITHOUT_CONFIRMATION, GRANT_MAX_CREDITS, LOW_CREDITS, TEXTS } from "./constants.ts";
import type { EntryKind } from "./schema.ts";

export interface Buckets {
  allowance: number;
  purchased: number;
}

export const availableOf = ({ allowance, purchased }: Buckets): number => allowance + purchased;

export const isLow = (availableCredits: number): boolean => availableCredits < LOW_CREDITS;

/** Allowance first, because it expires. The cost must be affordable. */
export const splitCost = (buckets: Buckets, costCredits: number): { fromAllowance: number; fromPurchased: number } => {
  const fromAllowance = Math.min(buckets.allowance, costCredits);
  return { fromAllowance, fromPurchased: costCredits - fromAllowance };
};

/** In order; stops at the first that cannot be paid. */
export const affordableCount = (availableCredits: number, costsCredits: readonly number[]): number => {
  let left = availableCredits;
  const firstUnaffordable = costsCredits.findIndex((cost) => {
    left -= cost;
    return left < 0;
  });
  return firstUnaffordable === -1 ? costsCredits.length : firstUnaffordable;
};

/** The calendar month in UTC. Keys sort by time. */
export const allowancePeriod = (at: Date): string => monthKey(at);

/** The month before one such as `2026-11`. */
export const monthBefore = (period: string): string => {
  const start = new Date(`${period}-01T00:00:00Z`);
  return monthKey(new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() - 1, 1)));
};

const PAID = "paid:";

const isMonth = (period: string): boolean => period !== "" && !period.startsWith(PAID);

/** The user got no free credits this month, because another user gets them for the same Pinterest account. */
export const isAllowanceTaken = ({ period, granted }: { period: string; granted: number }): boolean =>
  isMonth(period) && granted === 0;

/** Free credits that can be spent now. Without a confirmed email only the first ones, `freeUsed` of which are used. */
export const usableBuckets = (
  { allowance, purchased, period }: Buckets & { period: string },
  email: { isConfirmed: boolean; freeUsed: number },
): Buckets => {
  if (email.isConfirmed || !isMonth(period)) return { allowance, purchased };
  const left = Math.max(0, FREE_WITHOUT_CONFIRMATION - email.freeUsed);
  return { allowance: Math.min(allowance, left), purchased };
};

export const paidPeriod = (startsAt: Date): string => `${PAID}${startsAt.toISOString()}`;

export const describePeriod = (period: string): string =>
  period.startsWith(PAID)
    ? `the month starting ${formatDay(period.slice(PAID.length))}`
    : formatMonth(`${period}-01T00:00:00Z`);

/** Prefix; append the period's start. */
export const allowanceCausePrefix = (subscriptionId: string): string => `allowance:${subscriptionId}:`;

/** An upgrade appends the new total. */
export const allowanceCause = (subscriptionId: string, startsAt: Date): string =>
  `${allowanceCausePrefix(subscriptionId)}${startsAt.toISOString()}`;

export const returnedAllowanceCause = (subscriptionId: string, startsAt: Date): string =>
  `${allowanceCause(subscriptionId, startsAt)}:again:`;

/** Prefix; append the key of the next period. */
export const expiryCause = (userId: string, period: string): string => `expiry:${userId}:${period}>`;

export const isOfPeriod = (grantCause: string, period: string): boolean =>
  period.startsWith(PAID) && grantCause.endsWith(`:${period.slice(PAID.length)}`);

/** Paid plans get credits from payments only. A clock that runs behind starts nothing again. */
export const isMonthDue = ({ period, plan }: { period: string; plan: PlanSlug }, at: Date): boolean =>
  plan === "free" && (period.startsWith(PAID) || period < allowancePeriod(at));

/** Less what was revoked. */
export interface PurchasedLot {
  cause: string;
  credits: number;
}

/** The oldest are spent first. `lots`: oldest first; `purchased`: what is left of all, reserved counts as spent. */
export const remainderOfLot = (lots: readonly PurchasedLot[], purchased: number, cause: string): number => {
  const at = lots.findIndex((lot) => lot.cause === cause);
  const newerCredits = lots.slice(at + 1).reduce((sum, { credits }) => sum + credits, 0);
  const lot = at === -1 ? 0 : (lots[at]?.credits ?? 0);
  return Math.min(lot, Math.max(0, purchased - newerCredits));
};

const USING_KINDS = ["reserve", "revoke"];
const GRANTING_KINDS = ["purchase", "grant", "allowance", "restore"];

/** Once when using credits crosses the threshold; reset after new credits, but not after returned ones. */
export const decideLowEmail = (
  change: { before: number; after: number; kinds: readonly string[] },
  isSent: boolean,
): "send" | "reset" | "keep" => {
  const { before, after, kinds } = change;
  const isGranted = kinds.some((kind) => GRANTING_KINDS.includes(kind));
  if (isSent) return isGranted && !isLow(after) ? "reset" : "keep";
  return kinds.some((kind) => USING_KINDS.includes(kind)) && !isLow(before) && isLow(after) ? "send" : "keep";
};

interface CreditsView {
  label: string;
  low: boolean;
  text: string | null;
}

export const toCreditsView = (availableCredits: number): CreditsView =>
  isLow(availableCredits)
    ? { label: TEXTS.low, low: true, text: TEXTS.runningLow }
    : { label: TEXTS.available, low: false, text: null };

/** Each cause is unique forever. */
export const purchaseCause = (transactionId: string): string => `purchase:${transactionId}`;
export const revokeCause = (adjustmentId: string): string => `revoke:${adjustmentId}`;
export const restoreCause = (adjustmentId: string): string => `restore:${adjustmentId}`;

/** Prefix of causes for credits revoked later; append a number. */
export const deferredRevokeCause = (revocationCause: string): string => `${revocationCause}:late:`;

/** @throws AppError `invalid` for an amount that cannot be granted */
export const requireWholeCredits = (credits: number): void => {
  if (Number.isInteger(credits) && credits >= 1 && credits <= GRANT_MAX_CREDITS) return;
  throw new AppError("invalid", { text: `Credits must be a whole number from 1 to ${GRANT_MAX_CREDITS}.` });
};

export interface ReservedFor {
  keyword: string;
  /** Null for a new pin. */
  newImageFor: string | null;
  reason: string | null;
  isCanceled: boolean;
}

interface EntryFacts {
  kind: "allowance" | "expiry" | "grant" | "purchase" | "revoke" | "restore" | "reserve" | "release";
  note: string;
  outcome: "spend" | "release" | null;
  credits: number;
  pin: ReservedFor | null;
}

interface EntryText {
  kind: EntryKind;
  text: string;
  detail: string | null;
}

export const formatCredits = (credits: number): string =>
  `${formatCount(credits)} ${credits === 1 ? "credit" : "credits"}`;

const describeTarget = ({ keyword, newImageFor }: ReservedFor): string =>
  newImageFor === null ? `"${keyword}"` : `a new image for "${newImageFor}"`;

const describeReservation = ({ outcome, pin }: EntryFacts): EntryText => {
  const name = pin ? describeTarget(pin) : "a pin";
  return outcome === "spend"
    ? { kind: "spent", text: `Spent on ${name}`, detail: null }
    : { kind: "reserved", text: `Reserved for ${name}`, detail: null };
};

const describeReturn = ({ pin, note }: EntryFacts): EntryText => {
  const detail = note || null;
  if (!pin) return { kind: "returned", text: "Returned for a pin that wasn't generated", detail };
  if (pin.isCanceled) return { kind: "returned", text: `Returned because you canceled ${describeTarget(pin)}`, detail };
  return {
    kind: "returned",
    text: `Returned because ${describeTarget(pin)} couldn't be generated`,
    detail: [pin.reason, note].filter(Boolean).join(" ") || null,
  };
};

export const describeEntry = (facts: EntryFacts): EntryText => {
  const { kind, note, credits } = facts;
  const count = formatCredits(Math.abs(credits));
  switch (kind) {
    case "reserve":
      return describeReservation(facts);
    case "release":
      return describeReturn(facts);
    case "allowance":
      return { kind: "allowance", text: note || "Monthly credits", detail: null };
    case "expiry":
      return { kind: "expired", text: note || "Unused monthly credits expired", detail: null };
    case "purchase":
      return { kind: "bought", text: note || `Bought ${count}`, detail: null };
    case "grant":
      return { kind: "granted", text: "Credits from our team", detail: note || null };
    case "revoke":
      return {
        kind: "taken_back",
        text: note || "Removed after a refund",
        detail: credits === 0 ? "No unused credits were left to remove." : null,
      };
    case "restore":
      return { kind: "given_back", text: note || "Restored", detail: null };
    default:
      return unreachable(kind);
  }
};
