import { describe, expect, test } from "vitest";
import type { PinId } from "#lib/core/ids.ts";
import { TEXTS } from "#lib/features/analytics/constants.ts";
import { settleGroup } from "#lib/features/analytics/gathering.ts";
import type { GroupEnd } from "#lib/features/analytics/pinterest-calls.ts";
import { NEW_WALK } from "#lib/features/analytics/schema.ts";
import { toTotals } from "#lib/features/analytics/stored-figures.ts";
import type { PinterestDay, PinterestPinFigures, PinterestProblem } from "#lib/integrations/pinterest/port.ts";

const ready = (date: string, seen: number, clicks = 1): PinterestDay<PinterestPinFigures> => ({
  date,
  status: "ready",
  figures: { impressions: seen, pinClicks: 3, outboundClicks: clicks, saves: 0 },
});
const unready = (date: string, status: "processing" | "unknown" = "unknown") => ({ date, status, figures: null });

describe("A-83 running totals", () => {
  test("go from the first final day to the last; a gap adds nothing to any of them", () => {
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
    ["nothing was told", []],
  ])("are empty where %s", (_, days) => {
    const empty = { impressions: [], pinClicks: [], outboundClicks: [], saves: [] };
    expect(toTotals(days, "2026-11-01")).toEqual({ firstDay: "2026-11-01", readyThrough: null, ...empty });
  });

  test("of one day are that day", () => {
    expect(toTotals([ready("2026-11-01", 7)], "2026-10-01")).toMatchObject({
      firstDay: "2026-11-01",
      impressions: [7],
    });
  });
});

const walkOf = (groups: string[][], more = {}) => ({ ...NEW_WALK, groups, ...more });
const GONE = { httpStatus: 404, providerCode: 50 };
const problem = (kind: PinterestProblem["kind"], more = {}): GroupEnd => ({
  kind: "problem",
  problem: { kind, text: `It is ${kind}.`, ...(kind === "not_found" && GONE), ...more },
  askedAt: null,
});
const read = (leftOut: string[] = [], calls: number | null = null): GroupEnd => ({
  kind: "read",
  stored: 1,
  leftOut: leftOut as PinId[],
  callsLeft: calls === null ? null : { calls, resetSeconds: 9 },
});

