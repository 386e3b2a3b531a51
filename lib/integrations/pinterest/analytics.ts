import { z } from "zod";
import { DAY_MS } from "#lib/core/time.ts";
import { problemOf, type Reply, readCallsLeft, send, successOf } from "./http.ts";
import type {
  DaySpan,
  FiguresAnswer,
  PinterestAccountFigures,
  PinterestDay,
  PinterestPinFigures,
  PinterestPort,
  PinterestTopPin,
} from "./port.ts";

/**
 * More than any pin or account has in a day. Sums of 90 such days of a pin still fit the 31 bits of a column; a larger
 * number is a fault of whoever sent it, and its day counts as unknown.
 */
const PIN_DAY_MAX = 20_000_000;
const ACCOUNT_DAY_MAX = 10_000_000_000;
const DAYS_MAX = 400;
const PINS_MAX = 50;

/** One number of a day: Pinterest leaves out what did not happen, and writes whole numbers as floats. */
const countUpTo = (most: number) =>
  z
    .number()
    .min(0)
    .max(most)
    .nullish()
    .transform((value) => Math.round(value ?? 0));

const pinFigures = (most: number) => ({
  // A day on which nothing is said of impressions says nothing at all.
  IMPRESSION: z.number().min(0).max(most).transform(Math.round),
  PIN_CLICK: countUpTo(most),
  OUTBOUND_CLICK: countUpTo(most),
  SAVE: countUpTo(most),
});

type PinNumbers = { IMPRESSION: number; PIN_CLICK: number; OUTBOUND_CLICK: number; SAVE: number };

const toPinFigures = (raw: PinNumbers): PinterestPinFigures => ({
  impressions: raw.IMPRESSION,
  pinClicks: raw.PIN_CLICK,
  outboundClicks: raw.OUTBOUND_CLICK,
  saves: raw.SAVE,
});

const pinMetrics = z.object(pinFigures(PIN_DAY_MAX)).transform(toPinFigures);

const accountMetrics = z
  .object({ ...pinFigures(ACCOUNT_DAY_MAX), ENGAGEMENT: countUpTo(ACCOUNT_DAY_MAX) })
  .transform((raw): PinterestAccountFigures => ({ ...toPinFigures(raw), engagements: raw.ENGAGEMENT }));

const wireDay = z.object({ date: z.iso.date(), data_status: z.string(), metrics: z.unknown() });
type WireDay = z.output<typeof wireDay>;

/** `all`: figures of pins and ads, of every device, as long as no split is asked for. */
const report = z.object({ all: z.object({ daily_metrics: z.array(z.unknown()).max(DAYS_MAX) }) });

const PROCESSING = ["PROCESSING", "ESTIMATE"];

const toDay = <F>(date: string, told: WireDay | undefined, metrics: z.ZodType<F>): PinterestDay<F> => {
  if (told && PROCESSING.includes(told.data_status)) return { date, status: "processing", figures: null };
  const figures = told?.data_status === "READY" ? metrics.safeParse(told.metrics).data : undefined;
  return figures === undefined ? { date, status: "unknown", figures: null } : { date, status: "ready", figures };
};

const daysOf = ({ firstDay, lastDay }: DaySpan): string[] => {
  const count = Math.floor((Date.parse(lastDay) - Date.parse(firstDay)) / DAY_MS) + 1;
  return Array.from({ length: Math.max(0, count) }, (_, index) =>
    new Date(Date.parse(firstDay) + index * DAY_MS).toISOString().slice(0, 10),
  );
};

/** Every day of the span once and in order, whatever order, gaps, doubles and strangers came; null for another shape. */
const readDays = <F>(body: unknown, span: DaySpan, metrics: z.ZodType<F>): PinterestDay<F>[] | null => {
  const parsed = report.safeParse(body);
  if (!parsed.success) return null;
  const told = new Map<string, WireDay>();
  for (const one of parsed.data.all.daily_metrics) {
    const day = wireDay.safeParse(one).data;
    if (day && !told.has(day.date)) told.set(day.date, day);
  }
  return daysOf(span).map((date) => toDay(date, told.get(date), metrics));
};

/** `GET /user_account/analytics` */
const readAccountDays = (body: unknown, span: DaySpan): PinterestDay<PinterestAccountFigures>[] | null =>
  readDays(body, span, accountMetrics);

/** `GET /pins/{pin_id}/analytics` */
const readPinDays = (body: unknown, span: DaySpan): PinterestDay<PinterestPinFigures>[] | null =>
  readDays(body, span, pinMetrics);

/** `GET /pins/analytics`: of the asked pins those that can be read. Null for another shape. */
const readReports = (
  body: unknown,
  pinterestPinIds: readonly string[],
  span: DaySpan,
): Map<string, PinterestDay<PinterestPinFigures>[]> | null => {
  const reports = z.record(z.string(), z.unknown()).safeParse(body).data;
  if (!reports) return null;
  const known = new Map<string, PinterestDay<PinterestPinFigures>[]>();
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
    isFinal(raw.data_status ?? {}) ? { pinterestPinId: raw.pin_id, figures: raw.metrics } : null,
  );

/** `GET /user_account/analytics/top_pins`. Pins that cannot be read, and those not yet final, are left out. */
const topPinsShape = z
  .object({ pins: z.array(topPin.nullable().catch(null)).max(PINS_MAX) })
  .transform(({ pins }) => pins.filter((pin) => pin !== null));

const PIN_METRICS = "IMPRESSION,PIN_CLICK,OUTBOUND_CLICK,SAVE";
const ACCOUNT_METRICS = `ENGAGEMENT,${PIN_METRICS}`;

const SORT_NAMES: Record<keyof PinterestAccountFigures, string> = {
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

/** A reply as a value: `read` gives null for what cannot be read, which is then Pinterest's fault. */
const toAnswer = <T>(reply: Reply, read: (body: unknown) => T | null): FiguresAnswer<T> => {
  const success = successOf(reply);
  const value = success && read(success.body);
  if (reply.kind === "silence" || value === null) return { kind: "problem", problem: problemOf(reply) };
  return { kind: "ok", value, callsLeft: readCallsLeft(reply.headers, new Date()) };
};

type AnalyticsCalls = Pick<
  PinterestPort,
  "readAccountAnalytics" | "readTopPins" | "readPinAnalytics" | "readPinsAnalytics"
>;

/** The four calls for figures (BRIEF §2); all count against `org_analytics`, 60 a minute and user. */
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
