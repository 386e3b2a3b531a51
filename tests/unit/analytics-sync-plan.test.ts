import { describe, expect, test } from "vitest";
import type { PinId } from "#lib/core/ids.ts";
import { TEXTS } from "#lib/features/analytics/constants.ts";
import type { GroupResult } from "#lib/features/analytics/pinterest-calls.ts";
import { NEW_SYNC_PROGRESS } from "#lib/features/analytics/schema.ts";
import { toTotals } from "#lib/features/analytics/stored-metrics.ts";
import { decideNext } from "#lib/features/analytics/sync.ts";
import type { PinterestDay, PinterestPinMetrics, PinterestProblem } from "#lib/integrations/pinterest/port.ts";

const ready = (date: string, seen: number, clicks = 1): PinterestDay<PinterestPinMetrics> => ({
  date,
  status: "ready",
  metrics: { impressions: seen, pinClicks: 3, outboundClicks: clicks, saves: 0 },
});
const unready = (date: string, status: "processing" | "unknown" = "unknown") => ({ date, status, metrics: null });

describe("A-83 running totals", () => {
  test("run from the first to the last final day; a gap adds nothing", () => {
    const days = [
      unready("2026-11-01"),
      ready("2026-11-02", 10),
      unready("2026-11-03", "processing"),
      ready("2026-11-04", 5, 2),
      unready("2026-11-05", "processing"),
    ];
    expect(toTotals(days, "2026-11-01")).toEqual({
      firstDay: "2026-11-02",
      readyThrough: "2026-11-04",
      impressions: [10, 10, 15],
      pinClicks: [3, 3, 6],
      outboundClicks: [1, 1, 3],
      saves: [0, 0, 0],
    });
  });

  test.each([
    ["no day is final", [unready("2026-11-01", "processing"), unready("2026-11-02")]],
    ["there is no data", []],
  ])("are empty when %s", (_, days) => {
    const empty = { impressions: [], pinClicks: [], outboundClicks: [], saves: [] };
    expect(toTotals(days, "2026-11-01")).toEqual({ firstDay: "2026-11-01", readyThrough: null, ...empty });
  });

  test("of one day equal that day", () => {
    expect(toTotals([ready("2026-11-01", 7)], "2026-10-01")).toMatchObject({
      firstDay: "2026-11-01",
      impressions: [7],
    });
  });
});

const progressOf = (groups: string[][], more = {}) => ({ ...NEW_SYNC_PROGRESS, groups, ...more });
const GONE = { httpStatus: 404, providerCode: 50 };
const problem = (kind: PinterestProblem["kind"], more = {}): GroupResult => ({
  kind: "problem",
  problem: { kind, text: `It is ${kind}.`, ...(kind === "not_found" && GONE), ...more },
  requestedAt: null,
});
const read = (leftOut: string[] = [], calls: number | null = null): GroupResult => ({
  kind: "read",
  stored: 1,
  leftOut: leftOut as PinId[],
  callsLeft: calls === null ? null : { calls, resetSeconds: 9 },
});

