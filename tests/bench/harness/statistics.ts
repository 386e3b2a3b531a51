/** The nearest-rank percentile of the values. NaN for an empty list. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)] ?? Number.NaN;
}

export const median = (values: readonly number[]): number => percentile(values, 50);

/** Ratios of the rounds: median, minimum and maximum. Targets are compared with the worse end. */
export type Ratio = { median: number; low: number; high: number };

/** Pairs the rounds of two contenders: `ours[k] / theirs[k]`. */
export function ratioOf(ours: readonly number[], theirs: readonly number[]): Ratio {
  const ratios = ours.flatMap((value, round) => {
    const other = theirs[round];
    return other === undefined || other === 0 ? [] : [value / other];
  });
  return { median: median(ratios), low: Math.min(...ratios), high: Math.max(...ratios) };
}

/** If our own runs differ by more than this, the machine is too noisy. */
export const NOISE_MAX = 0.15;

/** The difference of two measurements, as a share of the smaller one. */
export function noiseOf(ours: number, again: number): number {
  return Math.abs(ours - again) / Math.min(ours, again);
}

export const round = (value: number, digits = 1): number => Number(value.toFixed(digits));
