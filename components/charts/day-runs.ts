/** A day of a chart; one without a final figure says why. */
export interface ChartDay {
  /** `2026-11-20` */
  date: string;
  value: number | null;
  note: string;
}

/** Where days without a figure stand side by side: places of the first and the last of each run, from 0. */
export const runsOf = (days: readonly Pick<ChartDay, "value">[]): { from: number; to: number }[] => {
  const runs: { from: number; to: number }[] = [];
  for (const [at, { value }] of days.entries()) {
    if (value !== null) continue;
    const last = runs.at(-1);
    if (last && last.to === at - 1) last.to = at;
    else runs.push({ from: at, to: at });
  }
  return runs;
};
