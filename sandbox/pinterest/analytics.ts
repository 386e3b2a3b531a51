import type { Context, Hono } from "hono";
import { isPlaying } from "../kit/apply-faults.ts";
import { createApp, type StandInEnv } from "../kit/serve.ts";
import {
  accountDay,
  DAY_MS,
  type DayFacts,
  METRICS,
  type Metric,
  pinDay,
  pullOf,
  sumDays,
  toMetrics,
} from "./analytics-numbers.ts";
import type { Account, Pin } from "./model.ts";
import { invalidRequest, REFUSALS, type Refusal, RefusedError } from "./refusals.ts";
import { authorize, checkQuery } from "./requests.ts";
import type { Pinterest } from "./wire.ts";

/** A new account is not unseen. */
const LEAST_MONTHLY_VIEWS = 900;
const MOST_DAYS = 90;
const MOST_LIFETIME_DAYS = 730;
/** Only the newest pins compete for the top: thousands of them would make the call slow. */
const MOST_RANKED_PINS = 500;
/** Days until a day's numbers are ready: today and yesterday are not. */
const PROCESSING_DAYS = 2;

/**
 * `GET /user_account/analytics`, `GET /user_account/analytics/top_pins`, `GET /pins/analytics` and
 * `GET /pins/:id/analytics`. The numbers depend on the account's id, or the pin's with its words, and the day alone.
 */
export function analyticsApi(pinterest: Pinterest): Hono<StandInEnv> {
  const app = createApp();
  app.get("/user_account/analytics", (c) => {
    const { account } = authorize(pinterest, c, "org_analytics", ["user_accounts:read"]);
    const query = checkQuery(pinterest, c, "/user_account/analytics");
    const range = readRange(pinterest, c, REFUSALS.analyticsInvalid);
    const views = Math.max(LEAST_MONTHLY_VIEWS, account.monthlyViews ?? 0);
    const report = reportDays(range, readMetrics(query), "", (day) => accountDay(account.id, views, day));
    return c.json({ all: disturb(c, report) });
  });
  app.get("/user_account/analytics/top_pins", (c) => {
    const { account } = authorize(pinterest, c, "org_analytics", ["pins:read", "user_accounts:read"]);
    return c.json(topPins(pinterest, c, account));
  });
  app.get("/pins/analytics", (c) => {
    const { account } = authorize(pinterest, c, "org_analytics", ["boards:read", "pins:read"]);
    if (!pinterest.settings.bulkAnalytics) throw new RefusedError(REFUSALS.restrictedFeature);
    const query = checkQuery(pinterest, c, "/pins/analytics");
    const range = readRange(pinterest, c, REFUSALS.pinAnalyticsInvalid);
    const ids = [...new Set(listOf(query.pin_ids))];
    const known = ids.flatMap((id) => pinterest.store.state.pins.get(id) ?? []);
    if (known.length < ids.length) throw new RefusedError(REFUSALS.pinGone);
    if (known.some(({ accountId }) => accountId !== account.id)) throw new RefusedError(REFUSALS.pinsNotYours);
    const isMissing = isPlaying(c, "analytics-pins-missing") ? (index: number) => index % 3 === 2 : () => false;
    const shown = known.filter((_, index) => !isMissing(index));
    const metrics = readMetrics(query);
    const reports = shown.map((pin) => [pin.id, { all: disturb(c, pinReport(pinterest, pin, range, metrics)) }]);
    return c.json(Object.fromEntries(reports));
  });
  app.get("/pins/:id/analytics", (c) => {
    const { account } = authorize(pinterest, c, "org_analytics", ["boards:read", "pins:read"]);
    const query = checkQuery(pinterest, c, "/pins/{pin_id}/analytics");
    const metrics = readMetrics(query);
    const range = readRange(pinterest, c, REFUSALS.pinAnalyticsInvalid);
    const pin = pinterest.store.state.pins.get(c.req.param("id"));
    if (pin === undefined) throw new RefusedError(REFUSALS.pinGone);
    if (pin.accountId !== account.id) throw new RefusedError(REFUSALS.notPermitted);
    return c.json({ all: disturb(c, pinReport(pinterest, pin, range, metrics)) });
  });
  return app;
}

/** Days of a report, oldest first, as `YYYY-MM-DD` in UTC. */
interface DayRange {
  days: string[];
  /** The first day that is not ready yet. */
  readyBefore: string;
}

/** One day of a report. */
interface ReportDay {
  date: string;
  data_status: string;
  metrics: Record<string, number>;
}

/**
 * Reads `start_date` and `end_date`: not in the wrong order, not in the future, at most 90 days back and long.
 * Pinterest's own sandbox has no analytics at all.
 * @throws RefusedError 403/29 in the sandbox, else `refusal`.
 */
