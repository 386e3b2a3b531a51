import { readAccountDays, readPinDays, readReports, topPinsShape } from "./analytics-wire.ts";
import { problemOf, type Reply, send, successOf } from "./http.ts";
import type { DaySpan, FiguresAnswer, PinterestAccountFigures, PinterestPort } from "./port.ts";
import { readCallsLeft } from "./waits.ts";

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
