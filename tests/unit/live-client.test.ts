import { describe, expect, test } from "vitest";
import { mergeTasks } from "#components/generation/merge-tasks.ts";
import { parseNews } from "#lib/client/live-connection.ts";
import type { TaskWire, TrackingWire } from "#lib/features/generation/schema.ts";

describe("a live event in the browser", () => {
  test("is read from its lines; comments, pauses and strangers are none", () => {
    expect(parseNews('id: 7\nevent: post_removed\ndata: {"id":"pin_1"}')).toEqual({
      id: 7,
      kind: "post_removed",
      data: { id: "pin_1" },
    });
    for (const other of ["retry: 2000", ": hello", "id: 7\nevent: weather\ndata: {}", "event: alive\ndata: {}", ""]) {
      expect(parseNews(other)).toBeNull();
    }
  });
});

const task = (id: string, more: Partial<TaskWire> = {}): TaskWire => ({
  task_id: id,
  id,
  status: "STARTED",
  stage: "GENERATING_TITLE",
  keyword: id,
  title: null,
  description: null,
  image_url: null,
  url: null,
  progress_percentage: 5,
  hasTitle: false,
  hasDescription: false,
  hasImage: false,
  ...more,
});

const TRACKING: TrackingWire = {
  total_tasks: 2,
  completed_tasks: 0,
  progress_percentage: 5,
  tasks: [task("a"), task("b")],
  // The other stages are zero all along.
  stage_counts: { generating_title: 2, success: 0, failure: 0, failed: 0 } as TrackingWire["stage_counts"],
  estimated_time_remaining: 40,
};
const done = (id: string) => task(id, { status: "SUCCESS", stage: "SUCCESS", progress_percentage: 100 });
const failed = (id: string) => task(id, { status: "FAILURE", stage: "FAILURE", progress_percentage: 100 });

describe("R-TRK-13 an answer with what the stream has told since", () => {
  test("counts and percent follow; the estimate stays until all have finished", () => {
    const rows = new Map([["a", { value: done("a"), at: 3 }]]);
    expect(mergeTasks(TRACKING, 2, rows)).toMatchObject({
      completed_tasks: 1,
      progress_percentage: 52,
      stage_counts: { generating_title: 1, success: 1, failed: 0 },
      estimated_time_remaining: 40,
    });
    rows.set("b", { value: failed("b"), at: 4 });
    expect(mergeTasks(TRACKING, 2, rows)).toMatchObject({
      completed_tasks: 2,
      progress_percentage: 100,
      stage_counts: { generating_title: 0, success: 1, failure: 1, failed: 1 },
      estimated_time_remaining: null,
    });
  });

  test("what came before the question, and tasks of other groups, change nothing", () => {
    const rows = new Map([
      ["a", { value: done("a"), at: 2 }],
      ["c", { value: done("c"), at: 9 }],
    ]);
    expect(mergeTasks(TRACKING, 2, rows)).toBe(TRACKING);
  });
});
