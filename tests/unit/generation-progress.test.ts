import { describe, expect, test } from "vitest";
import type { StageCode, TaskStatus } from "#lib/features/generation/constants.ts";
import { STAGE_LABELS } from "#lib/features/generation/constants.ts";
import { formatEstimate, sortTasks, toProgressView, toStrip } from "#lib/features/generation/policy.ts";
import type { TaskWire, TrackingWire } from "#lib/features/generation/schema.ts";

const STAGE_OF: Record<TaskStatus, StageCode> = {
  PENDING: "PENDING",
  STARTED: "GENERATING_IMAGE",
  RETRY: "RETRY",
  SUCCESS: "SUCCESS",
  FAILURE: "FAILURE",
  REVOKED: "REVOKED",
};

const task = (id: string, status: TaskStatus, percent = 50): TaskWire => ({
  task_id: id,
  id,
  status,
  stage: STAGE_OF[status],
  keyword: `keyword ${id}`,
  title: null,
  description: null,
  image_url: null,
  url: null,
  progress_percentage: percent,
  hasTitle: false,
  hasDescription: false,
  hasImage: false,
});

const many = (count: number, status: TaskStatus) =>
  Array.from({ length: count }, (_, index) => task(`${index}`, status));

const noCounts = Object.fromEntries(Object.keys(STAGE_LABELS).map((code) => [code.toLowerCase(), 0]));

const tracking = (tasks: TaskWire[], more: Partial<TrackingWire> = {}): TrackingWire => ({
  total_tasks: tasks.length,
  completed_tasks: tasks.filter(({ status }) => ["SUCCESS", "FAILURE", "REVOKED"].includes(status)).length,
  progress_percentage: 50,
  tasks,
  stage_counts: { ...(noCounts as TrackingWire["stage_counts"]), failed: 0 },
  estimated_time_remaining: 75,
  ...more,
});

test("A-32: the estimate reads '{m}m {s}s'", () => {
  expect([5, 60, 75, 3_599].map(formatEstimate)).toEqual(["0m 5s", "1m 0s", "1m 15s", "59m 59s"]);
});

test("R-TRK-11, A-33: unfinished in start order, then successes, then failures", () => {
  const tasks = [
    task("a", "FAILURE"),
    task("b", "SUCCESS"),
    task("c", "PENDING"),
    task("d", "STARTED"),
    task("e", "REVOKED"),
    task("f", "SUCCESS"),
    task("g", "RETRY"),
  ];
  expect(sortTasks(tasks).map(({ id }) => id)).toEqual(["c", "d", "g", "b", "f", "a", "e"]);
});

describe("A-31, R-CONST-13: the strip", () => {
  test.each([0, 1, 9, 10])("%i tasks: one bar each", (count) => {
    expect(toStrip(many(count, "STARTED"))).toHaveLength(count);
  });

  test.each([11, 15, 99, 100])("%i tasks: ten aggregates with all of them", (count) => {
    const bars = toStrip(many(count, "STARTED"));
    expect(bars).toHaveLength(10);
    expect(bars.reduce((sum, bar) => sum + bar.tasks, 0)).toBe(count);
    const sizes = bars.map((bar) => bar.tasks);
    expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
  });

  test("a single bar names keyword and stage; an aggregate averages", () => {
    expect(toStrip([task("a", "STARTED", 35)])).toEqual([
      { key: "0", percent: 35, tone: "working", tasks: 1, label: "keyword a: Creating Image" },
    ]);
    const pairs = Array.from({ length: 10 }, (_, index) => [
      task(`${index}a`, "SUCCESS", 100),
      task(`${index}b`, "STARTED", 35),
    ]);
    expect(toStrip(pairs.flat())[0]).toEqual({ key: "0", percent: 67, tone: "working", tasks: 2, label: "2 pins" });
  });

  test("a finished aggregate with one failure is failed", () => {
    const tasks = [...many(19, "SUCCESS"), task("z", "FAILURE", 100)];
    expect(toStrip(tasks).map(({ tone }) => tone)).toEqual([...Array(9).fill("done"), "failed"]);
  });
});

describe("toProgressView", () => {
  test("R-TRK-09: the detail list shows ten, then '+n more'", () => {
    const view = toProgressView(tracking(many(13, "STARTED")), "high");
    expect([view.tasks.length, view.moreText]).toEqual([10, "+3 more"]);
    expect(toProgressView(tracking(many(10, "STARTED")), "high").moreText).toBeNull();
  });

  test("R-TRK-04, A-30: complete when all have finished, failures included; the estimate clears", () => {
    const tasks = [task("a", "SUCCESS"), task("b", "FAILURE")];
    const counts = { ...tracking(tasks).stage_counts, failed: 1 };
    const view = toProgressView(tracking(tasks, { stage_counts: counts, progress_percentage: 100 }), "high");
    expect(view).toMatchObject({
      isComplete: true,
      completeText: "Pin generation complete!",
      failedText: "1 pin(s) failed to generate.",
      estimateText: null,
    });
  });

  test("R-TRK-06: no failure text without a failure", () => {
    expect(toProgressView(tracking([task("a", "STARTED")]), "high")).toMatchObject({
      isComplete: false,
      completeText: null,
      failedText: null,
    });
  });

  test("R-TRK-07: the server's estimate is used when given, else the constants", () => {
    const tasks = [task("a", "STARTED"), task("b", "STARTED")];
    expect(toProgressView(tracking(tasks), "high").estimateText).toBe("1m 15s");
    const unknown = tracking(tasks, { estimated_time_remaining: null });
    expect(toProgressView(unknown, "high").estimateText).toBe("2m 0s");
    expect(toProgressView(unknown, "standard").estimateText).toBe("1m 40s");
  });

  test("R-TRK-08: the bar is capped at 100", () => {
    const over = tracking([task("a", "STARTED")], { progress_percentage: 130 });
    expect(toProgressView(over, "high").percent).toBe(100);
  });
});