describe("A-83 what follows a call", () => {
  test("what was left out of an answer is read alone, before the rest", () => {
    expect(settleGroup(walkOf([["a", "b", "c"], ["d"]], { failures: 2, refusals: 3 }), read(["b"]))).toEqual({
      kind: "on",
      walk: walkOf([["b"], ["d"]], { reads: 1 }),
    });
  });

  test("few calls that are left are left to screens", () => {
    expect(settleGroup(walkOf([["a"]]), read([], 11)).kind).toBe("on");
    expect(settleGroup(walkOf([["a"]]), read([], 10))).toMatchObject({ kind: "wait", afterMs: 9_000, text: null });
  });

  test.each(["not_found", "rejected"] as const)("%s of many is found by halving, and alone is written down", (kind) => {
    const halved = settleGroup(walkOf([["a", "b", "c"], ["d"]]), problem(kind));
    expect([halved.kind, halved.walk.groups]).toEqual(["on", [["a", "b"], ["c"], ["d"]]]);
    expect(settleGroup(walkOf([["a"], ["d"]]), problem(kind))).toMatchObject({
      kind: "on",
      alone: kind === "not_found" ? "gone" : "refused",
      walk: { groups: [["d"]] },
    });
  });

  test("a dozen refusals in a row end it; pins that are gone do not", () => {
    const tired = walkOf([["a"]], { refusals: 11 });
    const held = { kind: "held", text: "It is rejected." };
    expect(settleGroup(tired, problem("rejected"))).toMatchObject({ ...held, by: "refused" });
    expect(settleGroup({ ...tired, reads: 1 }, problem("rejected"))).toMatchObject({ ...held, by: "pins" });
    expect(settleGroup(tired, problem("not_found")).kind).toBe("on");
  });

  test("a dozen pins that are gone in a row end it, each of them written down", () => {
    const tired = walkOf([["a"], ["b"]], { gone: 11 });
    expect(settleGroup(tired, problem("not_found"))).toMatchObject({
      kind: "held",
      alone: "gone",
      by: "pins",
      text: TEXTS.manyGone,
    });
    expect(settleGroup(tired, read()).walk.gone).toBe(0);
  });

  test.each([{ httpStatus: 404, providerCode: 40 }, { httpStatus: 404, providerCode: undefined }, { httpStatus: 403 }])(
    "%j does not say that a pin is gone",
    (more) => {
      expect(settleGroup(walkOf([["a"]]), problem("not_found", more))).toMatchObject({ kind: "on", alone: "refused" });
    },
  );

  test("three groups that fail in a row are read one by one, before the rest", () => {
    const walk = walkOf([["a", "b"], ["c"]], { failures: 2 });
    expect(settleGroup(walk, problem("busy")).walk.groups).toEqual([["a"], ["b"], ["c"]]);
    expect(settleGroup(walkOf([["a", "b"], ["c"]]), problem("busy")).walk.groups).toEqual([["c"], ["a"], ["b"]]);
  });

  test("a pin whose refused partner is gone, or not due any more, does not speak for calls for many", () => {
    for (const end of [problem("not_found"), { kind: "none" } as const]) {
      const halved = settleGroup(walkOf([["a", "b"]]), problem("rejected")).walk;
      const settled = settleGroup(halved, end).walk;
      expect(settleGroup(settled, read()).isBulkRefused).toBeUndefined();
    }
  });

  test("without the beta all that waits is read one by one, in the same order", () => {
    expect(
      settleGroup(
        walkOf([
          ["a", "b"],
          ["c", "d"],
        ]),
        problem("restricted"),
      ),
    ).toMatchObject({
      kind: "on",
      isBulkRefused: true,
      walk: { groups: [["a"], ["b"], ["c"], ["d"]] },
    });
    expect(settleGroup(walkOf([["a"]]), problem("restricted")).kind).toBe("held");
  });

  test.each([
    [0, undefined, 15_000],
    [1, undefined, 30_000],
    [4, undefined, 240_000],
    [0, 90, 90_000],
    [0, 86_400, 600_000],
  ])("after %i failures, told to wait %s seconds, it waits %i ms and asks for half", (failures, told, afterMs) => {
    const end = problem("unavailable", told === undefined ? {} : { retryAfterSeconds: told });
    expect(settleGroup(walkOf([["a", "b"]], { failures }), end)).toMatchObject({
      kind: "wait",
      afterMs,
      walk: { groups: [["a"], ["b"]], failures: failures + 1 },
    });
  });

  test("six failures in a row end it", () => {
    expect(settleGroup(walkOf([["a"]], { failures: 5 }), problem("busy"))).toMatchObject({
      kind: "held",
      by: "failing",
    });
  });

  test.each([
    [undefined, 60_000],
    [0, 60_000],
    [1, 5_000],
    [40, 40_000],
  ])("too many calls, told to wait %s seconds: nothing is lost for %i ms", (told, afterMs) => {
    const walk = walkOf([["a", "b"]], { failures: 1 });
    const end = problem("rate_limited", told === undefined ? {} : { retryAfterSeconds: told });
    expect(settleGroup(walk, end)).toMatchObject({ kind: "wait", afterMs, walk });
  });

  test.each([
    ["token_dead", "lost"],
    ["missing_scope", "lost"],
    ["trial_access", "refused"],
    ["spam_block", "refused"],
    ["restricted", "refused"],
  ] as const)("%s ends it", (kind, by) => {
    expect(settleGroup(walkOf([["a"]]), problem(kind))).toMatchObject({ kind: "held", text: `It is ${kind}.`, by });
  });
});
