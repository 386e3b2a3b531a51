import { z } from "zod";
import { accountId } from "#lib/features/accounts/schema.ts";
import { DIMENSIONS, type Dimension, METRICS, TEXTS } from "./constants.ts";

// A UTC day. `checkRange` in policy.ts checks it against Pinterest's history.
const day = z.iso.date(TEXTS.rangeInvalid);

const range = { start_date: day, end_date: day };

/** GET /api/users/pinterest/results/{accountId}/ */
export const accountAnalyticsInput = z
  .object({ accountId, ...range })
  .transform((raw) => ({ accountId: raw.accountId, firstDay: raw.start_date, lastDay: raw.end_date }));
export type AccountAnalyticsInput = z.output<typeof accountAnalyticsInput>;

/** GET /api/users/pinterest/results/{accountId}/top-pins/ */
export const topPinsInput = z
  .object({ accountId, ...range, sort_by: z.enum(METRICS).default("impressions") })
  .transform((raw) => ({
    accountId: raw.accountId,
    firstDay: raw.start_date,
    lastDay: raw.end_date,
    sortBy: raw.sort_by,
  }));
export type TopPinsInput = z.output<typeof topPinsInput>;

/** GET /api/users/pinterest/results/{accountId}/report/ */
export const reportInput = z
  .object({ accountId, ...range, by: z.enum(DIMENSIONS, TEXTS.dimensionInvalid).default("keyword") })
  .transform((raw) => ({ accountId: raw.accountId, firstDay: raw.start_date, lastDay: raw.end_date, by: raw.by }));
export type ReportInput = z.output<typeof reportInput>;

export const syncInput = z.object({ accountId });
export type SyncInput = z.output<typeof syncInput>;

/** A published pin with its metrics of the last 90 days. */
export interface VariantWire {
  id: string;
  title: string;
  keyword: string | null;
  link: string;
  board_id: string;
  image_url: string;
  published_at: string;
  impressions: number;
  outbound_clicks: number;
  /** Outbound clicks per impression, 0 to 1. */
  click_rate: number;
}

export interface VariantsWire {
  /** `later`: pins that were published later with the same link. */
  proposals: { pin: VariantWire; later: VariantWire[] }[];
  /** Published pins with the same link, by publish time: how many, and the newest of them. */
  compared: { total: number; pins: VariantWire[] }[];
}

export interface MetricsWire {
  impressions: number;
  engagements: number;
  pin_clicks: number;
  outbound_clicks: number;
  saves: number;
}

/** One UTC day. `processing`: not final yet. `unknown`: Pinterest returned no data. */
export interface AnalyticsDayWire {
  date: string;
  status: "ready" | "processing" | "unknown";
  figures: MetricsWire | null;
}

/** Sums cover final days only. */
export interface AccountAnalyticsWire {
  account_id: string;
  start_date: string;
  end_date: string;
  /** Null when no day is final. */
  ready_through: string | null;
  sums: MetricsWire;
  /** The same number of days right before; null when Pinterest has no data that old. */
  before: { start_date: string; end_date: string; sums: MetricsWire } | null;
  days: AnalyticsDayWire[];
  fetched_at: string;
}

export interface TopPinWire {
  pinterest_pin_id: string;
  pinterest_url: string;
  figures: MetricsWire;
  /** Set when the pin was published here. */
  post: { id: string; title: string; keyword: string | null; image_url: string } | null;
}

export interface TopPinsWire {
  sort_by: string;
  pins: TopPinWire[];
  fetched_at: string;
}

export interface ReportRowWire {
  /** A lowercase keyword, a board id, 1 (Monday) to 7, 0 to 23 …; empty when nothing is set. */
  key: string;
  /** The display name; null for boards, which the client looks up. */
  label: string | null;
  pins: number;
  counted_pins: number;
  figures: Omit<MetricsWire, "engagements">;
  /** 0 to 1 with its 95 % interval; null without impressions. */
  click_rate: number | null;
  click_rate_low: number | null;
  click_rate_high: number | null;
  /** Too few impressions to evaluate. These rows come last. */
  is_undecided: boolean;
}

export interface SyncWire {
  /** `off`: metrics are not stored (PINTEREST_ANALYTICS_CACHE_HOURS=0). `lost`: the account must be reconnected. */
  state: "idle" | "lost" | "working" | "waiting" | "held" | "off";
  published: number;
  counted: number;
  gone: number;
  refused: number;
  oldest_at: string | null;
  newest_at: string | null;
  resumes_at: string | null;
  text: string | null;
}

export interface ReportWire {
  by: Dimension;
  start_date: string;
  end_date: string;
  rows: ReportRowWire[];
  /** Groups beyond `rows`. */
  more: number;
  /** Of all groups: those with too few impressions, and those without metrics. */
  undecided: number;
  uncounted: number;
  totals: Omit<MetricsWire, "engagements">;
  gather: SyncWire;
}

export const syncRequested = z.object({
  accountId: z.string().min(1).max(100),
  generation: z.number().int().min(1),
  /** Resends by the sweep; runs started by an earlier send stop. */
  sweeps: z.number().int().min(0),
});
export type SyncRequested = z.output<typeof syncRequested>;

type FailingPins = Record<string, { times: number; since: number; last: number }>;

export interface SyncProgress {
  groups: string[][];
  /** Failures, refusals and deleted pins in a row. */
  failures: number;
  refusals: number;
  gone: number;
  reads: number;
  /** Pins whose single calls failed: how often, and `reads` at the first and last failure. */
  failingPins: FailingPins;
  /** `failingPins` in runs begun by an earlier version. */
  endlessList?: FailingPins;
  /** Pins refused as a pair that still have to be read individually. */
  pair: string[];
}

export const NEW_SYNC_PROGRESS: SyncProgress = {
  groups: [],
  failures: 0,
  refusals: 0,
  gone: 0,
  reads: 0,
  failingPins: {},
  pair: [],
};