function readRange(pinterest: Pinterest, c: Context<StandInEnv>, refusal: Refusal): DayRange {
  if (pinterest.settings.environment === "sandbox") throw new RefusedError(REFUSALS.notPermitted);
  const { start_date = "", end_date = "" } = c.req.query();
  const isInPast = end_date <= dayBefore(pinterest, 0) && start_date >= dayBefore(pinterest, MOST_DAYS);
  if (start_date > end_date || !isInPast) throw new RefusedError(refusal);
  const readyBefore = isPlaying(c, "analytics-processing") ? start_date : dayBefore(pinterest, PROCESSING_DAYS - 1);
  return { days: daysFrom(start_date, end_date), readyBefore };
}

function dayBefore({ clock }: Pinterest, days: number): string {
  return new Date(clock.now().getTime() - days * DAY_MS).toISOString().slice(0, 10);
}

/** Every day from the first to the last; none when they are in the wrong order. */
function daysFrom(first: string, last: string): string[] {
  const count = Math.max(0, (Date.parse(last) - Date.parse(first)) / DAY_MS + 1);
  const dayAt = (index: number) => new Date(Date.parse(first) + index * DAY_MS).toISOString().slice(0, 10);
  return Array.from({ length: count }, (_, index) => dayAt(index));
}

/** Daily metrics and their sum over the days that are ready. Days before `existsFrom` are marked as such. */
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

/** The first day on which a pin has figures, and what it did on a day. */
function figuresOf({ store, settings }: Pinterest, { id, createdAt, title, description }: Pin) {
  const firstMs = Date.parse(createdAt) - settings.analyticsHeadStartDays * DAY_MS;
  const firstDay = new Date(firstMs).toISOString().slice(0, 10);
  const pull = pullOf(`${title ?? ""} ${description ?? ""}`, store.state.planted);
  return { firstDay, factsOf: (day: string) => pinDay({ id, firstDay, pull }, day) };
}

function pinReport(pinterest: Pinterest, pin: Pin, range: DayRange, metrics: readonly Metric[]) {
  const { firstDay, factsOf } = figuresOf(pinterest, pin);
  const lifetime = daysFrom(firstDay, dayBefore(pinterest, PROCESSING_DAYS)).slice(0, MOST_LIFETIME_DAYS);
  return {
    ...reportDays(range, metrics, firstDay, factsOf),
    lifetime_metrics: toMetrics(sumDays(lifetime.map(factsOf)), metrics),
  };
}

function topPins(pinterest: Pinterest, c: Context<StandInEnv>, account: Account) {
  const query = checkQuery(pinterest, c, "/user_account/analytics/top_pins");
  const range = readRange(pinterest, c, REFUSALS.analyticsInvalid);
  const { sort_by = "IMPRESSION", num_of_pins = "10" } = query;
  const metrics = readMetrics(query);
  const sorted = readMetrics({ metric_types: sort_by });
  const newest = (pinterest.store.state.pinsByAccount.get(account.id) ?? []).slice(-MOST_RANKED_PINS);
  const ranked = newest
    .map((pin) => {
      const { firstDay, factsOf } = figuresOf(pinterest, pin);
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

/** A report as a fault that is being played spoils its days; without one as it is. */
function disturb<R extends { daily_metrics: ReportDay[] }>(c: Context<StandInEnv>, report: R) {
  const days = report.daily_metrics;
  if (isPlaying(c, "analytics-days-missing")) {
    return { ...report, daily_metrics: days.filter((_, index) => index % 4 !== 3).toReversed() };
  }
  return isPlaying(c, "analytics-nonsense") ? { ...report, daily_metrics: days.map(nonsense) } : report;
}

/** Every second day stays as it is. */
function nonsense(day: ReportDay, index: number): unknown {
  const { date, data_status, metrics } = day;
  if (index % 8 === 1) return { ...day, metrics: { ...metrics, IMPRESSION: -7 } };
  if (index % 8 === 3) return { ...day, metrics: { ...metrics, OUTBOUND_CLICK: 1e15 } };
  if (index % 8 === 5) return { date, data_status };
  return index % 8 === 7 ? { ...day, data_status: "ALMOST_READY" } : day;
}

/** @throws RefusedError for metrics that are not played, and for figures by source. */
function readMetrics({ metric_types, split_field = "NO_SPLIT" }: Record<string, string>): Metric[] {
  const names = metric_types === undefined ? METRICS : listOf(metric_types);
  const metrics = METRICS.filter((metric) => names.includes(metric));
  const strange = names.find((name) => !metrics.some((metric) => metric === name));
  if (strange === undefined && split_field === "NO_SPLIT") return metrics;
  throw new RefusedError(invalidRequest(`'${strange ?? split_field}' is not part of this stand-in`));
}

function listOf(text: string | undefined): string[] {
  return (text ?? "").split(",").filter(Boolean);
}
