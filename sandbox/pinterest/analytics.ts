import type { Context, Hono } from "hono";
import { isPlaying } from "../kit/apply-faults.ts";
import { createApp, type StandInEnv } from "../kit/serve.ts";
import {
  accountDay,
  type CountedPin,
  DAY_MS,
  type DayFacts,
  type DayRange,
  daysSince,
  pinDay,
  pullOf,
  type ReportDay,
  readRange,
  reportDays,
  sumDays,
  toMetrics,
} from "./analytics-numbers.ts";
import { authorize } from "./authorize.ts";
import { checkQuery } from "./boards.ts";
import type { Account, Pin } from "./model.ts";
import { ownPin } from "./pins.ts";
import { invalidRequest, REFUSALS, RefusedError } from "./refusals.ts";
import type { Pinterest } from "./wire.ts";

/** The days of a report as a fault that is being played spoils them; without one as they are. */
function disturbDays(c: Context<StandInEnv>, days: readonly ReportDay[]): unknown[] {
  if (isPlaying(c, "analytics-days-missing")) return days.filter((_, index) => index % 4 !== 3).toReversed();
  if (isPlaying(c, "analytics-nonsense")) return days.map((day, index) => nonsense(day, index));
  return [...days];
}

/** The pins of an answer about many, as a fault that is being played leaves them. */
function disturbPins<P>(c: Context<StandInEnv>, pins: readonly P[]): P[] {
  return isPlaying(c, "analytics-pins-missing") ? pins.filter((_, index) => index % 3 !== 2) : [...pins];
}

/** Every second day stays as it is. */
function nonsense(day: ReportDay, index: number): unknown {
  switch (index % 8) {
    case 1:
      return { ...day, metrics: { ...day.metrics, IMPRESSION: -7 } };
    case 3:
      return { ...day, metrics: { ...day.metrics, OUTBOUND_CLICK: 1e15 } };
    case 5:
      return { date: day.date, data_status: day.data_status };
    case 7:
      return { ...day, data_status: "ALMOST_READY" };
    default:
      return day;
  }
}

const ACCOUNT_METRICS = [
  "ENGAGEMENT",
  "ENGAGEMENT_RATE",
  "IMPRESSION",
  "OUTBOUND_CLICK",
  "OUTBOUND_CLICK_RATE",
  "PIN_CLICK",
  "PIN_CLICK_RATE",
  "SAVE",
  "SAVE_RATE",
];
const OF_PINS = { scopes: ["boards:read", "pins:read"], category: "org_analytics" } as const;
const OF_ACCOUNT = { scopes: ["user_accounts:read"], category: "org_analytics" } as const;
const TOP_PINS = { scopes: ["pins:read", "user_accounts:read"], category: "org_analytics" } as const;
/** A new account is not unseen. */
const LEAST_MONTHLY_VIEWS = 900;
const MOST_LIFETIME_DAYS = 730;
/** Only the newest pins compete for the top: thousands of them would make the call slow. */
const MOST_RANKED_PINS = 500;

/**
 * `GET /user_account/analytics`, `GET /user_account/analytics/top_pins`, `GET /pins/analytics` and
 * `GET /pins/:id/analytics`. The numbers depend on the account's id, or the pin's with its words, and the day alone.
 */
