import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { inRepository } from "#scripts/root.ts";
import { SCREENS } from "#tests/e2e/support/screen-names.ts";

const specs = ["e2e", "screens"].flatMap((folder) =>
  readdirSync(inRepository("tests", folder))
    .filter((name) => name.endsWith(".spec.ts"))
    .map((name) => readFileSync(inRepository("tests", folder, name), "utf8")),
);

/** A name in a list of screens with their paths, or as the argument of a check. */
const visitOf = (name: string) =>
  new RegExp(
    `(\\["|name: "|(appearancesFor|checkAppearances|checkEachAppearance|checkEach|check|each)\\((\\w+, )?")${name}"`,
  );

test("every screen is visited by a test of the suite for screens", () => {
  const visiting = specs.filter((text) => text.includes('tag: "@screens"') || text.includes('test("@screens '));
  expect(SCREENS.filter((name) => !visiting.some((text) => visitOf(name).test(text)))).toEqual([]);
  expect(new Set(SCREENS).size).toBe(SCREENS.length);
});
