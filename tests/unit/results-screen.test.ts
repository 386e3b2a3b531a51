import { describe, expect, test } from "vitest";
import { rowLabel } from "#components/analytics/judge-report.tsx";
import { daysCsv, fileName, reportCsv } from "#components/analytics/result-files.ts";
import { agoText, changeOf, dayEndText, daysText, fewerText, formatShare } from "#components/analytics/result-words.ts";
import { readResultsQuery, reportPath, shownDays, writeResultsQuery } from "#components/analytics/results-query.ts";
import { inOrderOf } from "#components/analytics/use-steady-report.ts";
import { TEXTS } from "#lib/features/analytics/constants.ts";
import type { ReportWire, ResultRowWire } from "#lib/features/analytics/schema.ts";

const NOW = new Date("2026-11-23T01:30:00.000Z");

describe("A-83 what the address of Analytics asks for", () => {
  test("goes without saying: thirty days by keyword; nonsense is the same", () => {
    const usual = readResultsQuery({});
    expect(usual).toMatchObject({ span: 30, by: "keyword", figure: "impressions", top: "impressions" });
    expect(readResultsQuery({ days: "31", by: ["board", "link"], figure: "money", top: "" })).toEqual(usual);
    expect(Object.values(writeResultsQuery(usual)).every((value) => value === null)).toBe(true);
  });

  test("is read back as it was written", () => {
    const asked = readResultsQuery({ from: "2026-11-01", to: "2026-11-07", by: "hour", figure: "saves", top: "saves" });
    const written = Object.entries(writeResultsQuery(asked)).filter(([, value]) => value !== null);
    expect(readResultsQuery(Object.fromEntries(written))).toEqual(asked);
    expect(asked.span).toBe("chosen");
  });

  test("spans end with the last final day, and the longest begins where Pinterest's memory does", () => {
    expect(shownDays(readResultsQuery({ days: "7" }), NOW)).toMatchObject({
      firstDay: "2026-11-15",
      lastDay: "2026-11-21",
      problem: null,
    });
    expect(shownDays(readResultsQuery({ days: "90" }), NOW).firstDay).toBe("2026-08-26");
  });

  test.each([
    ["reversed", { from: "2026-11-07", to: "2026-11-01" }, "to", "The last day comes before the first."],
    ["too old", { from: "2026-08-25", to: "2026-11-01" }, "from", TEXTS.rangeTooOld],
    ["in the future", { from: "2026-11-20", to: "2026-11-24" }, "to", TEXTS.rangeInFuture],
    ["no days", { from: "2026-02-31", to: "2026-11-20" }, "from", "Choose a day."],
    ["half chosen", { from: "2026-11-20" }, "to", "Choose a day."],
  ])("days that are %s are told, and the usual ones are shown", (_, address, field, text) => {
    const shown = shownDays(readResultsQuery(address), NOW);
    expect(shown.problem).toEqual({ field, text });
    expect([shown.firstDay, shown.lastDay]).toEqual(["2026-10-23", "2026-11-21"]);
  });

  test("today may be among chosen days", () => {
    expect(shownDays(readResultsQuery({ from: "2026-11-23", to: "2026-11-23" }), NOW)).toEqual({
      firstDay: "2026-11-23",
      lastDay: "2026-11-23",
      problem: null,
    });
  });

  test("becomes the documented call", () => {
    expect(reportPath("acc/1", { firstDay: "2026-11-01", lastDay: "2026-11-07" }, "board")).toBe(
      "/api/users/pinterest/results/acc%2F1/report/?start_date=2026-11-01&end_date=2026-11-07&by=board",
    );
  });
});

