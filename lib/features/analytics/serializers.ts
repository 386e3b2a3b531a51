import "server-only";
import type { Ctx } from "#lib/context.ts";
import { toIso, toIsoOrNull } from "#lib/core/time.ts";
import { pinImageUrl } from "#lib/features/pins/image-urls.ts";
import { ROWS_MAX } from "./constants.ts";
import type { AccountAnalytics, TopPin, TopPins } from "./pin-metrics.ts";
import {
  type AccountSums,
  clickRateOf,
  type EvaluatedGroup,
  type MeasuredVariant,
  type Sums,
  syncStateOf,
} from "./policy.ts";
import type { Report } from "./report.ts";
import type {
  AccountAnalyticsWire,
  MetricsWire,
  ReportRowWire,
  ReportWire,
  SyncWire,
  TopPinsWire,
  TopPinWire,
  VariantWire,
} from "./schema.ts";

const toMetricsWire = ({ impressions, pinClicks, outboundClicks, saves }: Sums): ReportWire["totals"] => ({
  ...{ impressions, pin_clicks: pinClicks },
  ...{ outbound_clicks: outboundClicks, saves },
});

const toRow = ({ key, label, pins, countedPins, sums, click, isUndecided }: EvaluatedGroup): ReportRowWire => ({
  key,
  label,
  pins,
  counted_pins: countedPins,
  figures: toMetricsWire(sums),
  click_rate: click?.rate ?? null,
  click_rate_low: click?.low ?? null,
  click_rate_high: click?.high ?? null,
  is_undecided: isUndecided,
});

export const toVariantWire = (ctx: Ctx, pin: MeasuredVariant): VariantWire => ({
  ...{ id: pin.id, title: pin.title, keyword: pin.keyword, link: pin.link, board_id: pin.boardId },
  image_url: pinImageUrl(ctx, { imageKey: pin.imageKey, status: pin.status }),
  published_at: toIso(pin.publishedAt),
  ...{ impressions: pin.impressions, outbound_clicks: pin.outboundClicks, click_rate: clickRateOf(pin) },
});

const toSyncWire = (ctx: Ctx, { coverage, sync, isConnected }: Report): SyncWire => {
  const { published, counted, gone, refused, oldestAt, newestAt } = coverage;
  const state = syncStateOf(sync, { hours: ctx.settings.analyticsCacheHours, now: ctx.now(), isConnected });
  return {
    state,
    ...{ published, counted, gone, refused },
    oldest_at: toIsoOrNull(oldestAt),
    newest_at: toIsoOrNull(newestAt),
    resumes_at: state === "waiting" ? toIsoOrNull(sync?.resumesAt ?? null) : null,
    text: state === "waiting" || state === "held" ? (sync?.problemText ?? null) : null,
  };
};

export const toReportWire = (report: Report, ctx: Ctx): ReportWire => ({
  by: report.input.by,
  start_date: report.input.firstDay,
  end_date: report.input.lastDay,
  rows: report.groups.slice(0, ROWS_MAX).map(toRow),
  more: Math.max(0, report.groups.length - ROWS_MAX),
  undecided: report.groups.filter(({ isUndecided, countedPins }) => isUndecided && countedPins > 0).length,
  uncounted: report.groups.filter(({ countedPins }) => countedPins === 0).length,
  totals: toMetricsWire(report.totals),
  gather: toSyncWire(ctx, report),
});

const toAccountMetrics = (sums: AccountSums): MetricsWire => ({
  ...toMetricsWire(sums),
  engagements: sums.engagements,
});

export const toAccountAnalyticsWire = ({ input, ...results }: AccountAnalytics): AccountAnalyticsWire => ({
  account_id: input.accountId,
  start_date: input.firstDay,
  end_date: input.lastDay,
  ready_through: results.readyThrough,
  sums: toAccountMetrics(results.sums),
  before: results.before && {
    start_date: results.before.firstDay,
    end_date: results.before.lastDay,
    sums: toAccountMetrics(results.before.sums),
  },
  days: results.days.map(({ date, status, metrics }) => ({
    ...{ date, status },
    figures: metrics && toAccountMetrics(metrics),
  })),
  fetched_at: toIso(results.requestedAt),
});

const toTopPin = (ctx: Ctx<"pinterest">, { pinterestPinId, metrics, own }: TopPin): TopPinWire => ({
  pinterest_pin_id: pinterestPinId,
  pinterest_url: ctx.pinterest.pinUrl(pinterestPinId),
  figures: toAccountMetrics(metrics),
  post: own && {
    id: own.id,
    title: own.title,
    keyword: own.keyword,
    image_url: pinImageUrl(ctx, { ...own, status: "published" }),
  },
});

export const toTopPinsWire = ({ input, pins, requestedAt }: TopPins, ctx: Ctx<"pinterest">): TopPinsWire => ({
  sort_by: input.sortBy,
  pins: pins.map((pin) => toTopPin(ctx, pin)),
  fetched_at: toIso(requestedAt),
});
