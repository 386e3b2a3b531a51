import { newId } from "./state.ts";

export interface Card {
  number: string;
  expiryMonth: number;
  expiryYear: number;
  holder: string;
}

/** Test card numbers from Paddle's documentation. */
export const TEST_CARDS = {
  works: "4242 4242 4242 4242",
  "asks for confirmation": "4000 0038 0000 0446",
  "is declined": "4000 0000 0000 0002",
  "fails on renewal": "4000 0027 6000 3184",
} as const;

function digitsOf(number: string): string {
  return number.replace(/[\s-]/g, "");
}

function isTestCard(number: string, behavior: keyof typeof TEST_CARDS): boolean {
  return digitsOf(number) === digitsOf(TEST_CARDS[behavior]);
}

/** Whether a number has 13 to 19 digits and a valid check digit. */
export function isCardNumber(number: string): boolean {
  const digits = digitsOf(number);
  if (!/^\d{13,19}$/.test(digits)) return false;
  const sum = [...digits].reverse().reduce((all, digit, index) => {
    const value = Number(digit) * (index % 2 === 1 ? 2 : 1);
    return all + (value > 9 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0;
}

/** Paddle's error code if a first payment is declined. */
export function firstDecline({ number, expiryMonth, expiryYear }: Card, now: Date): string | undefined {
  if (isExpired(expiryMonth, expiryYear, now)) return "expired_card";
  return isTestCard(number, "is declined") || !isCardNumber(number) ? "declined" : undefined;
}

/** Whether the bank asks the buyer to confirm (3-D Secure). */
export function requiresChallenge({ number }: Card): boolean {
  return isTestCard(number, "asks for confirmation");
}

/** Paddle's error code if a later payment with a saved card is declined. */
export function renewalDecline({ renewals, details }: StoredCard, now: Date): string | undefined {
  if (renewals === "decline") return "declined";
  return isExpired(details.expiry_month, details.expiry_year, now) ? "expired_card" : undefined;
}

/** A saved card, and whether renewals succeed. */
export type StoredCard = ReturnType<typeof toStoredCard>;

/** Drops the full number. */
export function toStoredCard({ number, expiryMonth, expiryYear, holder }: Card, at: Date) {
  const digits = digitsOf(number);
  return {
    id: newId("paymtd", at),
    details: {
      type: brandOf(digits),
      last4: digits.slice(-4),
      expiry_month: expiryMonth,
      expiry_year: expiryYear,
      cardholder_name: holder,
    },
    renewals: isTestCard(number, "fails on renewal") ? "decline" : "succeed",
  };
}

function isExpired(month: number, year: number, now: Date): boolean {
  return Date.UTC(year, month, 1) <= now.getTime();
}

function brandOf(digits: string): string {
  if (/^4/.test(digits)) return "visa";
  if (/^(5[1-5]|2[2-7])/.test(digits)) return "mastercard";
  return /^3[47]/.test(digits) ? "american_express" : "unknown";
}
