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
