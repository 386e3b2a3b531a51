import { monthKey } from "#lib/core/time.ts";
import { LOW_CREDITS, TEXTS } from "./constants.ts";

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

/** The key of the allowance period that a moment lies in: the calendar month in UTC (DESIGN §6). Keys sort by time. */
export const allowancePeriod = (at: Date): string => monthKey(at);

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
