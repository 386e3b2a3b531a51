import { z } from "zod";
import { accountId } from "#lib/features/accounts/schema.ts";
import { DIMENSIONS, type Dimension, METRICS, TEXTS } from "./constants.ts";

// A day in UTC, as Pinterest counts. Whether Pinterest still tells of it depends on today: `policy.ts` says.
const day = z.iso.date(TEXTS.rangeInvalid);

const range = { start_date: day, end_date: day };

/** GET /api/users/pinterest/results/{accountId}/ : the account's own figures. */
export const accountResultsInput = z
  .object({ accountId, ...range })
  .transform((raw) => ({ accountId: raw.accountId, firstDay: raw.start_date, lastDay: raw.end_date }));
export type AccountResultsInput = z.output<typeof accountResultsInput>;

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

/** GET /api/users/pinterest/results/{accountId}/report/ : pins by what they were made of. */
export const reportInput = z
  .object({ accountId, ...range, by: z.enum(DIMENSIONS, TEXTS.dimensionInvalid).default("keyword") })
  .transform((raw) => ({ accountId: raw.accountId, firstDay: raw.start_date, lastDay: raw.end_date, by: raw.by }));
export type ReportInput = z.output<typeof reportInput>;

/** Asks that an account's figures be fetched where they are missing or a day old. */
export const gatherInput = z.object({ accountId });
export type GatherInput = z.output<typeof gatherInput>;

/** Whole numbers. */
export interface FiguresWire {
  impressions: number;
  engagements: number;
  pin_clicks: number;
  outbound_clicks: number;
  saves: number;
}

/** One day in UTC. `processing`: Pinterest still counts, and its figures are null; `unknown`: Pinterest told nothing. */
export interface ResultDayWire {
  date: string;
  status: "ready" | "processing" | "unknown";
  figures: FiguresWire | null;
}

/** What an account did in a span of days. Only final days are summed. */
export interface AccountResultsWire {
  account_id: string;
  start_date: string;
  end_date: string;
  /** The last final day of the span; null while none is. */
  ready_through: string | null;
  sums: FiguresWire;
  /** As many days right before, summed over as many final days; null where Pinterest keeps none so old. */
  before: { start_date: string; end_date: string; sums: FiguresWire } | null;
  days: ResultDayWire[];
  /** ISO 8601: when Pinterest was asked. */
  fetched_at: string;
}

/** One of Pinterest's best pins of an account. */
export interface TopPinWire {
  pinterest_pin_id: string;
  pinterest_url: string;
  figures: FiguresWire;
  /** Our pin that it is; null for pins that were made elsewhere. */
  post: { id: string; title: string; keyword: string | null; image_url: string } | null;
}

export interface TopPinsWire {
  sort_by: string;
  pins: TopPinWire[];
  fetched_at: string;
}

/** Pins that have something in common, and what they did. Rates are from 0 to 1. */
export interface ResultRowWire {
  /** What they have in common: a keyword in small letters, a board's id, 1 (Monday) to 7, 0 to 23 … ; empty: nothing set. */
  key: string;
  /** The same for people where the server knows it; null where the reader must look it up (boards). */
  label: string | null;
  /** Published pins of the group, and those of them whose figures are here. */
  pins: number;
  counted_pins: number;
  figures: Omit<FiguresWire, "engagements">;
  /** Outbound clicks per impression, and the ends of its 95 % Wilson interval; null where nothing was seen. */
  click_rate: number | null;
  click_rate_low: number | null;
  click_rate_high: number | null;
  /** Seen too seldom to be judged. Such rows come last. */
  is_undecided: boolean;
}

/** How far the fetching is. */
export interface GatherWire {
  /**
   * `off`: this installation keeps no figures (PINTEREST_ANALYTICS_CACHE_HOURS=0). `lost`: the account has to be
   * connected again first.
   */
  state: "idle" | "lost" | "working" | "waiting" | "held" | "off";
  /** Published pins of the account, those with figures, and those that Pinterest no longer has or does not tell of. */
  published: number;
  counted: number;
  gone: number;
  refused: number;
  /** ISO 8601: the age of the oldest and the newest figures; null without any. */
  oldest_at: string | null;
  newest_at: string | null;
  /** When the next call is made, while it waits. */
  resumes_at: string | null;
  /** Why it waits or stopped, safe to show. */
  text: string | null;
}

/** Ranked by the lower end of the interval, the undecided last. */
export interface ReportWire {
  by: Dimension;
  start_date: string;
  end_date: string;
  rows: ResultRowWire[];
  /** Groups beyond those rows. */
  more: number;
  /** Of all groups: those seen too seldom to be judged, and those without any pin whose figures are here. */
  undecided: number;
  uncounted: number;
  totals: Omit<FiguresWire, "engagements">;
  gather: GatherWire;
}

/** Data of the event that has figures fetched. Its values come from our own rows. */
export const gatherRequested = z.object({
  accountId: z.string().min(1).max(100),
  generation: z.number().int().min(1),
  /** How often the sweep had sent it: whoever was sent before has been given up. */
  sweeps: z.number().int().min(0),
});
export type GatherRequested = z.output<typeof gatherRequested>;

/** What a run carries from one of its moves to the next. */
export interface GatherWalk {
  /** Pins still to read, one group per call. */
  groups: string[][];
  /** What went wrong in a row: failures of different groups, refusals, and pins that are gone. */
  failures: number;
  refusals: number;
  gone: number;
  /** Calls that were answered. */
  reads: number;
  /** Pins whose own calls failed: how often, and `reads` at the first and the last time. */
  stuck: Record<string, { times: number; since: number; last: number }>;
  /** Of two pins that were refused together, those that were not yet read alone. */
  pair: string[];
}

/** The walk of a run that begins. */
export const NEW_WALK: GatherWalk = {
  groups: [],
  failures: 0,
  refusals: 0,
  gone: 0,
  reads: 0,
  stuck: {},
  pair: [],
};
