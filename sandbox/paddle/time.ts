import { randomInt } from "node:crypto";
import type { Duration, Period } from "./model.ts";

const DAY_MS = 86_400_000;

/** A moment as Paddle writes it, with microseconds. */
export function isoMicros(at: Date): string {
  return `${at.toISOString().slice(0, -1)}${String(randomInt(1_000)).padStart(3, "0")}Z`;
}

/** A moment with the microseconds of another. */
export function microsOf(given: string, at: Date): string {
  return `${at.toISOString().slice(0, -1)}${/\.\d{3}(\d{3})Z$/.exec(given)?.[1] ?? "000"}Z`;
}

/** The date that lies `count` billing cycles behind `anchor`; a day that a month lacks becomes its last. */
export function addCycles(anchor: Date, { interval, frequency }: Duration, count: number): Date {
  const steps = frequency * count;
  if (interval === "day") return new Date(anchor.getTime() + steps * DAY_MS);
  if (interval === "week") return new Date(anchor.getTime() + steps * 7 * DAY_MS);
  return addMonths(anchor, interval === "year" ? steps * 12 : steps);
}

/** The period that follows `endsAt`, counted in whole cycles from the first billing so that its day never drifts. */
export function periodAfter(anchor: string, cycle: Duration, endsAt: string): Period {
  const first = new Date(anchor);
  let count = 1;
  while (addCycles(first, cycle, count).getTime() <= Date.parse(endsAt)) count += 1;
  return { starts_at: endsAt, ends_at: microsOf(anchor, addCycles(first, cycle, count)) };
}

/** Whole days of a period that are left at `at`, the running one counted in, and all its days. */
export function daysLeft({ starts_at, ends_at }: Period, at: Date): { days: number; of: number } {
  const [start, end] = [Date.parse(starts_at), Date.parse(ends_at)];
  const of = Math.max(1, Math.round((end - start) / DAY_MS));
  const gone = Math.floor((at.getTime() - start) / DAY_MS);
  return { days: Math.min(of, Math.max(0, of - gone)), of };
}

/** A moment plus some days. */
export function addDays(at: Date, days: number): Date {
  return new Date(at.getTime() + days * DAY_MS);
}

function addMonths(anchor: Date, months: number): Date {
  const moved = new Date(anchor);
  const day = moved.getUTCDate();
  moved.setUTCDate(1);
  moved.setUTCMonth(moved.getUTCMonth() + months);
  const last = new Date(Date.UTC(moved.getUTCFullYear(), moved.getUTCMonth() + 1, 0)).getUTCDate();
  moved.setUTCDate(Math.min(day, last));
  return moved;
}

/** Currencies without a smaller unit. */
const WHOLE = new Set(["JPY", "KRW", "VND", "COP"]);

/** A fixed table: thousandths of a unit that a dollar buys. */
const PER_DOLLAR: Record<string, number> = {
  USD: 1_000,
  EUR: 920,
  GBP: 790,
  CHF: 880,
  CAD: 1_370,
  AUD: 1_520,
  NZD: 1_650,
  SEK: 10_500,
  NOK: 10_700,
  DKK: 6_860,
  PLN: 3_950,
  CZK: 23_200,
  BRL: 5_400,
  MXN: 18_300,
  INR: 84_000,
  JPY: 150_000,
  KRW: 1_370_000,
};

const BY_COUNTRY: Record<string, string> = {
  GB: "GBP",
  CH: "CHF",
  CA: "CAD",
  AU: "AUD",
  NZ: "NZD",
  SE: "SEK",
  NO: "NOK",
  DK: "DKK",
  PL: "PLN",
  CZ: "CZK",
  BR: "BRL",
  MX: "MXN",
  IN: "INR",
  JP: "JPY",
  KR: "KRW",
};

const EURO = new Set(["AT", "BE", "DE", "ES", "FI", "FR", "GR", "IE", "IT", "LU", "NL", "PT"]);

/** The currency in which buyers of a country are shown prices. */
export function currencyOf(country: string): string {
  return EURO.has(country) ? "EUR" : (BY_COUNTRY[country] ?? "USD");
}

/** Whether the table knows the currency. */
export function isTraded(currency: string): boolean {
  return currency in PER_DOLLAR;
}

/** Converts an amount in lowest units by the fixed table, rounded half up. */
export function convert(minor: number, from: string, to: string): number {
  if (from === to) return minor;
  const scale = unitsOf(to) / unitsOf(from);
  return Math.round((minor * scale * perDollar(to)) / perDollar(from));
}

/** Lowest units as people read them: `$30.00`. */
export function formatMinor(minor: number, currency: string): string {
  return new Intl.NumberFormat("en-US", { style: "currency", currency }).format(toMajor(minor, currency));
}

/** Lowest units as a number of whole ones: 1350 cents are 13.5. */
export function toMajor(minor: number, currency: string): number {
  return minor / unitsOf(currency);
}

function unitsOf(currency: string): number {
  return WHOLE.has(currency) ? 1 : 100;
}

function perDollar(currency: string): number {
  const rate = PER_DOLLAR[currency];
  if (rate === undefined) throw new Error(`The stand-in has no rate for ${currency}`);
  return rate;
}
