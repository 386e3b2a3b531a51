import { AppError, unreachable } from "#lib/core/errors.ts";
import { formatCount } from "#lib/core/text.ts";
import { formatDay, formatMonth, monthKey } from "#lib/core/time.ts";
import type { PlanSlug } from "#lib/features/billing/plans.ts";
import { GRANT_MAX_CREDITS, LOW_CREDITS, TEXTS } from "./constants.ts";
import type { EntryKind } from "./schema.ts";

/** The two buckets that can be spent. */
export interface Buckets {
  allowance: number;
  purchased: number;
}

/** What can be spent now: allowance plus purchased credits. */
export const availableOf = ({ allowance, purchased }: Buckets): number => allowance + purchased;

/** Whether the panel warns: 9 is low, 10 is not (R-CRED-02). */
export const isLow = (availableCredits: number): boolean => availableCredits < LOW_CREDITS;

/**
 * Which part of a cost comes from which bucket: allowance first, for it does not carry over.
 * The cost must be affordable; see `affordableCount`.
 */
export const splitCost = (buckets: Buckets, costCredits: number): { fromAllowance: number; fromPurchased: number } => {
  const fromAllowance = Math.min(buckets.allowance, costCredits);
  return { fromAllowance, fromPurchased: costCredits - fromAllowance };
};

/** How many of these costs, taken in order, the credits pay for; stops at the first that they do not (R-SRV-02). */
export const affordableCount = (availableCredits: number, costsCredits: readonly number[]): number => {
  let left = availableCredits;
  const firstTooDear = costsCredits.findIndex((cost) => {
    left -= cost;
    return left < 0;
  });
  return firstTooDear === -1 ? costsCredits.length : firstTooDear;
};

/** The key of the free plan's period that a moment lies in: the calendar month in UTC (DESIGN §6). Keys sort by time. */
export const allowancePeriod = (at: Date): string => monthKey(at);

const PAID = "paid:";

/** The key of a paid period (DESIGN §6): the billing period that begins then. */
export const paidPeriod = (startsAt: Date): string => `${PAID}${startsAt.toISOString()}`;

/** A period in words, as the end of 'Unused credits of …': 'October', 'the month from 20 October'. */
export const describePeriod = (period: string): string =>
  period.startsWith(PAID)
    ? `the month from ${formatDay(period.slice(PAID.length))}`
    : formatMonth(`${period}-01T00:00:00Z`);

/** How the causes of all allowances of a subscription begin; the start of the period follows. */
export const allowancesCause = (subscriptionId: string): string => `allowance:${subscriptionId}:`;

/** The one cause of a paid period's allowance; a raise adds to it what the period then gives in all. */
export const allowanceCause = (subscriptionId: string, startsAt: Date): string =>
  `${allowancesCause(subscriptionId)}${startsAt.toISOString()}`;

/** How the causes begin of a paid period's allowance that comes back after another one had taken its place. */
export const allowanceAgainCause = (subscriptionId: string, startsAt: Date): string =>
  `${allowanceCause(subscriptionId, startsAt)}:again:`;

/** How the causes begin of what went when a period ended; the period that follows is named after it. */
export const expiryCause = (userId: string, period: string): string => `expiry:${userId}:${period}>`;

/** Whether a grant of that cause was the allowance of a period. */
export const isOfPeriod = (grantCause: string, period: string): boolean =>
  period.startsWith(PAID) && grantCause.endsWith(`:${period.slice(PAID.length)}`);

/**
 * Whether somebody is to begin the free plan's period that a moment lies in: a month has ended, or a paid plan has
 * (R-SUB-06, A-95). Paid plans get their credits by payments, never by the calendar. A clock behind reopens nothing.
 */
export const isMonthDue = ({ period, plan }: { period: string; plan: PlanSlug }, at: Date): boolean =>
  plan === "free" && (period.startsWith(PAID) || period < allowancePeriod(at));

/** A grant of purchased credits, less what was taken back of it; `cause` names it. */
export interface PurchasedLot {
  cause: string;
  credits: number;
}

/**
 * What is left of one lot when the oldest is spent first (DESIGN §6).
 * @param lots all of a user's, oldest first
 * @param purchased what is left of all of them together; what is held counts as spent
 */
export const remainderOfLot = (lots: readonly PurchasedLot[], purchased: number, cause: string): number => {
  const at = lots.findIndex((lot) => lot.cause === cause);
  // What is left lies in the newest lots, for they are touched last.
  const inNewer = lots.slice(at + 1).reduce((sum, { credits }) => sum + credits, 0);
  const lot = at === -1 ? 0 : (lots[at]?.credits ?? 0);
  return Math.min(lot, Math.max(0, purchased - inNewer));
};

