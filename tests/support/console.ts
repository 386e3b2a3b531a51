import { afterEach, beforeEach, expect } from "vitest";

/** Vitest setup file: unannounced calls of console.error fail the test. */
const unexpected: string[] = [];
const realError = console.error;

/** Allows console errors in the running test; they are discarded. */
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
