import { expect, test } from "vitest";
import { type Found, judge } from "#tests/bench/library/judge.ts";

const walls = (oursMs: readonly number[], bareMs: readonly number[], isCounting = false): Found[] =>
  [100, 1_000, 10_000].map((size, at) => ({
    moment: isCounting ? "first page with counts" : "search",
    isCounting,
    size,
    oursMs: oursMs[at] ?? 0,
    middleMs: 0,
    bareMs: bareMs[at] ?? 0,
    isNoisy: false,
    isRight: true,
  }));

test("R-POST-03 a search that grows is not flat, however much the bare query grows as well", () => {
  expect(judge(walls([1, 1, 1.4], [1, 1, 1])).verdict).toBe("met");
  expect(judge(walls([1, 5, 50], [1, 5, 50])).verdict).toBe("missed");
});

test("what counts may grow as a bare count does, and no more", () => {
  expect(judge(walls([1, 2, 4], [1, 2, 4], true)).verdict).toBe("met");
  expect(judge(walls([1, 2, 7], [1, 2, 4], true)).verdict).toBe("missed");
  expect(judge([...walls([1, 2, 4], [1, 2, 4], true), ...walls([1, 2, 4], [1, 2, 4])]).verdict).toBe("missed");
});
