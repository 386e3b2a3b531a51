import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createId } from "#lib/core/ids.ts";
import type { KeyUse } from "#lib/features/api-keys/authentication.ts";
import { createUseLog } from "#lib/server/v1/key-uses.ts";

beforeEach(() => {
  vi.useFakeTimers();
  return () => vi.useRealTimers();
});
afterEach(() => vi.restoreAllMocks());

const use = (call: string): KeyUse => {
  const at = new Date("2026-11-28T10:00:00.000Z");
  return { keyId: createId("apiKey", at), call, status: 200, network: "192.0.2.0/24", at };
};

test("uses that couldn't be stored are tried again after a second, without another call", async () => {
  vi.spyOn(process.stdout, "write").mockReturnValue(true);
  const stored: string[][] = [];
  let failures = 2;
  const log = createUseLog(async (uses) => {
    failures -= 1;
    if (failures >= 0) throw new Error("The database is down.");
    stored.push(uses.map(({ call }) => call));
  });
  await log.note(use("GET /a"), false);
  await log.note(use("POST /b"), true);
  expect(stored).toEqual([]);
  await vi.advanceTimersByTimeAsync(1_000);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(stored).toEqual([["GET /a", "POST /b"]]);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(stored).toHaveLength(1);
});

test("reads are stored together within a second, an urgent use at once", async () => {
  const stored: number[] = [];
  const log = createUseLog(async (uses) => {
    stored.push(uses.length);
  });
  await log.note(use("GET /a"), false);
  await log.note(use("GET /b"), false);
  expect(stored).toEqual([]);
  await vi.advanceTimersByTimeAsync(1_000);
  await log.note(use("POST /c"), true);
  expect(stored).toEqual([2, 1]);
});
