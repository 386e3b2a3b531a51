import { afterEach, beforeEach, expect } from "vitest";

/** Vitest setup file: what a test writes to console.error without announcing it fails the test. */
const unexpected: string[] = [];
const realError = console.error;

/** Announces that the running test will write errors; they are dropped instead of failing it. */
export function allowConsoleErrors(): void {
  console.error = () => {};
}

beforeEach(() => {
  unexpected.length = 0;
  console.error = (...parts: unknown[]) => {
    unexpected.push(parts.map(String).join(" "));
    realError(...parts);
  };
});

afterEach(() => {
  console.error = realError;
  expect(unexpected, "console.error was called").toEqual([]);
});
