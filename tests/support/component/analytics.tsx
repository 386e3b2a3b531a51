import { readAnalyticsQuery, shownDays } from "#components/analytics/analytics-query.ts";
import { AnalyticsScreen } from "#components/analytics/analytics-screen.tsx";
import { DIMENSIONS } from "#lib/features/analytics/constants.ts";
import { shiftDay } from "#lib/features/analytics/policy.ts";
import type {
  AccountAnalyticsWire,
  AnalyticsDayWire,
  MetricsWire,
  ReportRowWire,
  ReportWire,
  SyncWire,
  TopPinsWire,
} from "#lib/features/analytics/schema.ts";
import type { Answers, RecordedCall } from "./calls.ts";
import { renderScreen } from "./render.tsx";
import { IMAGE } from "./wires.ts";

export const REPORT = "GET /api/users/pinterest/results/*/report/";
export const ACCOUNT = "GET /api/users/pinterest/results/*/";
export const TOP = "GET /api/users/pinterest/results/*/top-pins/";
export const POST = "GET /api/users/pinterest/generated-pins/*/";
const BOARDS = "GET /api/users/pinterest/boards/*/";
const REQUEST_SYNC = "ACTION requestSyncAction";
export const VARIANTS = "ACTION readVariantsAction";

const NOW = "2026-11-23T08:30:00.000Z";
const READ_AT = "2026-11-23T08:00:00.000Z";
export const WINNER = "winter baking";
const METRIC_VALUES: MetricsWire = { impressions: 100, engagements: 40, pin_clicks: 20, outbound_clicks: 10, saves: 5 };

/** A row with enough data. */
export const reportRow = (key: string, more: Partial<ReportRowWire> = {}): ReportRowWire => ({
  key,
  label: key,
  pins: 1,
  counted_pins: 1,
  figures: { impressions: 6_000, pin_clicks: 180, outbound_clicks: 90, saves: 60 },
  click_rate: 0.015,
  click_rate_low: 0.012,
  click_rate_high: 0.018,
  is_undecided: false,
  ...more,
});

export const SYNCED: SyncWire = {
  state: "idle",
  published: 8,
  counted: 8,
  gone: 0,
  refused: 0,
  oldest_at: READ_AT,
  newest_at: READ_AT,
  resumes_at: null,
  text: null,
};

const ROWS = [
  reportRow(WINNER, { click_rate: 0.0416, click_rate_low: 0.038, click_rate_high: 0.045 }),
  reportRow("linen bedroom"),
];

/** The report response. */
export const reportOf = ({ query }: Pick<RecordedCall, "query">, more: Partial<ReportWire> = {}): ReportWire => ({
  by: DIMENSIONS.find((one) => one === query.get("by")) ?? "keyword",
  start_date: query.get("start_date") ?? "",
  end_date: query.get("end_date") ?? "",
  rows: ROWS,
  more: 0,
  undecided: 0,
  uncounted: 0,
  totals: { impressions: 12_000, pin_clicks: 360, outbound_clicks: 180, saves: 120 },
  gather: SYNCED,
  ...more,
});

export const done = { ok: true, value: null };

type Day = Omit<AnalyticsDayWire, "date">;
const READY: Day = { status: "ready", figures: METRIC_VALUES };

/** The account response. */
export const daysOf =
  (day: Day = READY) =>
  ({ query }: RecordedCall): AccountAnalyticsWire => {
    const [start = "", end = ""] = [query.get("start_date") ?? "", query.get("end_date") ?? ""];
    const days: AnalyticsDayWire[] = [];
    for (let date = start; date <= end; date = shiftDay(date, 1)) {
      days.push(date > "2026-11-21" ? { date, status: "processing", figures: null } : { date, ...day });
    }
    return {
      account_id: "account_1",
      start_date: start,
      end_date: end,
      ready_through: end,
      sums: METRIC_VALUES,
      before: { start_date: start, end_date: end, sums: METRIC_VALUES },
      days,
      fetched_at: READ_AT,
    };
  };

const bestPins = ({ query }: RecordedCall): TopPinsWire => {
  const by = query.get("sort_by") === "saves" ? "saves" : "impressions";
  return {
    sort_by: by,
    fetched_at: READ_AT,
    pins: [30, 20, 10].map((value, at) => ({
      pinterest_pin_id: `${at}`,
      pinterest_url: `https://www.pinterest.com/pin/${at}/`,
      figures: { ...METRIC_VALUES, [by]: value },
      post: { id: `pin_${at}`, title: `${WINNER} ${at + 1}`, keyword: WINNER, image_url: IMAGE },
    })),
  };
};

type OpenOptions = { query?: string; answers?: Answers; report?: Partial<ReportWire>; hasAccount?: boolean };

/** Renders Analytics with a server-rendered report. */
export const openAnalytics = async ({
  query = "",
  answers = {},
  report: more = {},
  hasAccount = true,
}: OpenOptions = {}) => {
  const view = readAnalyticsQuery(Object.fromEntries(new URLSearchParams(query)));
  const days = shownDays(view, new Date(NOW));
  const first = new URLSearchParams({ start_date: days.firstDay, end_date: days.lastDay, by: view.by });
  const shown = await renderScreen(
    <AnalyticsScreen
      accounts={hasAccount ? [{ id: "account_1", username: "fern" }] : []}
      first={{
        accountId: hasAccount ? "account_1" : null,
        query: view,
        report: hasAccount ? reportOf({ query: first }, more) : null,
      }}
      paintedAt={NOW}
      timeZone="Asia/Kathmandu"
      creatorPath="/app/evertack-creator"
    />,
    {
      path: `/app/analytics${query && `?${query}`}`,
      answers: {
        [REPORT]: (call) => reportOf(call, more),
        [ACCOUNT]: daysOf(),
        [TOP]: bestPins,
        [BOARDS]: { items: [{ id: "101", name: "Cabins", description: "", privacy: "PUBLIC" }] },
        [VARIANTS]: { ok: true, value: { proposals: [], compared: [] } },
        [REQUEST_SYNC]: { ok: true, value: {} },
        [POST]: { posts: [] },
        ...answers,
      },
    },
  );
  const { screen } = shown;
  const { container } = screen;
  return {
    ...shown,
    container,
    button: (name: string | RegExp) => screen.getByRole("button", { name, exact: true }),
    radio: (name: string | RegExp) => screen.getByRole("radio", { name }),
    tab: (name: string) => screen.getByRole("tab", { name, exact: true }),
    daysTable: screen.getByRole("table", { name: "Metrics by day (UTC)" }),
    rows: () => [...container.querySelectorAll("[data-slot=report] tbody tr")],
    chart: () => container.querySelector("[data-slot=days-chart] svg.recharts-surface"),
    troubles: () =>
      [...container.querySelectorAll("[data-slot=banner]")].filter((one) =>
        one.textContent?.includes("couldn't be loaded"),
      ),
  };
};