/** Movements that can make credits few, and movements after which being told of it again is right. */
const USES = ["reserve", "revoke"];
const GIFTS = ["purchase", "grant", "allowance", "restore"];

/**
 * Whether movements call for the mail about few credits, or for being ready to send it again (R-CRED-02): told once
 * when using them crosses the threshold; ready again once credits were given, not when some merely came back.
 */
export const judgeLowMail = (
  change: { before: number; after: number; kinds: readonly string[] },
  isTold: boolean,
): "tell" | "arm" | "leave" => {
  const { before, after, kinds } = change;
  const isGiven = kinds.some((kind) => GIFTS.includes(kind));
  if (isTold) return isGiven && !isLow(after) ? "arm" : "leave";
  return kinds.some((kind) => USES.includes(kind)) && !isLow(before) && isLow(after) ? "tell" : "leave";
};

export interface CreditsView {
  label: string;
  low: boolean;
  /** The sentence under the number, only when credits are low. */
  text: string | null;
}

/** What the credits panel says about a balance (R-CRED-02, R-CRED-03). */
export const toCreditsView = (availableCredits: number): CreditsView =>
  isLow(availableCredits)
    ? { label: TEXTS.low, low: true, text: TEXTS.runningLow }
    : { label: TEXTS.available, low: false, text: null };

/** Why a pack's credits are there, why they were taken back, and why they came back: each once for all time. */
export const purchaseCause = (transactionId: string): string => `purchase:${transactionId}`;
export const revokeCause = (adjustmentId: string): string => `revoke:${adjustmentId}`;
export const restoreCause = (adjustmentId: string): string => `restore:${adjustmentId}`;

/** How the causes begin of what a revocation took later, when it came back from work; a number follows. */
export const lateCause = (revocationCause: string): string => `${revocationCause}:late:`;

/** @throws AppError `invalid` for credits that nobody can be given. */
export const demandWholeCredits = (credits: number): void => {
  if (Number.isInteger(credits) && credits >= 1 && credits <= GRANT_MAX_CREDITS) return;
  throw new AppError("invalid", { text: `Credits must be a whole number from 1 to ${GRANT_MAX_CREDITS}.` });
};

/** What credits were reserved for, and why they came back if they did. */
export interface ReservedFor {
  keyword: string;
  /** The title of the pin that got, or was to get, nothing but a new picture; null for a new pin. */
  newPictureFor: string | null;
  /** Readable; null when nothing went wrong. */
  reason: string | null;
  isCancelled: boolean;
}

/** A movement to be put into words. */
export interface EntryFacts {
  kind: "allowance" | "expiry" | "grant" | "purchase" | "revoke" | "restore" | "reserve" | "release";
  /** The sentence that was written with it, or an operator's reason. */
  note: string;
  outcome: "spend" | "release" | null;
  credits: number;
  pin: ReservedFor | null;
}

interface EntryWords {
  kind: EntryKind;
  text: string;
  detail: string | null;
}

const countOf = (credits: number): string => `${formatCount(credits)} ${credits === 1 ? "credit" : "credits"}`;

const nameOf = ({ keyword, newPictureFor }: ReservedFor): string =>
  newPictureFor === null ? `"${keyword}"` : `a new picture for "${newPictureFor}"`;

const describeReservation = ({ outcome, pin }: EntryFacts): EntryWords => {
  const name = pin ? nameOf(pin) : "a pin";
  return outcome === "spend"
    ? { kind: "spent", text: `Spent on ${name}`, detail: null }
    : { kind: "reserved", text: `Reserved for ${name}`, detail: null };
};

const describeReturn = ({ pin }: EntryFacts): EntryWords => {
  if (!pin) return { kind: "returned", text: "Returned for a pin that was not made", detail: null };
  if (pin.isCancelled) return { kind: "returned", text: `Returned because you cancelled ${nameOf(pin)}`, detail: null };
  return { kind: "returned", text: `Returned because ${nameOf(pin)} could not be made`, detail: pin.reason };
};

/** An entry of the history in words: what happened, and why where that is known. */
export const describeEntry = (facts: EntryFacts): EntryWords => {
  const { kind, note, credits } = facts;
  const count = countOf(Math.abs(credits));
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
      return { kind: "bought", text: note || `Bought: ${count}`, detail: null };
    case "grant":
      return { kind: "granted", text: "Credits from our team", detail: note || null };
    case "revoke":
      return {
        kind: "taken_back",
        text: note || "Taken back after a refund",
        detail: credits === 0 ? "Nothing of them was left." : null,
      };
    case "restore":
      return { kind: "given_back", text: note || "Given back", detail: null };
    default:
      return unreachable(kind);
  }
};