describe("A-83 the words of Analytics", () => {
  test("shares have one decimal, small ones two", () => {
    expect([0, 0.0042, 0.031, 1].map(formatShare)).toEqual(["0.0%", "0.42%", "3.1%", "100.0%"]);
  });

  test("a change is told in words, never by a sign or a colour alone", () => {
    expect(changeOf(112, 100)).toEqual({ way: "up", text: "12% more" });
    expect(changeOf(92, 100)).toEqual({ way: "down", text: "8% fewer" });
    expect(changeOf(1_001, 1_000)).toEqual({ way: "up", text: "under 1% more" });
    expect(changeOf(5, 0)).toEqual({ way: "up", text: "none before" });
    expect(changeOf(0, 0)).toEqual({ way: "same", text: "as many as before" });
  });

  test("days are those of UTC, wherever one looks; their end is told by the reader's clock", () => {
    expect(daysText({ firstDay: "2026-11-14", lastDay: "2026-11-20" })).toBe("Nov 14 to Nov 20, 2026");
    expect(daysText({ firstDay: "2025-12-30", lastDay: "2026-01-05" })).toBe("Dec 30, 2025 to Jan 5, 2026");
    expect(dayEndText("2026-11-20", "America/New_York")).toBe("7 PM");
    expect(dayEndText("2026-07-20", "America/New_York")).toBe("8 PM");
    expect(dayEndText("2026-11-20", "Asia/Kathmandu")).toBe("5:45 AM");
  });

  test("ninety days show those of them that are final, and say so", () => {
    const days = shownDays(readResultsQuery({ days: "90" }), NOW);
    expect(fewerText(days, 90)).toBe(
      "These are 88 days: of the 90 that Pinterest keeps, the last two are not final yet.",
    );
    expect(fewerText(shownDays(readResultsQuery({}), NOW), 30)).toBe("");
  });

  test("ages", () => {
    const ages = ["2026-11-23T01:29:00Z", "2026-11-23T01:10:00Z", "2026-11-23T00:20:00Z", "2026-11-22T22:00:00Z"];
    expect(ages.map((at) => agoText(at, NOW))).toEqual(["just now", "20 minutes ago", "1 hour ago", "3 hours ago"]);
  });

  test("rows are called as the server says; boards by the name that Pinterest gives, else by their id", () => {
    const boards = new Map([["42", "Winter kitchen"]]);
    expect(rowLabel({ key: "winter baking", label: "Winter baking" }, boards)).toBe("Winter baking");
    expect(rowLabel({ key: "42", label: null }, boards)).toBe("Winter kitchen");
    expect(rowLabel({ key: "43", label: null }, boards)).toBe("Board 43");
    expect(rowLabel({ key: "43", label: null }, null), "names on their way").toBe("Board …");
  });
});

const ROW: ResultRowWire = {
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
  test("their names carry account and days, and nothing that a folder could trip over", () => {
    const days = { firstDay: "2026-11-14", lastDay: "2026-11-20" };
    expect(fileName("juniper.studio", "results by keyword", days, "csv")).toBe(
      "juniper-studio-results-by-keyword-2026-11-14-to-2026-11-20.csv",
    );
    expect(fileName("../é", "days", days, "png")).toBe("é-days-2026-11-14-to-2026-11-20.png");
  });

  test("a keyword does not run as a formula; numbers stay numbers", () => {
    const [head, line] = reportCsv({ rows: [ROW], more: 0 }, "Keyword", ["=cmd()"]).split("\r\n");
    expect(head?.startsWith('\uFEFF"Keyword","Pins",')).toBe(true);
    expect(line).toBe('"\'=cmd()","3","2","2000","80","60","20","0.03","0.02","0.04","Yes"');
  });

  test("what a file leaves out, and what has no figures, is said in it", () => {
    const lines = reportCsv({ rows: [{ ...ROW, counted_pins: 0 }], more: 123 }, "Keyword", ["soup"]).split("\r\n");
    expect(lines[1]).toMatch(/"No figures yet"$/);
    expect(lines[2]).toBe('"123 more that are ranked lower are not in this file"');
  });

  test("a day that is not final has no figures, and says so", () => {
    const figures = { impressions: 5, engagements: 4, pin_clicks: 3, outbound_clicks: 2, saves: 1 };
    const lines = daysCsv({
      days: [
        { date: "2026-11-20", status: "ready", figures },
        { date: "2026-11-21", status: "processing", figures: null },
      ],
    }).split("\r\n");
    expect(lines[1]).toBe('"2026-11-20","Final","5","4","3","2","1"');
    expect(lines[2]).toBe('"2026-11-21","Pinterest still counts","","","","",""');
  });
});

test("A-83 while somebody reads, newer figures stand in the order of the earlier ones, and new rows at the end", () => {
  const row = (key: string, pins: number): ResultRowWire => ({ ...ROW, key, pins });
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
  const report = (rows: ResultRowWire[]): ReportWire => ({
    ...days,
    rows,
    more: 0,
    undecided: 0,
    uncounted: 0,
    totals: figures,
    gather,
  });
  const newer = inOrderOf(report([row("c", 1), row("b", 9), row("a", 3)]), report([row("a", 2), row("b", 2)]));
  expect(newer.rows.map(({ key, pins }) => [key, pins])).toEqual([
    ["a", 3],
    ["b", 9],
    ["c", 1],
  ]);
});
