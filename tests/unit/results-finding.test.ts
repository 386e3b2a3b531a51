import { describe, expect, test } from "vitest";
import { connectionText, isBelow, judgeReport, scaleOf } from "#components/analytics/judge-report.tsx";
import { runsOf } from "#components/charts/chart-data.ts";
import type { ReportWire, ResultRowWire } from "#lib/features/analytics/schema.ts";

const NO_GATHER: ReportWire["gather"] = {
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

/** A group with so many impressions and clicks; `low` and `high` as the server counts them. */
const row = (key: string, impressions: number, clicks: number, [low, high]: [number, number]): ResultRowWire => ({
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

const report = (rows: ResultRowWire[]): ReportWire => ({
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
  gather: NO_GATHER,
});

const PLAIN = row("soup", 10_000, 100, [0.0082, 0.0122]);
const BREAD = row("bread", 5_000, 200, [0.0349, 0.0458]);

/** Groups none of whose pins has figures here. */
const uncounted = (gather: Partial<ReportWire["gather"]>): ReportWire => ({
  ...report([{ ...row("bread", 0, 0, [0, 0]), counted_pins: 0 }]),
  gather: { ...NO_GATHER, counted: 0, ...gather },
});

describe("A-83 what a report says in a sentence", () => {
  test("a winner is one that luck does not explain, beside the other pins", () => {
    const { kind, row: best, level, text } = judgeReport(report([BREAD, PLAIN]));
    expect([kind, best?.key, level]).toEqual(["winner", "bread", 0]);
    expect(text).toBe(
      "200 clicks of 5,000 impressions, 4 pins. The other pins together: 1.0%. Luck alone makes so clear a lead in fewer than one of forty reports.",
    );
  });

  test("who is in front by what may be luck is not called a winner", () => {
    const { kind, text } = judgeReport(report([row("bread", 1_200, 14, [0.0081, 0.0195]), PLAIN]));
    expect(kind).toBe("leader");
    expect(text).toContain("This may still be luck. It is level with one other keyword: its lead over that one");
  });

  test("a lead that holds against one other does not hold against forty, also beyond the rows that are here", () => {
    const two = report([row("bread", 5_000, 75, [0.012, 0.0188]), row("soup", 50_000, 500, [0.0092, 0.0109])]);
    expect(judgeReport(two).kind).toBe("winner");
    expect(judgeReport({ ...two, more: 38 }).kind).toBe("leader");
    expect(judgeReport({ ...two, more: 38, undecided: 38 }).kind).toBe("winner");
  });

  test("equals are not hidden behind the one that stands first", () => {
    const { kind, level, text } = judgeReport(
      report([BREAD, { ...BREAD, key: "cake" }, { ...BREAD, key: "pie" }, PLAIN]),
    );
    expect([kind, level]).toEqual(["winner", 2]);
    expect(text).toContain("It is level with 2 other keywords: its lead over those may be luck.");
  });

  test("one group has nothing to be compared with", () => {
    expect(judgeReport(report([PLAIN])).kind).toBe("only");
  });

  test("what is not set never wins: it is compared with, and has a sentence of its own where there is nothing else", () => {
    const found = judgeReport(report([{ ...BREAD, key: "", label: "No keyword" }, PLAIN]));
    expect([found.kind, found.row?.key]).toEqual(["leader", "soup"]);
    const none = judgeReport({ ...report([{ ...BREAD, key: "" }]), by: "template" });
    expect([none.kind, none.row, none.text]).toEqual(["unset", null, "No pin of these was made with a template."]);
  });

  test("seen often and never clicked is not too early to tell", () => {
    const rows = [row("bread", 4_000, 0, [0, 0.001]), row("soup", 3_000, 0, [0, 0.0013])];
    const none = judgeReport(report(rows));
    expect([none.kind, none.row, none.name]).toEqual(["clickless", null, "No clicks yet"]);
    expect(none.text).toBe("Seen 7,000 times in these days, and no link was clicked.");
    const few = judgeReport(report([...rows, row("tiny", 5, 2, [0.1, 0.7])]));
    expect([few.kind, few.text]).toEqual(["clickless", expect.stringContaining("together 7,000, has no click")]);
  });

  test("more is not proposed of what is surely clicked less often", () => {
    const all = report([BREAD, PLAIN, row("cake", 1_000, 12, [0.006, 0.02])]);
    expect(all.rows.map((one) => isBelow(one, all))).toEqual([false, true, false]);
  });

  test("what was seen too seldom is not judged, and what was not seen at all says when figures are final", () => {
    const early = judgeReport(report([row("bread", 40, 9, [0.12, 0.37]), row("soup", 620, 3, [0.0016, 0.014])]));
    expect([early.kind, early.row?.key]).toEqual(["undecided", "soup"]);
    expect(early.text).toContain("The nearest has 620 impressions.");
    const unseen = judgeReport(report([row("bread", 0, 0, [0, 0])]));
    expect([unseen.kind, unseen.text]).toEqual(["none", expect.stringContaining("final. A day’s are after about two")]);
  });

  test.each([
    [{ state: "working" }, "is being asked"],
    [{ state: "waiting" }, "as soon as Pinterest may be asked again"],
    [
      { state: "held", text: "Pinterest does not permit this." },
      "could not be fetched. Pinterest does not permit this.",
    ],
    [{ state: "lost", text: null }, "can be fetched once the account is connected again"],
    [{ state: "lost", gone: 8 }, "can be fetched once the account is connected again"],
    [{ state: "lost", gone: 9 }, "tells no figures of these pins"],
    [{ state: "idle", gone: 4, refused: 5 }, "tells no figures of these pins"],
    [{ state: "idle" }, "have been fetched yet"],
  ] as const)(
    "where no figures are here, %o decides the words, and Pinterest is not said to have none",
    (gather, words) => {
      const found = judgeReport(uncounted(gather));
      expect([found.kind, found.name]).toEqual(["none", "No figures yet"]);
      expect(found.text).toContain(words);
      expect(found.text).not.toContain("final");
    },
  );

  test("bars reach as far as the widest range that is judged, and always to the average", () => {
    expect(scaleOf([row("bread", 5_000, 200, [0.03, 0.05]), row("tiny", 5, 5, [0.5, 1])], 0.02)).toBe(0.05);
    expect(scaleOf([row("bread", 5_000, 5, [0, 0.002])], 0.02)).toBe(0.02);
    expect(scaleOf([], 0)).toBe(1);
  });
});

test.each([
  [{ counted: 0 }, "again, missing figures are not fetched."],
  [{ counted: 4, refused: 1 }, "again, missing figures are not fetched, and those shown are not renewed: they go"],
  [{ counted: 7, gone: 2 }, "again, those shown are not renewed: they go within a day."],
  [{ counted: 0, gone: 2, refused: 7 }, "again, no figures are fetched."],
])("A-83 a lost connection is told with what it means for the figures: %o", (gather, words) => {
  const text = connectionText({ ...NO_GATHER, state: "lost", ...gather });
  expect(text).toContain("This account’s connection to Pinterest is lost. Until you connect it ");
  expect(text).toContain(words);
});

test("A-83 days without a final figure are hatched where they stand side by side", () => {
  const days = [null, 1, 0, null, null, 4, null].map((value) => ({ value }));
  expect(runsOf(days)).toEqual([
    { from: 0, to: 0 },
    { from: 3, to: 4 },
    { from: 6, to: 6 },
  ]);
  expect(runsOf([{ value: 0 }])).toEqual([]);
});
