import { expect, test } from "vitest";
import { sharedAnswer } from "#lib/core/concurrency.ts";

/** A source that counts how often it is asked and answers when told to; the clock stands still until it is moved. */
const sharedSource = () => {
  const clock = { ms: 0 };
  const waiting: PromiseWithResolvers<string>[] = [];
  const ask = () => {
    const answer = Promise.withResolvers<string>();
    waiting.push(answer);
    return answer.promise;
  };
  const keepMs = (answer: string) => (answer === "failed" ? 1_000 : 5_000);
  return { clock, waiting, read: sharedAnswer({ ask, keepMs, nowMs: () => clock.ms }) };
};

test("A-39 however many ask the source is asked once, until its answer has served its time", async () => {
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

test("when the source rejects, nothing is kept", async () => {
  const { waiting, read } = sharedSource();
  const answers = [read(), read()];
  waiting[0]?.reject(new Error("away"));
  expect((await Promise.allSettled(answers)).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  read();
  expect(waiting.length).toBe(2);
});

test("an answer that does not come is waited for half a minute, and does not outlive the one asked for after it", async () => {
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
