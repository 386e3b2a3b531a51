import { type QueryClient, QueryObserver } from "@tanstack/react-query";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type Polling, pollingOptions } from "#lib/client/polling.ts";
import { createQueryClient } from "#lib/client/query-client.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const KEY = ["polled"];

/** Records the data of each successful response. */
const recordData = (client: QueryClient, seen: string[]) =>
  client.getQueryCache().subscribe((event) => {
    if (event.type === "updated" && event.action.type === "success") seen.push(String(event.action.data));
  });

/** Polls a query with these responses; 'fails' is a failed call. */
const polling = (answers: readonly string[], rest: Partial<Polling<string>> = {}) => {
  const left = [...answers];
  const seen: string[] = [];
  const errors: unknown[] = [];
  const client = createQueryClient((error) => errors.push(error));
  recordData(client, seen);
  const request = vi.fn(async () => {
    const next = left.shift() ?? "fails";
    if (next === "fails") throw new Error(next);
    return next;
  });
  const options = { everyMs: () => 1_000, isDone: (answer: string) => answer === "done", ...rest };
  const observer = new QueryObserver<string, unknown>(client, {
    queryKey: KEY,
    queryFn: request,
    ...pollingOptions(options, () => client.getQueryState<string, unknown>(KEY)),
  });
  return { request, seen, errors, leave: observer.subscribe(() => {}) };
};

describe("A-83 polling", () => {
  test("stops when it is done or the screen is left", async () => {
    const { request, seen } = polling(["more", "more", "done"]);
    await vi.advanceTimersByTimeAsync(10_000);
    expect([seen, request.mock.calls.length]).toEqual([["more", "more", "done"], 3]);
    const left = polling(["more"]);
    await vi.advanceTimersByTimeAsync(0);
    left.leave();
    await vi.advanceTimersByTimeAsync(10_000);
    expect([left.seen, left.errors, left.request.mock.calls.length]).toEqual([["more"], [], 1]);
  });

  test("R-TRK-05 without retries the first failure stops polling", async () => {
    const { request, errors } = polling(["more", "fails", "done"]);
    await vi.advanceTimersByTimeAsync(10_000);
    expect([errors.length, request.mock.calls.length]).toEqual([1, 2]);
  });

  test("later failures are retried silently with growing delays", async () => {
    const { request, seen, errors } = polling(["more", "fails", "fails", "more", "done"], {
      pausesMs: [3_000, 6_000, 9_000],
    });
    await vi.advanceTimersByTimeAsync(1_000 + 2_999);
    expect(request).toHaveBeenCalledTimes(2);
    await vi.advanceTimersByTimeAsync(1 + 5_999);
    expect(request).toHaveBeenCalledTimes(3);
    await vi.advanceTimersByTimeAsync(1 + 1_000);
    expect([seen, errors]).toEqual([["more", "more", "done"], []]);
  });

  test("after all retries each failure is reported, and polling goes on", async () => {
    const { request, seen, errors } = polling(["more", "fails", "fails", "fails", "done"], {
      pausesMs: [3_000, 6_000],
    });
    await vi.advanceTimersByTimeAsync(1_000 + 3_000);
    expect([request.mock.calls.length, errors.length]).toEqual([3, 1]);
    await vi.advanceTimersByTimeAsync(6_000);
    expect([request.mock.calls.length, errors.length]).toEqual([4, 2]);
    await vi.advanceTimersByTimeAsync(6_000);
    expect(seen).toEqual(["more", "done"]);
  });

  test("a failed first call and a permanent failure stop polling", async () => {
    const first = polling(["fails", "done"], { pausesMs: [3_000] });
    const refused = polling(["more", "fails", "done"], { pausesMs: [3_000, 3_000], isTransient: () => false });
    await vi.advanceTimersByTimeAsync(20_000);
    expect([first.errors.length, first.request.mock.calls.length]).toEqual([1, 1]);
    expect([refused.errors.length, refused.request.mock.calls.length]).toEqual([1, 2]);
  });
});
