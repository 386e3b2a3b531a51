import type { Context, Hono } from "hono";
import { isSimulating } from "../kit/faults.ts";
import { createApp, type StandInEnv } from "../kit/serve.ts";
import {
  accountDay,
  clickFactorOf,
  DAY_MS,
  type DayFacts,
  METRICS,
  type Metric,
  pinDay,
  sumDays,
  toMetrics,
} from "./analytics-numbers.ts";
import { ApiError, ERRORS, type ErrorReply, invalidRequest } from "./errors.ts";
import type { Account, Pin } from "./model.ts";
import { authorize, checkQuery } from "./requests.ts";
import type { Pinterest } from "./wire.ts";

/** A new account has some views, too. */
const MIN_MONTHLY_VIEWS = 900;
const MAX_DAYS = 90;
const MAX_LIFETIME_DAYS = 730;
/** Only the newest pins are ranked: thousands would make the call slow. */
const MAX_RANKED_PINS = 500;
/** Days until a day's metrics are ready: today and yesterday are not. */
const PROCESSING_DAYS = 2;

/** The metrics depend only on the day and the account's id, or the pin's id and text. */
export function analyticsApi(pinterest: Pinterest): Hono<StandInEnv> {
  const app = createApp();
  app.get("/user_account/analytics", (c) => {
    const { account } = authorize(pinterest, c, "org_analytics", ["user_accounts:read"]);
    const query = checkQuery(pinterest, c, "/user_account/analytics");
    const range = readRange(pinterest, c, ERRORS.analyticsInvalid);
    const views = Math.max(MIN_MONTHLY_VIEWS, account.monthlyViews ?? 0);
    const report = reportDays(range, readMetrics(query), "", (day) => accountDay(account.id, views, day));
    return c.json({ all: applyDataFaults(c, report) });
  });
  app.get("/user_account/analytics/top_pins", (c) => {
    const { account } = authorize(pinterest, c, "org_analytics", ["pins:read", "user_accounts:read"]);
    return c.json(topPins(pinterest, c, account));
  });
  app.get("/pins/analytics", (c) => {
    const { account } = authorize(pinterest, c, "org_analytics", ["boards:read", "pins:read"]);
    if (!pinterest.settings.bulkAnalytics) throw new ApiError(ERRORS.restrictedFeature);
    const query = checkQuery(pinterest, c, "/pins/analytics");
    const range = readRange(pinterest, c, ERRORS.pinAnalyticsInvalid);
    const ids = [...new Set(listOf(query.pin_ids))];
    const known = ids.flatMap((id) => pinterest.store.state.pins.get(id) ?? []);
    if (known.length < ids.length) throw new ApiError(ERRORS.pinNotFound);
    if (known.some(({ accountId }) => accountId !== account.id)) throw new ApiError(ERRORS.pinsNotYours);
    const isMissing = isSimulating(c, "analytics-pins-missing") ? (index: number) => index % 3 === 2 : () => false;
    const shown = known.filter((_, index) => !isMissing(index));
    const metrics = readMetrics(query);
    const reports = shown.map((pin) => [
      pin.id,
      { all: applyDataFaults(c, pinReport(pinterest, pin, range, metrics)) },
    ]);
    return c.json(Object.fromEntries(reports));
  });
  app.get("/pins/:id/analytics", (c) => {
    const { account } = authorize(pinterest, c, "org_analytics", ["boards:read", "pins:read"]);
    const query = checkQuery(pinterest, c, "/pins/{pin_id}/analytics");
    const metrics = readMetrics(query);
    const range = readRange(pinterest, c, ERRORS.pinAnalyticsInvalid);
    const pin = pinterest.store.state.pins.get(c.req.param("id"));
    if (pin === undefined) throw new ApiError(ERRORS.pinNotFound);
    if (pin.accountId !== account.id) throw new ApiError(ERRORS.notPermitted);
    return c.json({ all: applyDataFaults(c, pinReport(pinterest, pin, range, metrics)) });
  });
  return app;
}

/** Days of a report, oldest first, as `YYYY-MM-DD` in UTC. */
interface DayRange {
  days: string[];
  /** The first day that is not ready yet. */
  readyBefore: string;
}

interface ReportDay {
  date: string;
  data_status: string;
  metrics: Record<string, number>;
}

/** Reads the dates: in order, and in the last 90 days. @throws ApiError 403/29 in the sandbox, or else `reply`. */
function readRange(pinterest: Pinterest, c: Context<StandInEnv>, reply: ErrorReply): DayRange {
  if (pinterest.settings.environment === "sandbox") throw new ApiError(ERRORS.notPermitted);
  const { start_date = "", end_date = "" } = c.req.query();
  const isInPast = end_date <= dayBefore(pinterest, 0) && start_date >= dayBefore(pinterest, MAX_DAYS);
  if (start_date > end_date || !isInPast) throw new ApiError(reply);
  const readyBefore = isSimulating(c, "analytics-processing") ? start_date : dayBefore(pinterest, PROCESSING_DAYS - 1);
  return { days: daysFrom(start_date, end_date), readyBefore };
}

function dayBefore({ clock }: Pinterest, days: number): string {
  return new Date(clock.now().getTime() - days * DAY_MS).toISOString().slice(0, 10);
}

