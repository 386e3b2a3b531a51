import fc from "fast-check";
import { expect } from "vitest";
import type { Answered } from "#tests/support/app-client.ts";
import { errorBody } from "./wire-house.ts";

/** Fixed, so that a failure comes again; another number tries other inputs. */
const SEED = 20_261_120;
const RUNS = 220;

const NASTY = [
  "",
  " ",
  "\u0000",
  "a\u0000b",
  "\ud800",
  "\u202e\u200b\ufeff",
  "𝒳".repeat(500),
  "x".repeat(20_000),
  "'; drop table users; --",
  "' or 1=1 --",
  "%00%27",
  "../../../../etc/passwd",
  "<script>alert(1)</script>",
  "{{7*7}}",
  "\r\nset-cookie: a=b",
  "__proto__",
  "constructor",
  "NaN",
  "-1",
  "1e309",
  "null",
  "undefined",
  "2026-13-45T99:99:99Z",
  `acc_${"0".repeat(26)}`,
  `acc_${"0".repeat(25)}\u0000`,
  `pin_${"z".repeat(26)}`,
];

/** Texts that have broken something somewhere. */
export const text = fc.oneof(fc.constantFrom(...NASTY), fc.string({ unit: "binary", maxLength: 60 }));
const scalar = fc.oneof(
  text,
  fc.constantFrom(null, true, false, 0, -0, -1, 1.5, 2 ** 53, 1e308, Number.MIN_VALUE),
  fc.integer(),
);
const key = fc.oneof(fc.constantFrom("__proto__", "constructor", "keyword", "url", "length", "$ne", "0"), text);
/** Any JSON value, made to be in the way. */
export const hostile: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof({ depthSize: "small", withCrossShrink: true }, scalar, tie("list"), tie("object")),
  list: fc.array(tie("value"), { maxLength: 5 }),
  object: fc.array(fc.tuple(key, tie("value")), { maxLength: 5 }).map((pairs) => Object.fromEntries(pairs)),
})).value;

/** A good body of which some fields are replaced, left out, or joined by others. */
export const spoiled = (good: Record<string, unknown>): fc.Arbitrary<Record<string, unknown>> =>
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
  Object.values(Object(json)).every((texts) => Array.isArray(texts) && texts.every((one) => typeof one === "string"));

/** Every refusal has the documented shape, or is exactly `{field: [text]}` where the call speaks that way. */
export const expectDocumented = (answer: Answered, allowed: number[], hasFieldDialect: boolean) => {
  expect(allowed).toContain(answer.status);
  if (answer.status < 400 || (hasFieldDialect && answer.status === 400 && isFields(answer.json))) return;
  const { fields, row, ...rest } = Object(answer.json);
  expect(rest).toEqual(errorBody(rest.code));
  if (row !== undefined) {
    expect(row).toEqual({ number: expect.any(Number), field: expect.any(String), text: expect.any(String) });
  }
  if (fields !== undefined) expect(isFields(fields)).toBe(true);
  expect(answer.text).not.toMatch(/node_modules|Failed query|\bat .*\.js:/);
};

const ODD = [null, true, 0, -1, 1.5, 2 ** 53, [], {}, [[]], [null], [{}]];

/** The good body with each field in turn replaced by each value that has broken something somewhere. */
export const eachFieldSpoiled = (good: Record<string, unknown>): Record<string, unknown>[] =>
  Object.entries(good).flatMap(([name, value]) => {
    const wrong: unknown[] = [...NASTY, ...ODD];
    const beside = Array.isArray(value) ? wrong.map((one) => [...value, one]) : [];
    return [...wrong, ...beside].map((one) => ({ ...good, [name]: one }));
  });

/** Sends many inputs, one after the other: the named ones first. */
export const attack = async <T>(
  inputs: fc.Arbitrary<T>,
  send: (input: T) => Promise<void>,
  named: T[] = [],
): Promise<void> =>
  fc.assert(fc.asyncProperty(inputs, send), {
    seed: SEED,
    numRuns: RUNS + named.length,
    examples: named.map((one): [T] => [one]),
    endOnFailure: true,
  });
