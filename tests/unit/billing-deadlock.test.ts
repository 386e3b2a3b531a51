import { DrizzleQueryError } from "drizzle-orm/errors";
import { describe, expect, test } from "vitest";
import { retryDeadlock } from "#lib/features/billing/events.ts";

const problem = (code: string) => new DrizzleQueryError("update …", [], Object.assign(new Error("no"), { code }));

/** Fails the given number of times with a PostgreSQL code, then returns the number of calls. */
const failing = (times: number, code: string) => {
  let calls = 0;
  const run = async () => {
    calls += 1;
    if (calls <= times) throw problem(code);
    return calls;
  };
  return { run, calls: () => calls };
};

describe("R-PAY-03, decision 0017: retries a deadlock", () => {
  test.each([0, 1, 3])("%d times", async (times) => {
    expect(await retryDeadlock(failing(times, "40P01").run)).toBe(times + 1);
  });

  test("not forever", async () => {
    const { run, calls } = failing(1_000, "40P01");
    await expect(retryDeadlock(run)).rejects.toMatchObject({ cause: { code: "40P01" } });
    expect(calls()).toBe(4);
  });

  test("and no other error", async () => {
    const { run, calls } = failing(1_000, "23505");
    await expect(retryDeadlock(run)).rejects.toMatchObject({ cause: { code: "23505" } });
    expect(calls()).toBe(1);
  });
});
