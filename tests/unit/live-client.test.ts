import { describe, expect, test } from "vitest";
import { mergeTasks } from "#components/generation/merge-tasks.ts";
import { createMemory, createSieve, parseNews } from "#lib/client/event-stream.ts";
import type { TaskWire, TrackingWire } from "#lib/features/generation/schema.ts";
import type { LiveNews } from "#lib/features/realtime/schema.ts";

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

const gone = (id: number): LiveNews => ({ id, kind: "post_removed", data: { id: `pin_${id}` } });
const sign = (id: number, kind: "alive" | "reset" = "alive"): LiveNews => ({ id, kind, data: {} });

describe("DESIGN 5.3 the tabs of a browser share one stream", () => {
  const listen = (after: number | null) => {
    const heard: string[] = [];
    const sieve = createSieve({ after, onNews: ({ kind, id }) => heard.push(`${kind} ${id}`) });
    return { heard, sieve };
  };

  test("a tab painted before the leader's page reads everything again, also before the stream has begun", () => {
    const memory = createMemory(200);
    expect(memory.since(100)).toEqual([sign(200, "reset")]);
    expect(memory.since(200)).toEqual([]);
    expect(memory.keep(sign(200))).toBe(200);
    expect(memory.since(100)).toEqual([sign(200, "reset")]);
    expect(memory.since(200)).toEqual([sign(200)]);
  });

  test("the leader's first news is not taken for the first that a tab has missed", () => {
    const [memory, { heard, sieve }] = [createMemory(200), listen(100)];
    const before = memory.keep(sign(200));
    expect(sieve.take(sign(200), before)).toBe(false);
    expect([heard, sieve.position()]).toEqual([[], 100]);
  });

  test("news that come before the answer to a tab's greeting push nothing of that aside", () => {
    const [memory, { heard, sieve }] = [createMemory(100), listen(105)];
    for (const id of [110, 120, 149]) memory.keep(gone(id));
    expect(sieve.take(gone(150), memory.keep(gone(150)))).toBe(false);
    for (const news of memory.since(sieve.position())) expect(sieve.take(news, null)).toBe(true);
    expect(sieve.take(gone(151), memory.keep(gone(151)))).toBe(true);
    const ids = [110, 120, 149, 150].map((id) => `post_removed ${id}`);
    expect(heard).toEqual([...ids, "alive 150", "post_removed 151"]);
  });

  test("a stream that began at its present, was reset, or told too much knows nothing from before", () => {
    const memory = createMemory(null);
    expect(memory.since(50)).toEqual([]);
    memory.keep(sign(60));
    expect(memory.since(50)).toEqual([sign(60, "reset")]);
    memory.keep(gone(61));
    memory.keep(sign(90, "reset"));
    expect([memory.since(61), memory.since(90)]).toEqual([[sign(90, "reset")], [sign(90)]]);
    for (let id = 91; id < 300; id += 1) memory.keep(gone(id));
    expect(memory.since(91)).toEqual([sign(299, "reset")]);
    expect(memory.since(297)).toEqual([gone(298), gone(299), sign(299)]);
    expect(memory.since(null)).toEqual([sign(299)]);
  });
});
