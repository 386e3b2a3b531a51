import { readResultsQuery, shownDays } from "#components/analytics/results-query.ts";
import { ResultsScreen } from "#components/analytics/results-screen.tsx";
import { DIMENSIONS } from "#lib/features/analytics/constants.ts";
import { shiftDay } from "#lib/features/analytics/policy.ts";
import type {
  AccountResultsWire,
  FiguresWire,
  GatherWire,
  ReportWire,
  ResultDayWire,
  ResultRowWire,
  TopPinsWire,
} from "#lib/features/analytics/schema.ts";
import type { Answers, RecordedCall } from "./calls.ts";
import { renderScreen } from "./render.tsx";
import { PICTURE } from "./wires.ts";

export const REPORT = "GET /api/users/pinterest/results/*/report/";
export const ACCOUNT = "GET /api/users/pinterest/results/*/";
export const TOP = "GET /api/users/pinterest/results/*/top-pins/";
export const POST = "GET /api/users/pinterest/generated-pins/*/";
const BOARDS = "GET /api/users/pinterest/boards/*/";
const ASK = "ACTION askForResultsAction";

const NOW = "2026-11-23T08:30:00.000Z";
const READ_AT = "2026-11-23T08:00:00.000Z";
export const WINNER = "winter baking";
const FIGURES: FiguresWire = { impressions: 100, engagements: 40, pin_clicks: 20, outbound_clicks: 10, saves: 5 };

/** A row that was judged. */
export const resultRow = (key: string, more: Partial<ResultRowWire> = {}): ResultRowWire => ({
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

export const GATHERED: GatherWire = {
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
  resultRow(WINNER, { click_rate: 0.0416, click_rate_low: 0.038, click_rate_high: 0.045 }),
  resultRow("linen bedroom"),
];

/** The report as the documented call answers it. */
export const reportOf = ({ query }: Pick<RecordedCall, "query">, more: Partial<ReportWire> = {}): ReportWire => ({
  by: DIMENSIONS.find((one) => one === query.get("by")) ?? "keyword",
  start_date: query.get("start_date") ?? "",
  end_date: query.get("end_date") ?? "",
  rows: ROWS,
  more: 0,
  undecided: 0,
  uncounted: 0,
  totals: { impressions: 12_000, pin_clicks: 360, outbound_clicks: 180, saves: 120 },
  gather: GATHERED,
  ...more,
});

export const done = { ok: true, value: null };

type Day = Omit<ResultDayWire, "date">;
const READY: Day = { status: "ready", figures: FIGURES };

/** The account's days as the documented call answers them. */
export const daysOf =
  (day: Day = READY) =>
  ({ query }: RecordedCall): AccountResultsWire => {
    const [start = "", end = ""] = [query.get("start_date") ?? "", query.get("end_date") ?? ""];
    const days: ResultDayWire[] = [];
    for (let date = start; date <= end; date = shiftDay(date, 1)) {
      days.push(date > "2026-11-21" ? { date, status: "processing", figures: null } : { date, ...day });
    }
    return {
      account_id: "account_1",
      start_date: start,
      end_date: end,
      ready_through: end,
      sums: FIGURES,
      before: { start_date: start, end_date: end, sums: FIGURES },
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
      figures: { ...FIGURES, [by]: value },
      post: { id: `pin_${at}`, title: `${WINNER} ${at + 1}`, keyword: WINNER, image_url: PICTURE },
    })),
  };
};

type OpenOptions = { query?: string; answers?: Answers; report?: Partial<ReportWire>; hasAccount?: boolean };

/** Renders Analytics of an account as it was painted with this report. */
export const openAnalytics = async ({
  query = "",
  answers = {},
  report: more = {},
  hasAccount = true,
}: OpenOptions = {}) => {
  const asked = readResultsQuery(Object.fromEntries(new URLSearchParams(query)));
  const days = shownDays(asked, new Date(NOW));
  const first = new URLSearchParams({ start_date: days.firstDay, end_date: days.lastDay, by: asked.by });
  const shown = await renderScreen(
    <ResultsScreen
      accounts={hasAccount ? [{ id: "account_1", username: "fern" }] : []}
      first={{
        accountId: hasAccount ? "account_1" : null,
        query: asked,
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
        [ASK]: { ok: true, value: {} },
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
    daysTable: screen.getByRole("table", { name: "Figures by day, in UTC" }),
    rows: () => [...container.querySelectorAll("[data-slot=report] tbody tr")],
    chart: () => container.querySelector("[data-slot=days-chart] svg.recharts-surface"),
    troubles: () =>
      [...container.querySelectorAll("[data-slot=banner]")].filter((one) =>
        one.textContent?.includes("could not be read"),
      ),
  };
};
