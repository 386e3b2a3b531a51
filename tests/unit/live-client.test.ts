import { describe, expect, test } from "vitest";
import { mergeTasks } from "#components/generation/merge-tasks.ts";
import { createCursorFilter, createReplayBuffer, parseEvent } from "#lib/client/event-stream.ts";
import type { TaskWire, TrackingWire } from "#lib/features/generation/schema.ts";
import type { LiveEvent } from "#lib/features/realtime/schema.ts";

describe("parseEvent", () => {
  test("parses events and ignores comments and unknown kinds", () => {
    expect(parseEvent('id: 7\nevent: post_removed\ndata: {"id":"pin_1"}')).toEqual({
      id: 7,
      kind: "post_removed",
      data: { id: "pin_1" },
    });
    for (const other of ["retry: 2000", ": hello", "id: 7\nevent: weather\ndata: {}", "event: alive\ndata: {}", ""]) {
      expect(parseEvent(other)).toBeNull();
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
  // All other stages are zero.
  stage_counts: { generating_title: 2, success: 0, failure: 0, failed: 0 } as TrackingWire["stage_counts"],
  estimated_time_remaining: 40,
};
const done = (id: string) => task(id, { status: "SUCCESS", stage: "SUCCESS", progress_percentage: 100 });
const failed = (id: string) => task(id, { status: "FAILURE", stage: "FAILURE", progress_percentage: 100 });

describe("R-TRK-13 merging live events into a tracking response", () => {
  test("updates counts and percentage, and keeps the estimate until all tasks have finished", () => {
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

  test("ignores events before the request and tasks of other groups", () => {
    const rows = new Map([
      ["a", { value: done("a"), at: 2 }],
      ["c", { value: done("c"), at: 9 }],
    ]);
    expect(mergeTasks(TRACKING, 2, rows)).toBe(TRACKING);
  });
});

const removed = (id: number): LiveEvent => ({ id, kind: "post_removed", data: { id: `pin_${id}` } });
const marker = (id: number, kind: "alive" | "reset" = "alive"): LiveEvent => ({ id, kind, data: {} });

describe("tabs of a browser share one stream", () => {
  const createTab = (after: number | null) => {
    const received: string[] = [];
    const filter = createCursorFilter({ after, onEvent: ({ kind, id }) => received.push(`${kind} ${id}`) });
    return { received, filter };
  };

  test("a tab rendered before the leader resets, even before the stream has started", () => {
    const buffer = createReplayBuffer(200);
    expect(buffer.since(100)).toEqual([marker(200, "reset")]);
    expect(buffer.since(200)).toEqual([]);
    expect(buffer.add(marker(200))).toBe(200);
    expect(buffer.since(100)).toEqual([marker(200, "reset")]);
    expect(buffer.since(200)).toEqual([marker(200)]);
  });

  test("the leader's first event does not hide events that a tab has missed", () => {
    const [buffer, { received, filter }] = [createReplayBuffer(200), createTab(100)];
    const before = buffer.add(marker(200));
    expect(filter.accept(marker(200), before)).toBe(false);
    expect([received, filter.position()]).toEqual([[], 100]);
  });

  test("events that arrive before the missed ones do not displace them", () => {
    const [buffer, { received, filter }] = [createReplayBuffer(100), createTab(105)];
    for (const id of [110, 120, 149]) buffer.add(removed(id));
    expect(filter.accept(removed(150), buffer.add(removed(150)))).toBe(false);
    for (const event of buffer.since(filter.position())) expect(filter.accept(event, null)).toBe(true);
    expect(filter.accept(removed(151), buffer.add(removed(151)))).toBe(true);
    const ids = [110, 120, 149, 150].map((id) => `post_removed ${id}`);
    expect(received).toEqual([...ids, "alive 150", "post_removed 151"]);
  });

  test("the buffer resets tabs that are older than its start, a reset or its capacity", () => {
    const buffer = createReplayBuffer(null);
    expect(buffer.since(50)).toEqual([]);
    buffer.add(marker(60));
    expect(buffer.since(50)).toEqual([marker(60, "reset")]);
    buffer.add(removed(61));
    buffer.add(marker(90, "reset"));
    expect([buffer.since(61), buffer.since(90)]).toEqual([[marker(90, "reset")], [marker(90)]]);
    for (let id = 91; id < 300; id += 1) buffer.add(removed(id));
    expect(buffer.since(91)).toEqual([marker(299, "reset")]);
    expect(buffer.since(297)).toEqual([removed(298), removed(299), marker(299)]);
    expect(buffer.since(null)).toEqual([marker(299)]);
  });
});
