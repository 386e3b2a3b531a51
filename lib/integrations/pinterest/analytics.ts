import { z } from "zod";
import { DAY_MS } from "#lib/core/time.ts";
import { parseCallsLeft, problemOf, type Reply, send, successOf } from "./http.ts";
import type {
  DaySpan,
  MetricsAnswer,
  PinterestAccountMetrics,
  PinterestDay,
  PinterestPinMetrics,
  PinterestPort,
  PinterestTopPin,
} from "./port.ts";

/** Above any real value. Sums of 90 days still fit a 32-bit column; a day with a larger number counts as unknown. */
const PIN_DAY_MAX = 20_000_000;
const ACCOUNT_DAY_MAX = 10_000_000_000;
const DAYS_MAX = 400;
const PINS_MAX = 50;

/** Pinterest omits zeros and writes integers as floats. */
const countSchema = (most: number) =>
  z
    .number()
    .min(0)
    .max(most)
    .nullish()
    .transform((value) => Math.round(value ?? 0));

const countSchemas = (most: number) => ({
  // A day without impressions is treated as missing.
  IMPRESSION: z.number().min(0).max(most).transform(Math.round),
  PIN_CLICK: countSchema(most),
  OUTBOUND_CLICK: countSchema(most),
  SAVE: countSchema(most),
});

type RawMetrics = { IMPRESSION: number; PIN_CLICK: number; OUTBOUND_CLICK: number; SAVE: number };

const toPinMetrics = (raw: RawMetrics): PinterestPinMetrics => ({
  impressions: raw.IMPRESSION,
  pinClicks: raw.PIN_CLICK,
  outboundClicks: raw.OUTBOUND_CLICK,
  saves: raw.SAVE,
});

const pinMetrics = z.object(countSchemas(PIN_DAY_MAX)).transform(toPinMetrics);

const accountMetrics = z
  .object({ ...countSchemas(ACCOUNT_DAY_MAX), ENGAGEMENT: countSchema(ACCOUNT_DAY_MAX) })
  .transform((raw): PinterestAccountMetrics => ({ ...toPinMetrics(raw), engagements: raw.ENGAGEMENT }));

const wireDay = z.object({ date: z.iso.date(), data_status: z.string(), metrics: z.unknown() });
type WireDay = z.output<typeof wireDay>;

/** `all`: pins and ads on every device. */
const reportShape = z.object({ all: z.object({ daily_metrics: z.array(z.unknown()).max(DAYS_MAX) }) });

const PROCESSING = ["PROCESSING", "ESTIMATE"];

const toDay = <F>(date: string, reported: WireDay | undefined, schema: z.ZodType<F>): PinterestDay<F> => {
  if (reported && PROCESSING.includes(reported.data_status)) return { date, status: "processing", metrics: null };
  const metrics = reported?.data_status === "READY" ? schema.safeParse(reported.metrics).data : undefined;
  return metrics === undefined ? { date, status: "unknown", metrics: null } : { date, status: "ready", metrics };
};

const daysOf = ({ firstDay, lastDay }: DaySpan): string[] => {
  const count = Math.floor((Date.parse(lastDay) - Date.parse(firstDay)) / DAY_MS) + 1;
  return Array.from({ length: Math.max(0, count) }, (_, index) =>
    new Date(Date.parse(firstDay) + index * DAY_MS).toISOString().slice(0, 10),
  );
};

const readDays = <F>(body: unknown, span: DaySpan, schema: z.ZodType<F>): PinterestDay<F>[] | null => {
  const parsed = reportShape.safeParse(body);
  if (!parsed.success) return null;
  const reported = new Map<string, WireDay>();
  for (const item of parsed.data.all.daily_metrics) {
    const day = wireDay.safeParse(item).data;
    if (day && !reported.has(day.date)) reported.set(day.date, day);
  }
  return daysOf(span).map((date) => toDay(date, reported.get(date), schema));
};

/** `GET /user_account/analytics` */
const readAccountDays = (body: unknown, span: DaySpan): PinterestDay<PinterestAccountMetrics>[] | null =>
  readDays(body, span, accountMetrics);

/** `GET /pins/{pin_id}/analytics` */
const readPinDays = (body: unknown, span: DaySpan): PinterestDay<PinterestPinMetrics>[] | null =>
  readDays(body, span, pinMetrics);

