const TENTHS_OF_CENT_PER_DOLLAR = 1_000;

/** Dollars from whole tenths of a cent: '$29', '$0.06', '$0.045'. */
export const formatDollars = (tenthsOfCent: number): string => {
  if (tenthsOfCent % TENTHS_OF_CENT_PER_DOLLAR === 0) return `$${tenthsOfCent / TENTHS_OF_CENT_PER_DOLLAR}`;
  return `$${(tenthsOfCent / TENTHS_OF_CENT_PER_DOLLAR).toFixed(tenthsOfCent % 10 === 0 ? 2 : 3)}`;
};

export const toDollars = (tenthsOfCent: number): number => tenthsOfCent / TENTHS_OF_CENT_PER_DOLLAR;

/** Always with two digits, rounded half up: '$13.50' (R-BUY-07). */
export const formatDollarsAndCents = (tenthsOfCent: number): string =>
  `$${(Math.round(tenthsOfCent / 10) / 100).toFixed(2)}`;

/** The price of one credit, always with three digits: '$0.050' (R-BUY-03). */
export const formatDollarsAndTenths = (tenthsOfCent: number): string =>
  `$${(tenthsOfCent / TENTHS_OF_CENT_PER_DOLLAR).toFixed(3)}`;

const fractionDigits = (currency: string): number => {
  try {
    const format = new Intl.NumberFormat("en-US", { style: "currency", currency });
    return format.resolvedOptions().maximumFractionDigits ?? 2;
  } catch (error) {
    if (error instanceof RangeError) return 2;
    throw error;
  }
};

/** An amount in a currency's smallest unit as a JSON number: 2900 USD is 29, 2900 JPY is 2900. */
export const toMajor = (minor: number, currency: string): number => minor / 10 ** fractionDigits(currency);

/** With the currency code, since a dollar sign alone is ambiguous: '$29.00 USD'. */
export const formatNamedMoney = (amount: number, currency: string): string =>
  `${formatMoney(amount, currency)} ${currency}`;

/** An amount in its own currency: '$29.00', '€13.50', '¥2,900'. */
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
