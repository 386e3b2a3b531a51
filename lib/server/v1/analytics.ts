import "server-only";
import { z } from "zod";
import { DIMENSIONS, METRICS } from "#lib/features/analytics/constants.ts";
import { readAccountAnalytics, readTopPins } from "#lib/features/analytics/pin-metrics.ts";
import { readReport } from "#lib/features/analytics/report.ts";
import { accountAnalyticsInput, type MetricsWire, reportInput, topPinsInput } from "#lib/features/analytics/schema.ts";
import { toAccountAnalyticsWire, toReportWire, toTopPinsWire } from "#lib/features/analytics/serializers.ts";
import { parse } from "../pipeline.ts";
import { accountParams } from "./accounts.ts";
import { count, day, listOf, time } from "./fields.ts";
import { type Operation, operation } from "./operation.ts";

const pinMetrics = z
  .object({
    impressions: count("How often pins were shown."),
    pin_clicks: count("How often pins were opened."),
    outbound_clicks: count("Clicks on links."),
    saves: count("How often pins were saved."),
  })
  .meta({ id: "PinMetrics" });

const metrics = pinMetrics.extend({ engagements: count("Clicks and saves.") }).meta({ id: "AccountMetrics" });

const toMetrics = (wire: MetricsWire): z.output<typeof metrics> => ({
  ...{ impressions: wire.impressions, pin_clicks: wire.pin_clicks, outbound_clicks: wire.outbound_clicks },
  ...{ saves: wire.saves, engagements: wire.engagements },
});

const span = {
  start_date: z.iso.date().meta({ description: "A UTC date within the last 90 days." }),
  end_date: z.iso.date().meta({ description: "A UTC date within the last 90 days, not before the start." }),
};

const analytics = z
  .object({
    start_date: day("The first day."),
    end_date: day("The last day."),
    ready_through: day("The last day whose numbers are final.").nullable(),
    totals: metrics.meta({ description: "Totals of the days that are final." }),
    previous: z
      .object({ start_date: day("Its first day."), end_date: day("Its last day."), totals: metrics })
      .nullable()
      .meta({ description: "The preceding period of the same length; null when Pinterest has no data that old." }),
    days: z.array(
      z.object({
        date: day("A UTC date."),
        status: z.enum(["ready", "processing", "unknown"]),
        metrics: metrics.nullable(),
      }),
    ),
    fetched_at: time("When the data was requested from Pinterest."),
  })
  .meta({ id: "AccountAnalytics" });

const topPin = z
  .object({
    pinterest_pin_id: z.string(),
    pinterest_url: z.string(),
    metrics,
    pin_id: z.string().nullable().meta({ description: "The pin's ID here, if it was published here." }),
    title: z.string().nullable(),
    keyword: z.string().nullable(),
  })
  .meta({ id: "TopPin" });

const row = z
  .object({
    key: z.string().meta({ description: "A keyword, a board's ID, 1 (Monday) to 7, 0 to 23 …; empty if not set." }),
    label: z.string().nullable(),
    pins: count("Published pins."),
    counted_pins: count("Those with metrics."),
    metrics: pinMetrics,
    click_rate: z.number().nullable().meta({ description: "Outbound clicks per impression, 0 to 1." }),
    click_rate_low: z.number().nullable().meta({ description: "The lower end of its 95% interval." }),
    click_rate_high: z.number().nullable().meta({ description: "The upper end of its 95% interval." }),
    is_undecided: z.boolean().meta({ description: "Too few impressions to tell." }),
  })
  .meta({ id: "ReportRow" });

const report = z
  .object({
    by: z.enum(DIMENSIONS),
    start_date: day("The first day."),
    end_date: day("The last day."),
    rows: z.array(row),
    more: count("Rows beyond these."),
    totals: pinMetrics,
  })
  .meta({ id: "Report" });

const fromPinterest = ["not_found", "reconnect_needed", "refused", "provider_failed", "provider_unavailable"] as const;

const shared = { method: "GET", tag: "Analytics", scope: "analytics:read", params: accountParams } as const;

export const analyticsOperations: readonly Operation[] = [
  operation({
    ...{ ...shared, id: "getAnalytics", path: "/accounts/{account_id}/analytics" },
    summary: "Get an account's analytics by day",
    query: z.strictObject(span),
    ...{ response: analytics, errors: fromPinterest },
    run: async (ctx, { params, query }) => {
      const input = parse(accountAnalyticsInput, { accountId: params.account_id, ...query });
      const wire = toAccountAnalyticsWire(await readAccountAnalytics(ctx, input));
      const { start_date, end_date, ready_through, before, fetched_at } = wire;
      return {
        ...{ start_date, end_date, ready_through, totals: toMetrics(wire.sums) },
        previous: before && {
          ...{ start_date: before.start_date, end_date: before.end_date },
          totals: toMetrics(before.sums),
        },
        days: wire.days.map(({ date, status, figures }) => ({ date, status, metrics: figures && toMetrics(figures) })),
        fetched_at,
      };
    },
  }),
  operation({
    ...{ ...shared, id: "listTopPins", path: "/accounts/{account_id}/analytics/top-pins" },
    summary: "List an account's top pins",
    query: z.strictObject({ ...span, sort_by: z.enum(METRICS).default("impressions") }),
    ...{ response: listOf(topPin).meta({ id: "TopPinList" }), errors: fromPinterest },
    run: async (ctx, { params, query }) => {
      const input = parse(topPinsInput, { accountId: params.account_id, ...query });
      const { pins } = toTopPinsWire(await readTopPins(ctx, input), ctx);
      return {
        data: pins.map(({ pinterest_pin_id, pinterest_url, figures, post }) => ({
          ...{ pinterest_pin_id, pinterest_url, metrics: toMetrics(figures) },
          ...{ pin_id: post?.id ?? null, title: post?.title ?? null, keyword: post?.keyword ?? null },
        })),
      };
    },
  }),
  operation({
    ...{ ...shared, id: "getReport", path: "/accounts/{account_id}/analytics/report" },
    summary: "Compare published pins by keyword, board, time, or style",
    description: "Pins published in these days, with their stored metrics.",
    query: z.strictObject({ ...span, by: z.enum(DIMENSIONS).default("keyword") }),
    ...{ response: report, errors: fromPinterest },
    run: async (ctx, { params, query }) => {
      const input = parse(reportInput, { accountId: params.account_id, ...query });
      const { by, start_date, end_date, rows, more, totals } = toReportWire(await readReport(ctx, input), ctx);
      return {
        ...{ by, start_date, end_date, more, totals },
        rows: rows.map(({ figures, ...rest }) => ({ ...rest, metrics: figures })),
      };
    },
  }),
];
