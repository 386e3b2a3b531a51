import { describe, expect, test } from "vitest";
import { connectionText, evaluateReport, isBelow, scaleOf } from "#components/analytics/evaluate-report.tsx";
import { gapsOf } from "#components/charts/chart-data.ts";
import type { ReportRowWire, ReportWire } from "#lib/features/analytics/schema.ts";

const IDLE_SYNC: ReportWire["gather"] = {
  state: "idle",
  published: 9,
  counted: 9,
  gone: 0,
  refused: 0,
  oldest_at: null,
  newest_at: null,
  resumes_at: null,
  text: null,
};

/** A group with these impressions and clicks; `low` and `high` as the server computes them. */
const row = (key: string, impressions: number, clicks: number, [low, high]: [number, number]): ReportRowWire => ({
  key,
  label: key,
  pins: 4,
  counted_pins: 4,
  figures: { impressions, pin_clicks: 0, outbound_clicks: clicks, saves: 0 },
  click_rate: impressions === 0 ? null : clicks / impressions,
  click_rate_low: impressions === 0 ? null : low,
  click_rate_high: impressions === 0 ? null : high,
  is_undecided: impressions < 1_000,
});

const report = (rows: ReportRowWire[]): ReportWire => ({
  by: "keyword",
  start_date: "2026-11-01",
  end_date: "2026-11-07",
  rows,
  more: 0,
  undecided: rows.filter(({ is_undecided, counted_pins }) => is_undecided && counted_pins > 0).length,
  uncounted: rows.filter(({ counted_pins }) => counted_pins === 0).length,
  totals: {
    impressions: rows.reduce((sum, { figures }) => sum + figures.impressions, 0),
    pin_clicks: 0,
    outbound_clicks: rows.reduce((sum, { figures }) => sum + figures.outbound_clicks, 0),
    saves: 0,
  },
  gather: IDLE_SYNC,
});

const PLAIN = row("soup", 10_000, 100, [0.0082, 0.0122]);
const BREAD = row("bread", 5_000, 200, [0.0349, 0.0458]);

/** A report without any metrics. */
const uncounted = (gather: Partial<ReportWire["gather"]>): ReportWire => ({
  ...report([{ ...row("bread", 0, 0, [0, 0]), counted_pins: 0 }]),
  gather: { ...IDLE_SYNC, counted: 0, ...gather },
});

