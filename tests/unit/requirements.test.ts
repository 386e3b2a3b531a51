import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { inRepository } from "#scripts/root.ts";
import {
  citationsElsewhere,
  citedIds,
  freshRequirements,
  isInRepository,
  mentionedPaths,
  statedIds,
} from "#tests/support/source/requirements.ts";

const stated = statedIds();

test("each requirement is stated once and has a test", () => {
  expect(new Set(stated).size).toBe(stated.length);
  const cited = citedIds();
  expect(stated.filter((id) => !cited.has(id))).toEqual([]);
});

test("no test and no source cites an unknown requirement", () => {
  const unknown = (ids: Iterable<string>) => [...ids].filter((id) => !stated.includes(id));
  expect(unknown(citedIds().keys())).toEqual([]);
  expect(citationsElsewhere().flatMap(({ path, ids }) => unknown(ids).map((id) => `${path}: ${id}`))).toEqual([]);
});

test("the index of tests is fresh: run node scripts/requirements.ts", () => {
  expect(readFileSync(inRepository("docs", "requirements.md"), "utf8") === freshRequirements()).toBe(true);
});

test("files that comments and documents mention exist", () => {
  const missing = mentionedPaths().filter(({ mentioned }) => !isInRepository(mentioned));
  expect(missing.map(({ path, mentioned }) => `${path}: ${mentioned}`)).toEqual([]);
});
