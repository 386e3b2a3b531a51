import { DrizzleQueryError } from "drizzle-orm/errors";
import { describe, expect, test } from "vitest";
import { retryDeadlock } from "#lib/features/billing/events.ts";

const problem = (code: string) => new DrizzleQueryError("update …", [], Object.assign(new Error("no"), { code }));

/** Fails so often with a code of PostgreSQL, then answers how often it was called. */
const failing = (times: number, code: string) => {
  let calls = 0;
  const run = async () => {
    calls += 1;
    if (calls <= times) throw problem(code);
    return calls;
  };
  return { run, calls: () => calls };
};

describe("R-PAY-03, decision 0017: a deadlock is tried again", () => {
  test.each([0, 1, 3])("%d times", async (times) => {
    expect(await retryDeadlock(failing(times, "40P01").run)).toBe(times + 1);
  });

  test("not for ever", async () => {
    const { run, calls } = failing(1_000, "40P01");
    await expect(retryDeadlock(run)).rejects.toMatchObject({ cause: { code: "40P01" } });
    expect(calls()).toBe(4);
  });

  test("nothing else is", async () => {
    const { run, calls } = failing(1_000, "23505");
    await expect(retryDeadlock(run)).rejects.toMatchObject({ cause: { code: "23505" } });
    expect(calls()).toBe(1);
  });
});