export function analyticsApi(pinterest: Pinterest): Hono<StandInEnv> {
  const app = createApp();
  app.get("/user_account/analytics", (c) => {
    const { account } = authorize(pinterest, c, OF_ACCOUNT);
    const query = checkQuery(pinterest, c, "/user_account/analytics");
    refuseSplit(query);
    const range = readRange(pinterest, c, REFUSALS.analyticsInvalid);
    const report = accountReport(account, range, query.metric_types?.split(",") ?? ACCOUNT_METRICS);
    return c.json({ all: disturbed(c, report) });
  });
  app.get("/user_account/analytics/top_pins", (c) => {
    const { account } = authorize(pinterest, c, TOP_PINS);
    return c.json(topPins(pinterest, c, account));
  });
  app.get("/pins/analytics", (c) => {
    const caller = authorize(pinterest, c, OF_PINS);
    if (!pinterest.settings.bulkAnalytics) throw new RefusedError(REFUSALS.restrictedFeature);
    const query = checkQuery(pinterest, c, "/pins/analytics");
    const range = readRange(pinterest, c, REFUSALS.pinAnalyticsInvalid);
    const ids = [...new Set(listOf(query.pin_ids))];
    const pins = ids.map((id) => pinterest.store.state.pins.get(id));
    if (pins.some((pin) => pin === undefined)) throw new RefusedError(REFUSALS.pinGone);
    if (pins.some((pin) => pin?.accountId !== caller.account.id)) throw new RefusedError(REFUSALS.pinsNotYours);
    const metrics = listOf(query.metric_types);
    const known = disturbPins(
      c,
      pins.filter((pin) => pin !== undefined),
    );
    const reports = known.map((pin) => [pin.id, { all: disturbed(c, pinReport(pinterest, pin, range, metrics)) }]);
    return c.json(Object.fromEntries(reports));
  });
  app.get("/pins/:id/analytics", (c) => {
    const caller = authorize(pinterest, c, OF_PINS);
    const query = checkQuery(pinterest, c, "/pins/{pin_id}/analytics");
    refuseSplit(query);
    const range = readRange(pinterest, c, REFUSALS.pinAnalyticsInvalid);
    const pin = ownPin(pinterest, caller, c.req.param("id"));
    return c.json({ all: disturbed(c, pinReport(pinterest, pin, range, listOf(query.metric_types))) });
  });
  return app;
}

function disturbed<R extends { daily_metrics: ReportDay[] }>(c: Context<StandInEnv>, report: R) {
  return { ...report, daily_metrics: disturbDays(c, report.daily_metrics) };
}

function accountReport(account: Account, range: DayRange, metrics: readonly string[]) {
  const views = Math.max(LEAST_MONTHLY_VIEWS, account.monthlyViews ?? 0);
  return reportDays(range, metrics, "", (day) => accountDay(account.id, views, day));
}

function countedPin({ store, settings }: Pinterest, { id, createdAt, title, description }: Pin): CountedPin {
  const firstMs = Date.parse(createdAt) - settings.analyticsHeadStartDays * DAY_MS;
  const pull = pullOf(`${title ?? ""} ${description ?? ""}`, store.state.planted);
  return { id, firstDay: new Date(firstMs).toISOString().slice(0, 10), pull };
}

/** A report looks at each day up to three times. */
function onceADay(factsOf: (day: string) => DayFacts): (day: string) => DayFacts {
  const known = new Map<string, DayFacts>();
  return (day) => {
    const facts = known.get(day) ?? factsOf(day);
    known.set(day, facts);
    return facts;
  };
}

function pinReport(pinterest: Pinterest, pin: Pin, range: DayRange, metrics: readonly string[]) {
  const counted = countedPin(pinterest, pin);
  const factsOf = onceADay((day) => pinDay(counted, day));
  const lifetime = daysSince(pinterest, counted.firstDay, MOST_LIFETIME_DAYS).map(factsOf);
  const whole = metrics.filter((name) => !name.endsWith("_RATE"));
  return {
    ...reportDays(range, metrics, counted.firstDay, factsOf),
    lifetime_metrics: toMetrics(sumDays(lifetime), whole),
  };
}

function topPins(pinterest: Pinterest, c: Context<StandInEnv>, account: Account) {
  const query = checkQuery(pinterest, c, "/user_account/analytics/top_pins");
  const range = readRange(pinterest, c, REFUSALS.analyticsInvalid);
  const { sort_by = "IMPRESSION", num_of_pins = "10" } = query;
  const metrics = query.metric_types?.split(",") ?? ACCOUNT_METRICS;
  const newest = (pinterest.store.state.pinsByAccount.get(account.id) ?? []).slice(-MOST_RANKED_PINS);
  const ranked = newest
    .map((pin) => ({ pin, sums: sumsOf(pinterest, pin, range, [...metrics, sort_by]) }))
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

function sumsOf(pinterest: Pinterest, pin: Pin, range: DayRange, metrics: readonly string[]): Record<string, number> {
  const counted = countedPin(pinterest, pin);
  return reportDays(range, metrics, counted.firstDay, (day) => pinDay(counted, day)).summary_metrics;
}

function refuseSplit(query: Record<string, string>): void {
  if ((query.split_field ?? "NO_SPLIT") === "NO_SPLIT") return;
  throw new RefusedError(invalidRequest(`split_field '${query.split_field}' is not played by this stand-in`));
}

function listOf(text: string | undefined): string[] {
  return (text ?? "").split(",").filter(Boolean);
}
