import fc from "fast-check";
import { expect } from "vitest";
import type { AppResponse } from "#tests/support/app-client.ts";
import { HOSTILE_TEXTS } from "#tests/support/hostile-texts.ts";
import { errorBody } from "./wire-harness.ts";

/** Fixed, so that failures are reproducible; other seeds try other inputs. */
const SEED = 20_261_120;
const RUNS = 50;

/** Texts that often break parsers, databases and pages. */
export const text = fc.oneof(fc.constantFrom(...HOSTILE_TEXTS), fc.string({ unit: "binary", maxLength: 60 }));
const scalar = fc.oneof(
  text,
  fc.constantFrom(null, true, false, 0, -0, -1, 1.5, 2 ** 53, 1e308, Number.MIN_VALUE),
  fc.integer(),
);
const key = fc.oneof(fc.constantFrom("__proto__", "constructor", "keyword", "url", "length", "$ne", "0"), text);
/** Any JSON value, with hostile texts and keys. */
export const hostile: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof({ depthSize: "small", withCrossShrink: true }, scalar, tie("list"), tie("object")),
  list: fc.array(tie("value"), { maxLength: 5 }),
  object: fc.array(fc.tuple(key, tie("value")), { maxLength: 5 }).map((pairs) => Object.fromEntries(pairs)),
})).value;

/** A valid body with some fields replaced, removed or added. */
export const corrupted = (good: Record<string, unknown>): fc.Arbitrary<Record<string, unknown>> =>
  fc
    .tuple(
      fc.dictionary(fc.constantFrom(...Object.keys(good)), hostile, { minKeys: 1 }),
      fc.subarray(Object.keys(good), { maxLength: 1 }),
      fc.dictionary(key, hostile, { maxKeys: 3 }),
    )
    .map(([replaced, left, added]) => {
      const body = { ...added, ...good, ...replaced };
      for (const name of left) delete body[name];
      return body;
    });

const isFields = (json: unknown): boolean =>
  Object.values(Object(json)).length > 0 &&
  Object.values(Object(json)).every((texts) => Array.isArray(texts) && texts.every((item) => typeof item === "string"));

/** Checks that an error response has the documented shape, or exactly `{field: [text]}` for calls with field errors. */
export const expectDocumented = (answer: AppResponse, allowed: number[], hasFieldErrors: boolean) => {
  expect(allowed).toContain(answer.status);
  if (answer.status < 400 || (hasFieldErrors && answer.status === 400 && isFields(answer.json))) return;
  const { fields, row, ...rest } = Object(answer.json);
  expect(rest).toEqual(errorBody(rest.code));
  if (row !== undefined) {
    expect(row).toEqual({ number: expect.any(Number), field: expect.any(String), text: expect.any(String) });
  }
  if (fields !== undefined) expect(isFields(fields)).toBe(true);
  expect(answer.text).not.toMatch(/node_modules|Failed query|\bat .*\.js:/);
};

const ODD = [null, true, 0, -1, 1.5, 2 ** 53, [], {}, [[]], [null], [{}]];

/** The valid body with each field replaced in turn by each hostile value. */
export const eachFieldCorrupted = (good: Record<string, unknown>): Record<string, unknown>[] =>
  Object.entries(good).flatMap(([name, value]) => {
    const wrong: unknown[] = [...HOSTILE_TEXTS, ...ODD];
    const appended = Array.isArray(value) ? wrong.map((item) => [...value, item]) : [];
    return [...wrong, ...appended].map((item) => ({ ...good, [name]: item }));
  });

/** Sends many inputs one after the other, `named` ones first. */
export const attack = async <T>(
  inputs: fc.Arbitrary<T>,
  send: (input: T) => Promise<void>,
  named: T[] = [],
): Promise<void> =>
  fc.assert(fc.asyncProperty(inputs, send), {
    seed: SEED,
    numRuns: RUNS + named.length,
    examples: named.map((item): [T] => [item]),
    endOnFailure: true,
  });
