import { expect, test } from "vitest";
import { isInstalled } from "#scripts/install.mjs";

const lock = {
  packages: {
    "": {},
    "node_modules/a": { version: "1.0.0", integrity: "sha512-a" },
    "node_modules/b-darwin": { version: "1.0.0", integrity: "sha512-b", optional: true },
  },
};
const a = { version: "1.0.0", integrity: "sha512-a" };

test("installed: everything is present; another platform's binary may be missing", () => {
  expect(isInstalled(lock, { packages: { "node_modules/a": a } })).toBe(true);
});

test.each([
  ["a package is missing", {}],
  ["a version differs", { "node_modules/a": { ...a, version: "1.0.1" } }],
  ["a content differs", { "node_modules/a": { ...a, integrity: "sha512-x" } }],
  ["a package is no longer wanted", { "node_modules/a": a, "node_modules/old": a }],
])("needs an install: %s", (_, packages) => {
  expect(isInstalled(lock, { packages })).toBe(false);
});
