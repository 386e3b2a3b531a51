import { expect, test } from "vitest";
import { readCopy, readProblem, readRetryAfter } from "#lib/integrations/ai/answers.ts";

test.each([{ choices: {} }, { choices: [] }, { choices: [null] }, { choices: [{ message: { content: 7 } }] }])(
  "an unexpected completion is unusable: %j",
  (completion) => {
    expect(readCopy(completion)).toMatchObject({ kind: "problem", problem: { kind: "unusable" } });
  },
);

test("a broken connection is for later; our own bugs are rethrown", () => {
  const broken = new TypeError("terminated", { cause: new Error("other side closed") });
  expect(readProblem(broken)).toMatchObject({ kind: "later" });
  const ours = new TypeError("Cannot read properties of undefined (reading 'data')");
  expect(() => readProblem(ours)).toThrow(ours);
});

test("retry-after-ms wins over retry-after, which may be a date; both are bounded", () => {
  const now = new Date("2026-11-20T12:00:00Z");
  const read = (headers: Record<string, string>) => readRetryAfter(new Headers(headers), now);
  expect(read({ "retry-after-ms": "1500", "retry-after": "9" })).toBe(1_500);
  expect(read({ "retry-after": "Fri, 20 Nov 2026 12:00:30 GMT" })).toBe(30_000);
  expect(read({ "retry-after": "0" })).toBe(50);
  expect(read({ "retry-after": "999999" })).toBe(3_600_000);
  expect(read({ "retry-after": "soon" })).toBeUndefined();
  expect(readRetryAfter(undefined, now)).toBeUndefined();
});
