import { type QueryClient, QueryObserver } from "@tanstack/react-query";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type Polling, pollingOptions } from "#lib/client/polling.ts";
import { createQueryClient } from "#lib/client/query-client.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const KEY = ["polled"];

/** What is answered and told, in turn. */
const hear = (client: QueryClient, seen: string[]) =>
  client.getQueryCache().subscribe((event) => {
    if (event.type === "updated" && event.action.type === "success") seen.push(String(event.action.data));
  });

/** Answers in turn; 'fails' is a call that gets no answer. */
const polling = (answers: readonly string[], rest: Partial<Polling<string>> = {}) => {
  const left = [...answers];
  const seen: string[] = [];
  const errors: unknown[] = [];
  const client = createQueryClient((error) => errors.push(error));
  hear(client, seen);
  const ask = vi.fn(async () => {
    const next = left.shift() ?? "fails";
    if (next === "fails") throw new Error(next);
    return next;
  });
  const options = { everyMs: () => 1_000, isDone: (answer: string) => answer === "done", ...rest };
  const observer = new QueryObserver<string, unknown>(client, {
    queryKey: KEY,
    queryFn: ask,
    ...pollingOptions(options, () => client.getQueryState<string, unknown>(KEY)),
  });
  return { ask, seen, errors, leave: observer.subscribe(() => {}) };
};

describe("A-83 asking again and again", () => {
  test("ends with what was waited for, and with the screen that asked", async () => {
    const { ask, seen } = polling(["more", "more", "done"]);
    await vi.advanceTimersByTimeAsync(10_000);
    expect([seen, ask.mock.calls.length]).toEqual([["more", "more", "done"], 3]);
    const left = polling(["more"]);
    await vi.advanceTimersByTimeAsync(0);
    left.leave();
    await vi.advanceTimersByTimeAsync(10_000);
    expect([left.seen, left.errors, left.ask.mock.calls.length]).toEqual([["more"], [], 1]);
  });

  test("R-TRK-05 without pauses the first failure ends it", async () => {
    const { ask, errors } = polling(["more", "fails", "done"]);
    await vi.advanceTimersByTimeAsync(10_000);
    expect([errors.length, ask.mock.calls.length]).toEqual([1, 2]);
  });

  test("with pauses a failure between answers is waited for in silence, longer each time", async () => {
    const { ask, seen, errors } = polling(["more", "fails", "fails", "more", "done"], {
      pausesMs: [3_000, 6_000, 9_000],
    });
    await vi.advanceTimersByTimeAsync(1_000 + 2_999);
    expect(ask).toHaveBeenCalledTimes(2);
    await vi.advanceTimersByTimeAsync(1 + 5_999);
    expect(ask).toHaveBeenCalledTimes(3);
    await vi.advanceTimersByTimeAsync(1 + 1_000);
    expect([seen, errors]).toEqual([["more", "more", "done"], []]);
  });

  test("once all pauses were in vain each failure is told, and it goes on", async () => {
    const { ask, seen, errors } = polling(["more", "fails", "fails", "fails", "done"], { pausesMs: [3_000, 6_000] });
    await vi.advanceTimersByTimeAsync(1_000 + 3_000);
    expect([ask.mock.calls.length, errors.length]).toEqual([3, 1]);
    await vi.advanceTimersByTimeAsync(6_000);
    expect([ask.mock.calls.length, errors.length]).toEqual([4, 2]);
    await vi.advanceTimersByTimeAsync(6_000);
    expect(seen).toEqual(["more", "done"]);
  });

  test("the first call, and a refusal that stays one, end it with pauses too", async () => {
    const first = polling(["fails", "done"], { pausesMs: [3_000] });
    const refused = polling(["more", "fails", "done"], { pausesMs: [3_000, 3_000], isPassing: () => false });
    await vi.advanceTimersByTimeAsync(20_000);
    expect([first.errors.length, first.ask.mock.calls.length]).toEqual([1, 1]);
    expect([refused.errors.length, refused.ask.mock.calls.length]).toEqual([1, 2]);
  });
});
