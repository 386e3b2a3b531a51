import { describe, expect, test } from "vitest";
import { daysCsv, fileName, reportCsv } from "#components/analytics/analytics-files.ts";
import {
  readAnalyticsQuery,
  reportPath,
  shownDays,
  writeAnalyticsQuery,
} from "#components/analytics/analytics-query.ts";
import {
  agoText,
  changeOf,
  dayEndText,
  daysText,
  fewerText,
  finalDaysText,
  formatShare,
} from "#components/analytics/analytics-text.ts";
import { rowLabel } from "#components/analytics/evaluate-report.tsx";
import { keepOrderOf } from "#components/analytics/use-stable-report.ts";
import { TEXTS } from "#lib/features/analytics/constants.ts";
import type { ReportRowWire, ReportWire } from "#lib/features/analytics/schema.ts";

const NOW = new Date("2026-11-23T01:30:00.000Z");

describe("A-83 the search parameters of Analytics", () => {
  test("default to thirty days by keyword, also for invalid values", () => {
    const usual = readAnalyticsQuery({});
    expect(usual).toMatchObject({ span: 30, by: "keyword", metric: "impressions", top: "impressions" });
    expect(readAnalyticsQuery({ days: "31", by: ["board", "link"], figure: "money", top: "" })).toEqual(usual);
    expect(Object.values(writeAnalyticsQuery(usual)).every((value) => value === null)).toBe(true);
  });

  test("survive a round trip", () => {
    const query = readAnalyticsQuery({
      from: "2026-11-01",
      to: "2026-11-07",
      by: "hour",
      figure: "saves",
      top: "saves",
    });
    const written = Object.entries(writeAnalyticsQuery(query)).filter(([, value]) => value !== null);
    expect(readAnalyticsQuery(Object.fromEntries(written))).toEqual(query);
    expect(query.span).toBe("chosen");
  });

  test("preset ranges end with the last final day, and the longest starts with Pinterest's history", () => {
    expect(shownDays(readAnalyticsQuery({ days: "7" }), NOW)).toMatchObject({
      firstDay: "2026-11-15",
      lastDay: "2026-11-21",
      problem: null,
    });
    expect(shownDays(readAnalyticsQuery({ days: "90" }), NOW).firstDay).toBe("2026-08-26");
  });

  test.each([
    ["reversed", { from: "2026-11-07", to: "2026-11-01" }, "to", "The end date is before the start date."],
    ["too old", { from: "2026-08-25", to: "2026-11-01" }, "from", TEXTS.rangeTooOld],
    ["in the future", { from: "2026-11-20", to: "2026-11-24" }, "to", TEXTS.rangeInFuture],
    ["no days", { from: "2026-02-31", to: "2026-11-20" }, "from", "Choose a date."],
    ["half chosen", { from: "2026-11-20" }, "to", "Choose a date."],
  ])("days that are %s show an error and the default range", (_, url, field, text) => {
    const shown = shownDays(readAnalyticsQuery(url), NOW);
    expect(shown.problem).toEqual({ field, text });
    expect([shown.firstDay, shown.lastDay]).toEqual(["2026-10-23", "2026-11-21"]);
  });

  test("custom ranges may include today", () => {
    expect(shownDays(readAnalyticsQuery({ from: "2026-11-23", to: "2026-11-23" }), NOW)).toEqual({
      firstDay: "2026-11-23",
      lastDay: "2026-11-23",
      problem: null,
    });
  });

  test("become the API path", () => {
    expect(reportPath("acc/1", { firstDay: "2026-11-01", lastDay: "2026-11-07" }, "board")).toBe(
      "/api/users/pinterest/results/acc%2F1/report/?start_date=2026-11-01&end_date=2026-11-07&by=board",
    );
  });
});

