import { expect, test } from "vitest";
import { sharedResult } from "#lib/core/concurrency.ts";

/** A source that counts its loads and resolves on demand; the clock only moves by hand. */
const sharedSource = () => {
  const clock = { ms: 0 };
  const waiting: PromiseWithResolvers<string>[] = [];
  const load = () => {
    const answer = Promise.withResolvers<string>();
    waiting.push(answer);
    return answer.promise;
  };
  const keepMs = (answer: string) => (answer === "failed" ? 1_000 : 5_000);
  return { clock, waiting, read: sharedResult({ load, keepMs, nowMs: () => clock.ms }) };
};

test("A-39 many callers share one load until its result expires", async () => {
  const { clock, waiting, read } = sharedSource();
  const answers = [read(), read(), read()];
  clock.ms += 29_999;
  answers.push(read());
  expect(waiting.length).toBe(1);
  waiting[0]?.resolve("works");
  expect(await Promise.all(answers)).toEqual(["works", "works", "works", "works"]);
  clock.ms += 4_999;
  expect([await read(), waiting.length]).toEqual(["works", 1]);
  clock.ms += 1;
  const next = read();
  expect(waiting.length).toBe(2);
  waiting[1]?.resolve("failed");
  expect(await next).toBe("failed");
  clock.ms += 999;
  expect([await read(), waiting.length]).toEqual(["failed", 2]);
  clock.ms += 1;
  read();
  expect(waiting.length).toBe(3);
});

test("keeps nothing when the load rejects", async () => {
  const { waiting, read } = sharedSource();
  const answers = [read(), read()];
  waiting[0]?.reject(new Error("away"));
  expect((await Promise.allSettled(answers)).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  read();
  expect(waiting.length).toBe(2);
});

test("waits 30 seconds for a pending result, which does not replace a later one", async () => {
  const { clock, waiting, read } = sharedSource();
  const late = read();
  clock.ms += 30_000;
  const next = read();
  waiting[1]?.resolve("works");
  expect(await next).toBe("works");
  waiting[0]?.resolve("failed");
  expect(await late).toBe("failed");
  expect([await read(), waiting.length]).toEqual(["works", 2]);
});