/** `GET /pins/analytics`: the requested pins whose reports are readable; null if the body is malformed. */
const readReports = (
  body: unknown,
  pinterestPinIds: readonly string[],
  span: DaySpan,
): Map<string, PinterestDay<PinterestPinMetrics>[]> | null => {
  const reports = z.record(z.string(), z.unknown()).safeParse(body).data;
  if (!reports) return null;
  const known = new Map<string, PinterestDay<PinterestPinMetrics>[]>();
  for (const id of pinterestPinIds) {
    const days = readPinDays(reports[id], span);
    if (days) known.set(id, days);
  }
  return known;
};

const isFinal = (statuses: Record<string, string>): boolean =>
  Object.values(statuses).every((status) => status === "READY");

const topPin = z
  .object({
    pin_id: z.string().min(1).max(100),
    metrics: accountMetrics,
    data_status: z.record(z.string(), z.string()).nullish(),
  })
  .transform((raw): PinterestTopPin | null =>
    isFinal(raw.data_status ?? {}) ? { pinterestPinId: raw.pin_id, metrics: raw.metrics } : null,
  );

/** `GET /user_account/analytics/top_pins`. Leaves out pins that are unreadable or not final. */
const topPinsShape = z
  .object({ pins: z.array(topPin.nullable().catch(null)).max(PINS_MAX) })
  .transform(({ pins }) => pins.filter((pin) => pin !== null));

const PIN_METRICS = "IMPRESSION,PIN_CLICK,OUTBOUND_CLICK,SAVE";
const ACCOUNT_METRICS = `ENGAGEMENT,${PIN_METRICS}`;

const SORT_NAMES: Record<keyof PinterestAccountMetrics, string> = {
  impressions: "IMPRESSION",
  engagements: "ENGAGEMENT",
  pinClicks: "PIN_CLICK",
  outboundClicks: "OUTBOUND_CLICK",
  saves: "SAVE",
};

const datesOf = ({ firstDay, lastDay }: DaySpan): Record<string, string> => ({
  start_date: firstDay,
  end_date: lastDay,
});

const toAnswer = <T>(reply: Reply, read: (body: unknown) => T | null): MetricsAnswer<T> => {
  const success = successOf(reply);
  const value = success && read(success.body);
  if (reply.kind === "no_response" || value === null) return { kind: "problem", problem: problemOf(reply) };
  return { kind: "ok", value, callsLeft: parseCallsLeft(reply.headers, new Date()) };
};

type AnalyticsCalls = Pick<
  PinterestPort,
  "readAccountAnalytics" | "readTopPins" | "readPinAnalytics" | "readPinsAnalytics"
>;

/** The four analytics calls; all count against `org_analytics`, 60 per minute and user. */
export const createAnalyticsCalls = ({ apiUrl, timeoutMs }: { apiUrl: string; timeoutMs: number }): AnalyticsCalls => {
  const get = (accessToken: string, path: string, query: Record<string, string>): Promise<Reply> =>
    send({
      method: "GET",
      url: `${apiUrl}${path}?${new URLSearchParams(query)}`,
      headers: { authorization: `Bearer ${accessToken}` },
      timeoutMs,
    });

  return {
    readAccountAnalytics: async (accessToken, span) => {
      const query = { ...datesOf(span), metric_types: ACCOUNT_METRICS };
      const reply = await get(accessToken, "/user_account/analytics", query);
      return toAnswer(reply, (body) => readAccountDays(body, span));
    },
    readTopPins: async (accessToken, { sortBy, count, ...span }) => {
      const sort = { sort_by: SORT_NAMES[sortBy], num_of_pins: String(count) };
      const query = { ...datesOf(span), ...sort, metric_types: ACCOUNT_METRICS };
      const reply = await get(accessToken, "/user_account/analytics/top_pins", query);
      return toAnswer(reply, (body) => topPinsShape.safeParse(body).data ?? null);
    },
    readPinAnalytics: async (accessToken, pinterestPinId, span) => {
      const path = `/pins/${encodeURIComponent(pinterestPinId)}/analytics`;
      const reply = await get(accessToken, path, { ...datesOf(span), metric_types: PIN_METRICS });
      return toAnswer(reply, (body) => readPinDays(body, span));
    },
    readPinsAnalytics: async (accessToken, pinterestPinIds, span) => {
      const query = { pin_ids: pinterestPinIds.join(","), ...datesOf(span), metric_types: PIN_METRICS };
      const reply = await get(accessToken, "/pins/analytics", query);
      return toAnswer(reply, (body) => readReports(body, pinterestPinIds, span));
    },
  };
};
