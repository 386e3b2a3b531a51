const TENTHS_OF_CENT_PER_DOLLAR = 1_000;

/**
 * Dollars for reading, from whole tenths of a cent: '$29', '$0.06', '$0.045'. Whole dollars without cents,
 * everything else with two digits or, where it takes them, three.
 */
export const formatDollars = (tenthsOfCent: number): string => {
  if (tenthsOfCent % TENTHS_OF_CENT_PER_DOLLAR === 0) return `$${tenthsOfCent / TENTHS_OF_CENT_PER_DOLLAR}`;
  return `$${(tenthsOfCent / TENTHS_OF_CENT_PER_DOLLAR).toFixed(tenthsOfCent % 10 === 0 ? 2 : 3)}`;
};

/** Dollars as a JSON number (DESIGN §7): 29, 0.045. */
export const toDollars = (tenthsOfCent: number): number => tenthsOfCent / TENTHS_OF_CENT_PER_DOLLAR;

/** The same always with two digits, rounded half up: '$13.50' (R-BUY-07). */
export const formatDollarsAndCents = (tenthsOfCent: number): string =>
  `$${(Math.round(tenthsOfCent / 10) / 100).toFixed(2)}`;

/** The price of one credit, always with three digits: '$0.050' (R-BUY-03, A-24). */
export const formatDollarsAndTenths = (tenthsOfCent: number): string =>
  `$${(tenthsOfCent / TENTHS_OF_CENT_PER_DOLLAR).toFixed(3)}`;

/** How many digits of a currency stand behind the point: 2 for USD, none for JPY. */
const fractionDigits = (currency: string): number => {
  try {
    const format = new Intl.NumberFormat("en-US", { style: "currency", currency });
    return format.resolvedOptions().maximumFractionDigits ?? 2;
  } catch (error) {
    // A word that is no currency; nearly all have two.
    if (error instanceof RangeError) return 2;
    throw error;
  }
};

/** An amount of a currency's smallest unit as a JSON number: 2900 USD is 29, 2900 JPY is 2900. */
export const toMajor = (minor: number, currency: string): number => minor / 10 ** fractionDigits(currency);

/** The same with the currency's name: a dollar sign alone does not say whose dollars. '$29.00 USD' */
export const formatNamedMoney = (amount: number, currency: string): string =>
  `${formatMoney(amount, currency)} ${currency}`;

/** An amount for reading in its own currency: '$29.00', '€13.50', '¥2,900'. */
export const formatMoney = (amount: number, currency: string): string => {
  const digits = fractionDigits(currency);
  const options = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  try {
    return new Intl.NumberFormat("en-US", { style: "currency", currency, ...options }).format(amount);
  } catch (error) {
    if (error instanceof RangeError) return `${amount.toFixed(digits)} ${currency}`;
    throw error;
  }
};
