import { expect, test } from "vitest";
import { readSources } from "#tests/support/source/files.ts";
import { importsOf } from "#tests/support/source/imports.ts";

test("every component of components/ui has a specimen in components/showcase", () => {
  const sources = readSources();
  const components = sources.map(({ path }) => path).filter((path) => /^components\/ui\/[^/]+\.tsx$/.test(path));
  const shown = new Set(
    sources
      .filter(({ path }) => path.startsWith("components/showcase/"))
      .flatMap(importsOf)
      .map(({ to }) => to),
  );
  expect(components.length).toBeGreaterThan(20);
  expect(components.filter((path) => !shown.has(path))).toEqual([]);
});
