import { expect, test } from "vitest";
import { evaluate, type Measured } from "#tests/bench/library/evaluate.ts";

const lists = (oursMs: readonly number[], bareMs: readonly number[], isCounting = false): Measured[] =>
  [100, 1_000, 10_000].map((size, at) => ({
    scenario: isCounting ? "first page with counts" : "search",
    isCounting,
    size,
    oursMs: oursMs[at] ?? 0,
    medianMs: 0,
    bareMs: bareMs[at] ?? 0,
    isNoisy: false,
    isRight: true,
  }));

test("R-POST-03 a search that slows down is not flat, even if the bare query slows down as well", () => {
  expect(evaluate(lists([1, 1, 1.4], [1, 1, 1])).verdict).toBe("met");
  expect(evaluate(lists([1, 5, 50], [1, 5, 50])).verdict).toBe("missed");
});

test("counting scenarios may slow down like a bare count, but not more", () => {
  expect(evaluate(lists([1, 2, 4], [1, 2, 4], true)).verdict).toBe("met");
  expect(evaluate(lists([1, 2, 7], [1, 2, 4], true)).verdict).toBe("missed");
  expect(evaluate([...lists([1, 2, 4], [1, 2, 4], true), ...lists([1, 2, 4], [1, 2, 4])]).verdict).toBe("missed");
});
