import "server-only";
import type { Ctx } from "#lib/context.ts";
import { toIso, toIsoOrNull } from "#lib/core/time.ts";
import { IMAGE_PATH } from "#lib/features/pins/constants.ts";
import { ROWS_MAX } from "./constants.ts";
import type { AccountResults, TopPin, TopPins } from "./pin-results.ts";
import { type AccountSums, type JudgedGroup, type Sums, stateOfGather } from "./policy.ts";
import type { Report } from "./report.ts";
import type {
  AccountResultsWire,
  FiguresWire,
  GatherWire,
  ReportWire,
  ResultRowWire,
  TopPinsWire,
  TopPinWire,
} from "./schema.ts";

const toFigures = ({ impressions, pinClicks, outboundClicks, saves }: Sums): ReportWire["totals"] => ({
  ...{ impressions, pin_clicks: pinClicks },
  ...{ outbound_clicks: outboundClicks, saves },
});

const toRow = ({ key, label, pins, countedPins, sums, click, isUndecided }: JudgedGroup): ResultRowWire => ({
  key,
  label,
  pins,
  counted_pins: countedPins,
  figures: toFigures(sums),
  click_rate: click?.rate ?? null,
  click_rate_low: click?.low ?? null,
  click_rate_high: click?.high ?? null,
  is_undecided: isUndecided,
});

const toGather = (ctx: Ctx, { coverage, gather, isConnected }: Report): GatherWire => {
  const { published, counted, gone, refused, oldestAt, newestAt } = coverage;
  const state = stateOfGather(gather, { hours: ctx.settings.analyticsCacheHours, now: ctx.now(), isConnected });
  return {
    state,
    ...{ published, counted, gone, refused },
    oldest_at: toIsoOrNull(oldestAt),
    newest_at: toIsoOrNull(newestAt),
    resumes_at: state === "waiting" ? toIsoOrNull(gather?.resumesAt ?? null) : null,
    text: state === "waiting" || state === "held" ? (gather?.problemText ?? null) : null,
  };
};

/** GET /api/users/pinterest/results/{accountId}/report/ */
export const toReportWire = (report: Report, ctx: Ctx): ReportWire => ({
  by: report.input.by,
  start_date: report.input.firstDay,
  end_date: report.input.lastDay,
  rows: report.groups.slice(0, ROWS_MAX).map(toRow),
  more: Math.max(0, report.groups.length - ROWS_MAX),
  undecided: report.groups.filter(({ isUndecided, countedPins }) => isUndecided && countedPins > 0).length,
  uncounted: report.groups.filter(({ countedPins }) => countedPins === 0).length,
  totals: toFigures(report.totals),
  gather: toGather(ctx, report),
});

const toAccountFigures = (sums: AccountSums): FiguresWire => ({ ...toFigures(sums), engagements: sums.engagements });

/** GET /api/users/pinterest/results/{accountId}/ */
export const toAccountResultsWire = ({ input, ...results }: AccountResults): AccountResultsWire => ({
  account_id: input.accountId,
  start_date: input.firstDay,
  end_date: input.lastDay,
  ready_through: results.readyThrough,
  sums: toAccountFigures(results.sums),
  before: results.before && {
    start_date: results.before.firstDay,
    end_date: results.before.lastDay,
    sums: toAccountFigures(results.before.sums),
  },
  days: results.days.map(({ date, status, figures }) => ({
    ...{ date, status },
    figures: figures && toAccountFigures(figures),
  })),
  fetched_at: toIso(results.askedAt),
});

const toTopPin = (ctx: Ctx<"pinterest">, { pinterestPinId, figures, own }: TopPin): TopPinWire => ({
  pinterest_pin_id: pinterestPinId,
  pinterest_url: ctx.pinterest.pinUrl(pinterestPinId),
  figures: toAccountFigures(figures),
  post: own && { id: own.id, title: own.title, keyword: own.keyword, image_url: `${IMAGE_PATH}${own.imageKey}` },
});

/** GET /api/users/pinterest/results/{accountId}/top-pins/ */
export const toTopPinsWire = ({ input, pins, askedAt }: TopPins, ctx: Ctx<"pinterest">): TopPinsWire => ({
  sort_by: input.sortBy,
  pins: pins.map((pin) => toTopPin(ctx, pin)),
  fetched_at: toIso(askedAt),
});
