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
