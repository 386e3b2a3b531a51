export interface UploadBucket {
  /** `2026-11-22`, `2026-11` or `2026`. */
  time: string;
  videos: number;
  views: number;
}

const BARS_MAX = 48;
/** Lengths of the day, month and year prefixes of `2026-11-22`. */
const STEPS = [10, 7, 4] as const;

/** Groups videos by upload day, or by month or year when there would be too many bars. */
export const bucketUploads = (days: readonly { day: string; videos: number; views: number }[]): UploadBucket[] => {
  let buckets: UploadBucket[] = [];
  for (const length of STEPS) {
    const sums = new Map<string, UploadBucket>();
    for (const { day, videos, views } of days) {
      const time = day.slice(0, length);
      const sum = sums.get(time) ?? { time, videos: 0, views: 0 };
      sums.set(time, { time, videos: sum.videos + videos, views: sum.views + views });
    }
    buckets = [...sums.values()].toSorted((a, b) => a.time.localeCompare(b.time));
    if (buckets.length <= BARS_MAX) break;
  }
  return buckets;
};

/** A day of a chart. `note` explains a missing value. */
export interface ChartDay {
  /** `2026-11-20` */
  date: string;
  value: number | null;
  note: string;
}

/** Runs of days without a value, as first and last index. */
export const gapsOf = (days: readonly Pick<ChartDay, "value">[]): { from: number; to: number }[] => {
  const runs: { from: number; to: number }[] = [];
  for (const [at, { value }] of days.entries()) {
    if (value !== null) continue;
    const last = runs.at(-1);
    if (last && last.to === at - 1) last.to = at;
    else runs.push({ from: at, to: at });
  }
  return runs;
};