describe("A-83 the texts of Analytics", () => {
  test("shares have one decimal, small ones two", () => {
    expect([0, 0.0042, 0.031, 1].map(formatShare)).toEqual(["0.0%", "0.42%", "3.1%", "100.0%"]);
  });

  test("a change is written out, not only shown by a sign or color", () => {
    expect(changeOf(112, 100)).toEqual({ way: "up", text: "12% more" });
    expect(changeOf(92, 100)).toEqual({ way: "down", text: "8% fewer" });
    expect(changeOf(1_001, 1_000)).toEqual({ way: "up", text: "under 1% more" });
    expect(changeOf(5, 0)).toEqual({ way: "up", text: "up from 0" });
    expect(changeOf(0, 0)).toEqual({ way: "same", text: "no change" });
  });

  test("days are in UTC everywhere; their end is shown in the user's time zone", () => {
    expect(daysText({ firstDay: "2026-11-14", lastDay: "2026-11-20" })).toBe("Nov 14 to Nov 20, 2026");
    expect(daysText({ firstDay: "2025-12-30", lastDay: "2026-01-05" })).toBe("Dec 30, 2025 to Jan 5, 2026");
    expect(dayEndText("2026-11-20", "America/New_York")).toBe("7 PM");
    expect(dayEndText("2026-07-20", "America/New_York")).toBe("8 PM");
    expect(dayEndText("2026-11-20", "Asia/Kathmandu")).toBe("5:45 AM");
  });

  test("ninety days say how many are final", () => {
    const days = shownDays(readAnalyticsQuery({ days: "90" }), NOW);
    expect(fewerText(days, 90)).toBe("Showing 88 days. Pinterest keeps 90, and the last two aren't final yet.");
    expect(fewerText(shownDays(readAnalyticsQuery({}), NOW), 30)).toBe("");
  });

  test("final days are counted, also for a range of one day", () => {
    const one = { firstDay: "2026-11-20", lastDay: "2026-11-20" };
    const week = { firstDay: "2026-11-14", lastDay: "2026-11-20" };
    expect(finalDaysText(0, one, true)).toMatch(/^This day isn't final yet\. /);
    expect(finalDaysText(0, week, true)).toMatch(/^None of these days are final yet\. /);
    expect(finalDaysText(1, one, true)).toBe("This day is final. Compared with the day before.");
    expect(finalDaysText(7, week, false)).toBe("All 7 days are final.");
    expect(finalDaysText(7, week, true)).toBe("All 7 days are final. Compared with the 7 days before.");
    expect(finalDaysText(1, week, true)).toBe(
      "Totals cover the 1 day that's final. Compared with 1 day in the previous 7-day period.",
    );
    expect(finalDaysText(5, week, true)).toBe(
      "Totals cover the 5 days that are final. Compared with 5 days in the previous 7-day period.",
    );
  });

  test("ages", () => {
    const ages = ["2026-11-23T01:29:00Z", "2026-11-23T01:10:00Z", "2026-11-23T00:20:00Z", "2026-11-22T22:00:00Z"];
    expect(ages.map((at) => agoText(at, NOW))).toEqual(["just now", "20 minutes ago", "1 hour ago", "3 hours ago"]);
  });

  test("rows use the server's label; boards use their name, or their id without one", () => {
    const boards = new Map([["42", "Winter kitchen"]]);
    expect(rowLabel({ key: "winter baking", label: "Winter baking" }, boards)).toBe("Winter baking");
    expect(rowLabel({ key: "42", label: null }, boards)).toBe("Winter kitchen");
    expect(rowLabel({ key: "43", label: null }, boards)).toBe("Board 43");
    expect(rowLabel({ key: "43", label: null }, null), "names are loading").toBe("Board …");
  });
});

const ROW: ReportRowWire = {
  key: "=cmd()",
  label: null,
  pins: 3,
  counted_pins: 2,
  figures: { impressions: 2_000, pin_clicks: 80, outbound_clicks: 60, saves: 20 },
  click_rate: 0.03,
  click_rate_low: 0.02,
  click_rate_high: 0.04,
  is_undecided: false,
};

describe("A-81 files of Analytics", () => {
  test("their names contain account and days, and only safe characters", () => {
    const days = { firstDay: "2026-11-14", lastDay: "2026-11-20" };
    expect(fileName("juniper.studio", "results by keyword", days, "csv")).toBe(
      "juniper-studio-results-by-keyword-2026-11-14-to-2026-11-20.csv",
    );
    expect(fileName("../é", "days", days, "png")).toBe("é-days-2026-11-14-to-2026-11-20.png");
  });

  test("a keyword cannot run as a formula; numbers stay numbers", () => {
    const [head, line] = reportCsv({ rows: [ROW], more: 0 }, "Keyword", ["=cmd()"]).split("\r\n");
    expect(head?.startsWith('\uFEFF"Keyword","Pins",')).toBe(true);
    expect(line).toBe('"\'=cmd()","3","2","2000","80","60","20","0.03","0.02","0.04","Yes"');
  });

  test("they mention left-out rows and rows without metrics", () => {
    const lines = reportCsv({ rows: [{ ...ROW, counted_pins: 0 }], more: 123 }, "Keyword", ["soup"]).split("\r\n");
    expect(lines[1]).toMatch(/"No metrics yet"$/);
    expect(lines[2]).toBe('"123 lower-ranked rows are not in this file"');
  });

  test("a day that is not final is empty and says so", () => {
    const figures = { impressions: 5, engagements: 4, pin_clicks: 3, outbound_clicks: 2, saves: 1 };
    const lines = daysCsv({
      days: [
        { date: "2026-11-20", status: "ready", figures },
        { date: "2026-11-21", status: "processing", figures: null },
      ],
    }).split("\r\n");
    expect(lines[1]).toBe('"2026-11-20","Final","5","4","3","2","1"');
    expect(lines[2]).toBe('"2026-11-21","Pinterest is still counting","","","","",""');
  });
});

test("A-83 while the user is reading, newer rows keep the earlier order, with new rows last", () => {
  const row = (key: string, pins: number): ReportRowWire => ({ ...ROW, key, pins });
  const days = { by: "keyword", start_date: "2026-11-01", end_date: "2026-11-07" } as const;
  const figures = { impressions: 0, pin_clicks: 0, outbound_clicks: 0, saves: 0 };
  const counts = { published: 6, counted: 6, gone: 0, refused: 0 };
  const gather = {
    state: "working",
    ...counts,
    oldest_at: null,
    newest_at: null,
    resumes_at: null,
    text: null,
  } as const;
  const report = (rows: ReportRowWire[]): ReportWire => ({
    ...days,
    rows,
    more: 0,
    undecided: 0,
    uncounted: 0,
    totals: figures,
    gather,
  });
  const newer = keepOrderOf(report([row("c", 1), row("b", 9), row("a", 3)]), report([row("a", 2), row("b", 2)]));
  expect(newer.rows.map(({ key, pins }) => [key, pins])).toEqual([
    ["a", 3],
    ["b", 9],
    ["c", 1],
  ]);
});