describe("A-83 the decision after a call", () => {
  test("pins missing from an answer are read alone, before the rest", () => {
    expect(decideNext(progressOf([["a", "b", "c"], ["d"]], { failures: 2, refusals: 3 }), read(["b"]))).toEqual({
      kind: "continue",
      progress: progressOf([["b"], ["d"]], { reads: 1 }),
    });
  });

  test("the last remaining calls are left to screens", () => {
    expect(decideNext(progressOf([["a"]]), read([], 11)).kind).toBe("continue");
    expect(decideNext(progressOf([["a"]]), read([], 10))).toMatchObject({ kind: "wait", afterMs: 9_000, text: null });
  });

  test.each(["not_found", "rejected"] as const)(
    "%s of a group is found by halving, and of one pin is stored",
    (kind) => {
      const halved = decideNext(progressOf([["a", "b", "c"], ["d"]]), problem(kind));
      expect([halved.kind, halved.progress.groups]).toEqual(["continue", [["a", "b"], ["c"], ["d"]]]);
      expect(decideNext(progressOf([["a"], ["d"]]), problem(kind))).toMatchObject({
        kind: "continue",
        singlePinState: kind === "not_found" ? "gone" : "refused",
        progress: { groups: [["d"]] },
      });
    },
  );

  test("a dozen refusals in a row end the run; deleted pins do not", () => {
    const tired = progressOf([["a"]], { refusals: 11 });
    const held = { kind: "held", text: "It is rejected." };
    expect(decideNext(tired, problem("rejected"))).toMatchObject({ ...held, by: "refused" });
    expect(decideNext({ ...tired, reads: 1 }, problem("rejected"))).toMatchObject({ ...held, by: "pins" });
    expect(decideNext(tired, problem("not_found")).kind).toBe("continue");
  });

  test("a dozen deleted pins in a row end the run, each of them stored", () => {
    const tired = progressOf([["a"], ["b"]], { gone: 11 });
    expect(decideNext(tired, problem("not_found"))).toMatchObject({
      kind: "held",
      singlePinState: "gone",
      by: "pins",
      text: TEXTS.manyGone,
    });
    expect(decideNext(tired, read()).progress.gone).toBe(0);
  });

  test.each([{ httpStatus: 404, providerCode: 40 }, { httpStatus: 404, providerCode: undefined }, { httpStatus: 403 }])(
    "%j does not mark a pin as deleted",
    (more) => {
      expect(decideNext(progressOf([["a"]]), problem("not_found", more))).toMatchObject({
        kind: "continue",
        singlePinState: "refused",
      });
    },
  );

  test("after three failed groups in a row pins are read one by one, before the rest", () => {
    const progress = progressOf([["a", "b"], ["c"]], { failures: 2 });
    expect(decideNext(progress, problem("busy")).progress.groups).toEqual([["a"], ["b"], ["c"]]);
    expect(decideNext(progressOf([["a", "b"], ["c"]]), problem("busy")).progress.groups).toEqual([["c"], ["a"], ["b"]]);
  });

  test("a pair of which one pin is deleted or not due says nothing about bulk calls", () => {
    for (const end of [problem("not_found"), { kind: "none" } as const]) {
      const halved = decideNext(progressOf([["a", "b"]]), problem("rejected")).progress;
      const settled = decideNext(halved, end).progress;
      expect(decideNext(settled, read()).isBulkRefused).toBeUndefined();
    }
  });

  test("without the beta all pins are read one by one, in the same order", () => {
    expect(
      decideNext(
        progressOf([
          ["a", "b"],
          ["c", "d"],
        ]),
        problem("restricted"),
      ),
    ).toMatchObject({
      kind: "continue",
      isBulkRefused: true,
      progress: { groups: [["a"], ["b"], ["c"], ["d"]] },
    });
    expect(decideNext(progressOf([["a"]]), problem("restricted")).kind).toBe("held");
  });

  test.each([
    [0, undefined, 15_000],
    [1, undefined, 30_000],
    [4, undefined, 240_000],
    [0, 90, 90_000],
    [0, 86_400, 600_000],
  ])("after %i failures, with Retry-After %s, it waits %i ms and requests half", (failures, seconds, afterMs) => {
    const end = problem("unavailable", seconds === undefined ? {} : { retryAfterSeconds: seconds });
    expect(decideNext(progressOf([["a", "b"]], { failures }), end)).toMatchObject({
      kind: "wait",
      afterMs,
      progress: { groups: [["a"], ["b"]], failures: failures + 1 },
    });
  });

  test("six failures in a row end the run", () => {
    expect(decideNext(progressOf([["a"]], { failures: 5 }), problem("busy"))).toMatchObject({
      kind: "held",
      by: "failing",
    });
  });

  test.each([
    [undefined, 60_000],
    [0, 60_000],
    [1, 5_000],
    [40, 40_000],
  ])("a rate limit with Retry-After %s waits %i ms and keeps the progress", (seconds, afterMs) => {
    const progress = progressOf([["a", "b"]], { failures: 1 });
    const end = problem("rate_limited", seconds === undefined ? {} : { retryAfterSeconds: seconds });
    expect(decideNext(progress, end)).toMatchObject({ kind: "wait", afterMs, progress });
  });

  test.each([
    ["token_dead", "lost"],
    ["missing_scope", "lost"],
    ["trial_access", "refused"],
    ["spam_block", "refused"],
    ["restricted", "refused"],
  ] as const)("%s ends the run", (kind, by) => {
    expect(decideNext(progressOf([["a"]]), problem(kind))).toMatchObject({ kind: "held", text: `It is ${kind}.`, by });
  });
});