/** Every day from the first to the last; empty if they are out of order. */
function daysFrom(first: string, last: string): string[] {
  const count = Math.max(0, (Date.parse(last) - Date.parse(first)) / DAY_MS + 1);
  const dayAt = (index: number) => new Date(Date.parse(first) + index * DAY_MS).toISOString().slice(0, 10);
  return Array.from({ length: count }, (_, index) => dayAt(index));
}

/** Daily metrics and their sum over the ready days. Days before `existsFrom` are marked. */
function reportDays(
  { days, readyBefore }: DayRange,
  metrics: readonly Metric[],
  existsFrom: string,
  factsOf: (day: string) => DayFacts,
): { summary_metrics: Record<string, number>; daily_metrics: ReportDay[] } {
  const ready = new Map(
    days.filter((day) => day >= existsFrom && day < readyBefore).map((day) => [day, factsOf(day)] as const),
  );
  return {
    summary_metrics: toMetrics(sumDays([...ready.values()]), metrics),
    daily_metrics: days.map((date) => {
      const facts = ready.get(date);
      if (facts !== undefined) return { date, data_status: "READY", metrics: toMetrics(facts, metrics) };
      return { date, data_status: date < existsFrom ? "BEFORE_PIN_CREATED" : "PROCESSING", metrics: {} };
    }),
  };
}

/** The first day with metrics of a pin, and its metrics by day. */
function metricsOf({ store, settings }: Pinterest, { id, createdAt, title, description }: Pin) {
  const firstMs = Date.parse(createdAt) - settings.analyticsHeadStartDays * DAY_MS;
  const firstDay = new Date(firstMs).toISOString().slice(0, 10);
  const clickFactor = clickFactorOf(`${title ?? ""} ${description ?? ""}`, store.state.planted);
  return { firstDay, factsOf: (day: string) => pinDay({ id, firstDay, clickFactor }, day) };
}

function pinReport(pinterest: Pinterest, pin: Pin, range: DayRange, metrics: readonly Metric[]) {
  const { firstDay, factsOf } = metricsOf(pinterest, pin);
  const lifetime = daysFrom(firstDay, dayBefore(pinterest, PROCESSING_DAYS)).slice(0, MAX_LIFETIME_DAYS);
  return {
    ...reportDays(range, metrics, firstDay, factsOf),
    lifetime_metrics: toMetrics(sumDays(lifetime.map(factsOf)), metrics),
  };
}

function topPins(pinterest: Pinterest, c: Context<StandInEnv>, account: Account) {
  const query = checkQuery(pinterest, c, "/user_account/analytics/top_pins");
  const range = readRange(pinterest, c, ERRORS.analyticsInvalid);
  const { sort_by = "IMPRESSION", num_of_pins = "10" } = query;
  const metrics = readMetrics(query);
  const sorted = readMetrics({ metric_types: sort_by });
  const newest = (pinterest.store.state.pinsByAccount.get(account.id) ?? []).slice(-MAX_RANKED_PINS);
  const ranked = newest
    .map((pin) => {
      const { firstDay, factsOf } = metricsOf(pinterest, pin);
      return { pin, sums: reportDays(range, [...metrics, ...sorted], firstDay, factsOf).summary_metrics };
    })
    .sort((a, b) => (b.sums[sort_by] ?? 0) - (a.sums[sort_by] ?? 0))
    .slice(0, Number(num_of_pins));
  return {
    date_availability: { latest_available_timestamp: Date.parse(range.readyBefore) - 1, is_realtime: false },
    sort_by,
    pins: ranked.map(({ pin, sums }) => ({
      pin_id: pin.id,
      metrics: Object.fromEntries(metrics.map((name) => [name, sums[name] ?? 0])),
      data_status: Object.fromEntries(metrics.map((name) => [name, "READY"])),
    })),
  };
}

/** Applies the fault of this request, if any, to a report's days. */
function applyDataFaults<R extends { daily_metrics: ReportDay[] }>(c: Context<StandInEnv>, report: R) {
  const days = report.daily_metrics;
  if (isSimulating(c, "analytics-days-missing")) {
    return { ...report, daily_metrics: days.filter((_, index) => index % 4 !== 3).toReversed() };
  }
  return isSimulating(c, "analytics-nonsense") ? { ...report, daily_metrics: days.map(corruptDay) } : report;
}

function corruptDay(day: ReportDay, index: number): unknown {
  const { date, data_status, metrics } = day;
  if (index % 8 === 1) return { ...day, metrics: { ...metrics, IMPRESSION: -7 } };
  if (index % 8 === 3) return { ...day, metrics: { ...metrics, OUTBOUND_CLICK: 1e15 } };
  if (index % 8 === 5) return { date, data_status };
  return index % 8 === 7 ? { ...day, data_status: "ALMOST_READY" } : day;
}

/** @throws ApiError for metrics that are not simulated, and for metrics by source. */
function readMetrics({ metric_types, split_field = "NO_SPLIT" }: Record<string, string>): Metric[] {
  const names = metric_types === undefined ? METRICS : listOf(metric_types);
  const metrics = METRICS.filter((metric) => names.includes(metric));
  const unsupported = names.find((name) => !metrics.some((metric) => metric === name));
  if (unsupported === undefined && split_field === "NO_SPLIT") return metrics;
  throw new ApiError(invalidRequest(`'${unsupported ?? split_field}' is not supported by this stand-in`));
}

function listOf(text: string | undefined): string[] {
  return (text ?? "").split(",").filter(Boolean);
}
