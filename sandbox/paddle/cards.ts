import { newId } from "./model.ts";
import type { StoredCard } from "./records.ts";

/** A card as a buyer types it in. */
export interface Card {
  number: string;
  expiryMonth: number;
  expiryYear: number;
  cvc: string;
  holder: string;
}

/** What the bank says. */
export type Verdict = "accepted" | "challenge" | { errorCode: string };

const CHALLENGED = "4000003800000446";
const RENEWALS_DECLINED = "4000002760003184";

/** Test cards that are refused at once, with Paddle's reason. */
const REFUSED: Record<string, string> = {
  "4000000000000002": "declined",
  "4000000000009995": "not_enough_balance",
  "4000000000009979": "fraud",
  "4000000000000069": "expired_card",
};

/** The number without its gaps. */
export function digitsOf(number: string): string {
  return number.replace(/[\s-]/g, "");
}

/** Whether a number could be a card's: 13 to 19 digits whose check digit fits. */
export function isCardNumber(number: string): boolean {
  const digits = digitsOf(number);
  if (!/^\d{13,19}$/.test(digits)) return false;
  const sum = [...digits].reverse().reduce((all, digit, place) => {
    const value = Number(digit) * (place % 2 === 1 ? 2 : 1);
    return all + (value > 9 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0;
}

/** What the bank says to a first payment. */
export function judge(card: Card, now: Date): Verdict {
  const digits = digitsOf(card.number);
  if (!isCardNumber(digits)) return { errorCode: "invalid_payment_details" };
  const endOfMonth = Date.UTC(card.expiryYear, card.expiryMonth, 1);
  if (endOfMonth <= now.getTime()) return { errorCode: "expired_card" };
  const errorCode = REFUSED[digits];
  if (errorCode !== undefined) return { errorCode };
  return digits === CHALLENGED ? "challenge" : "accepted";
}

/** What is kept of a card. */
export function toStoredCard(card: Card, at: Date, savedAt: string): StoredCard {
  const digits = digitsOf(card.number);
  return {
    id: newId("paymtd", at),
    savedAt,
    details: {
      type: brandOf(digits),
      last4: digits.slice(-4),
      expiry_month: card.expiryMonth,
      expiry_year: card.expiryYear,
      cardholder_name: card.holder,
    },
    renewals: digits === RENEWALS_DECLINED ? "decline" : "succeed",
  };
}

/** Whether a kept card pays now. */
export function paysNow({ renewals, details }: StoredCard, now: Date): { errorCode: string } | undefined {
  if (renewals === "decline") return { errorCode: "declined" };
  const endOfMonth = Date.UTC(details.expiry_year, details.expiry_month, 1);
  return endOfMonth <= now.getTime() ? { errorCode: "expired_card" } : undefined;
}

function brandOf(digits: string): string {
  if (/^4/.test(digits)) return "visa";
  if (/^(5[1-5]|2[2-7])/.test(digits)) return "mastercard";
  return /^3[47]/.test(digits) ? "american_express" : "unknown";
}