describe("A-83 the finding of a report", () => {
  test("a winner is significantly better than the other pins", () => {
    const { kind, row: best, level, text } = evaluateReport(report([BREAD, PLAIN]));
    expect([kind, best?.key, level]).toEqual(["winner", "bread", 0]);
    expect(text).toBe(
      "200 outbound clicks from 5,000 impressions on 4 pins. All other pins: 1.0%. A lead this clear is very unlikely to be luck.",
    );
  });

  test("a lead that may be luck is not a winner", () => {
    const { kind, text } = evaluateReport(report([row("bread", 1_200, 14, [0.0081, 0.0195]), PLAIN]));
    expect(kind).toBe("leader");
    expect(text).toContain("This could still be luck. It's effectively tied with one other keyword.");
  });

  test("a lead over one group may not hold against forty, including those beyond the rows", () => {
    const two = report([row("bread", 5_000, 75, [0.012, 0.0188]), row("soup", 50_000, 500, [0.0092, 0.0109])]);
    expect(evaluateReport(two).kind).toBe("winner");
    expect(evaluateReport({ ...two, more: 38 }).kind).toBe("leader");
    expect(evaluateReport({ ...two, more: 38, undecided: 38 }).kind).toBe("winner");
  });

  test("tied groups are mentioned", () => {
    const { kind, level, text } = evaluateReport(
      report([BREAD, { ...BREAD, key: "cake" }, { ...BREAD, key: "pie" }, PLAIN]),
    );
    expect([kind, level]).toEqual(["winner", 2]);
    expect(text).toContain("It's effectively tied with 2 other keywords.");
  });

  test("a single group has no comparison", () => {
    expect(evaluateReport(report([PLAIN])).kind).toBe("only");
  });

  test("pins without the dimension never win, but count in comparisons", () => {
    const found = evaluateReport(report([{ ...BREAD, key: "", label: "No keyword" }, PLAIN]));
    expect([found.kind, found.row?.key]).toEqual(["leader", "soup"]);
    const none = evaluateReport({ ...report([{ ...BREAD, key: "" }]), by: "template" });
    expect([none.kind, none.row, none.text]).toEqual(["unset", null, "None of these pins use a template."]);
  });

  test("many impressions without clicks are not too early to tell", () => {
    const rows = [row("bread", 4_000, 0, [0, 0.001]), row("soup", 3_000, 0, [0, 0.0013])];
    const none = evaluateReport(report(rows));
    expect([none.kind, none.row, none.name]).toEqual(["clickless", null, "No clicks yet"]);
    expect(none.text).toBe("7,000 impressions in this period, but no outbound clicks.");
    const few = evaluateReport(report([...rows, row("tiny", 5, 2, [0.1, 0.7])]));
    expect([few.kind, few.text]).toEqual([
      "clickless",
      "No keyword with 1,000 or more impressions has an outbound click yet. The clicks so far came from keywords with fewer impressions.",
    ]);
    const unset = evaluateReport(report([...rows, { ...row("", 900, 2, [0.001, 0.01]), label: "No keyword" }]));
    expect(unset.text).toContain("The clicks so far came from other pins.");
  });

  test("a group with significantly fewer clicks is below", () => {
    const all = report([BREAD, PLAIN, row("cake", 1_000, 12, [0.006, 0.02])]);
    expect(all.rows.map((one) => isBelow(one, all))).toEqual([false, true, false]);
  });

  test("groups with few impressions are undecided, and without impressions it says when metrics are final", () => {
    const early = evaluateReport(report([row("bread", 40, 9, [0.12, 0.37]), row("soup", 620, 3, [0.0016, 0.014])]));
    expect([early.kind, early.row?.key]).toEqual(["undecided", "soup"]);
    expect(early.text).toContain("The closest has 620.");
    const unseen = evaluateReport(report([row("bread", 0, 0, [0, 0])]));
    expect([unseen.kind, unseen.text]).toEqual(["none", expect.stringContaining("are final after about two")]);
  });

  test.each([
    [{ state: "working" }, "loading metrics for these pins from Pinterest"],
    [{ state: "waiting" }, "when Pinterest accepts requests again"],
    [{ state: "held", text: "Pinterest does not permit this." }, "couldn't be loaded. Pinterest does not permit this."],
    [{ state: "lost", text: null }, "Reconnect the account to load metrics"],
    [{ state: "lost", gone: 8 }, "Reconnect the account to load metrics"],
    [{ state: "lost", gone: 9 }, "has no metrics for these pins"],
    [{ state: "idle", gone: 4, refused: 5 }, "has no metrics for these pins"],
    [{ state: "idle" }, "have been loaded for these pins yet"],
  ] as const)("without metrics, %o decides the text", (gather, words) => {
    const found = evaluateReport(uncounted(gather));
    expect([found.kind, found.name]).toEqual(["none", "No metrics yet"]);
    expect(found.text).toContain(words);
    expect(found.text).not.toContain("final");
  });

  test("bars scale to the widest ranked interval, and at least to the average", () => {
    expect(scaleOf([row("bread", 5_000, 200, [0.03, 0.05]), row("tiny", 5, 5, [0.5, 1])], 0.02)).toBe(0.05);
    expect(scaleOf([row("bread", 5_000, 5, [0, 0.002])], 0.02)).toBe(0.02);
    expect(scaleOf([], 0)).toBe(1);
  });
});

test.each([
  [{ counted: 0 }, "it, missing metrics can't load."],
  [{ counted: 4, refused: 1 }, "it, missing metrics can't load, and current metrics expire"],
  [{ counted: 7, gone: 2 }, "it, current metrics expire within a day."],
  [{ counted: 0, gone: 2, refused: 7 }, "it, no metrics can load."],
])("A-83 a lost connection explains its effect on the metrics: %o", (gather, words) => {
  const text = connectionText({ ...IDLE_SYNC, state: "lost", ...gather });
  expect(text).toContain("This account is disconnected from Pinterest. Until you reconnect ");
  expect(text).toContain(words);
});

test("A-83 finds runs of days without a value", () => {
  const days = [null, 1, 0, null, null, 4, null].map((value) => ({ value }));
  expect(gapsOf(days)).toEqual([
    { from: 0, to: 0 },
    { from: 3, to: 4 },
    { from: 6, to: 6 },
  ]);
  expect(gapsOf([{ value: 0 }])).toEqual([]);
});
