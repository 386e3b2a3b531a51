import { existsSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { expect, test } from "vitest";
import { inRepository } from "#scripts/root.ts";

const read = (file: string) => readFileSync(inRepository(file), "utf8");
const document = read("docs/security.md");
const rows = document
  .split("\n")
  .filter((line) => line.startsWith("| ") && !/^\| (rule|---)/.test(line))
  .map((line) => line.split(" | ").map((cell) => cell.replace(/^\| | ?\|$/g, "").trim()));

test("each rule says what enforces it and which tests prove it, and these exist", () => {
  expect(rows.length).toBeGreaterThan(40);
  for (const [rule, means = "", proof = ""] of rows) {
    const files = [...proof.matchAll(/`((?:unit|component|integration|contract|e2e)\/[^`]+)`/g)].map(
      ([, file]) => file,
    );
    expect([rule, means.length > 10, files.length > 0]).toEqual([rule, true, true]);
    for (const file of files) expect([file, existsSync(inRepository("tests", file ?? ""))]).toEqual([file, true]);
  }
});

test("all links of the two documents lead somewhere", () => {
  for (const file of ["docs/security.md", "SECURITY.md"]) {
    const links = [...read(file).matchAll(/\]\(([^)#]+)\)/g)].map(([, link = ""]) => link);
    expect(links.length).toBeGreaterThan(1);
    for (const link of links) expect([link, existsSync(inRepository(dirname(file), link))]).toEqual([link, true]);
  }
});

test("SECURITY.md says how to report, and which versions are supported", () => {
  expect(
    read("SECURITY.md")
      .match(/^## .+$/gm)
      ?.slice(0, 2),
  ).toEqual(["## Reporting a vulnerability", "## Supported versions"]);
  expect(read("README.md")).toContain("docs/security.md");
});
