import { HOSTILE_TEXTS } from "#tests/support/hostile-texts.ts";
import type { Random } from "#tests/support/random.ts";

/** One of a list that is not empty. */
export const pick = <T>(random: Random, list: readonly T[]): T => {
  const picked = list[random.below(list.length)];
  if (picked === undefined && list.length === 0) throw new Error("Nothing to pick from.");
  return picked as T;
};

/** Whether something happens that has this chance, in percent. */
export const chance = (random: Random, percent: number): boolean => random.below(100) < percent;

const KEYS = ["__proto__", "constructor", "prototype", "toString", "length", "$ne", "then", "0", "", "\u0000", "id"];
const NUMBERS = [0, -0, -1, 1.5, 2 ** 31, 2 ** 53, -(2 ** 63), 1e308, 5e-324, 1e21];
const MORE_TEXTS = [
  "\u2066\u2067\u2068\u202a",
  "\udc00\ud800",
  "9".repeat(400),
  "0x10",
  "1_000",
  "+1",
  "Infinity",
  "0001-01-01",
  "9999-12-31",
  "275760-09-13",
  "2026-02-30T00:00:00+14:00",
  "http://[::1",
  "http://a:99999/",
  "//evil.example/",
  "javascript:alert(1)",
  "https://user:pw@example.com/",
  "a@b\r\nBcc: c@d.example",
  "\\u0000",
  "%",
  "%ff%fe",
  "{keyword}{",
  "(".repeat(2_000),
  "a".repeat(201),
  "é".repeat(5_001),
];

const randomText = (random: Random): string =>
  Array.from({ length: random.below(40) }, () => String.fromCharCode(random.below(0x1_0000))).join("");

/** A text that often breaks parsers, databases and pages, or random UTF-16 units. */
export const hostileText = (random: Random): string =>
  chance(random, 15) ? randomText(random) : pick(random, [...HOSTILE_TEXTS, ...MORE_TEXTS]);

const hostileKey = (random: Random): string => (chance(random, 70) ? pick(random, KEYS) : hostileText(random));

const nested = (depth: number): unknown => {
  let value: unknown = {};
  for (let level = 0; level < depth; level++) value = level % 2 === 0 ? { a: value } : [value];
  return value;
};

/** Any JSON value. */
export const hostileValue = (random: Random, depth = 0): unknown => {
  const kind = random.below(depth > 2 ? 5 : 8);
  if (kind < 3) return hostileText(random);
  if (kind === 3) return pick(random, [null, true, false, [], {}, [[]], [null]]);
  if (kind === 4) return pick(random, NUMBERS);
  if (kind === 5) return Array.from({ length: random.below(5) }, () => hostileValue(random, depth + 1));
  if (kind === 6) return hostileObject(random, depth);
  return chance(random, 30) ? nested(20 + random.below(400)) : Array.from({ length: random.below(600) }, () => null);
};

const hostileObject = (random: Random, depth: number): Record<string, unknown> =>
  Object.fromEntries(
    Array.from({ length: random.below(5) }, () => [hostileKey(random), hostileValue(random, depth + 1)]),
  );

/** The object with one to three of its fields replaced, removed or added, at any depth. */
export const changedObject = (random: Random, good: Record<string, unknown>): Record<string, unknown> => {
  let changed = good;
  for (let times = 1 + random.below(3); times > 0; times--) changed = changedOnce(random, changed);
  return changed;
};

const changedOnce = (random: Random, good: Record<string, unknown>): Record<string, unknown> => {
  const entries = Object.entries(good);
  const kind = random.below(5);
  if (entries.length === 0 || kind === 0)
    return Object.fromEntries([...entries, [hostileKey(random), hostileValue(random)]]);
  const at = random.below(entries.length);
  if (kind === 1) return Object.fromEntries(entries.filter((_, index) => index !== at));
  return Object.fromEntries(
    entries.map(([key, value], index) => [key, index === at ? changedValue(random, value) : value]),
  );
};

const changedValue = (random: Random, value: unknown): unknown => {
  if (chance(random, 50)) return hostileValue(random);
  if (Array.isArray(value)) return changedList(random, value);
  if (typeof value === "object" && value !== null) return changedOnce(random, { ...value });
  return typeof value === "string" ? value + hostileText(random) : hostileValue(random);
};

const changedList = (random: Random, list: unknown[]): unknown[] => {
  const kind = random.below(4);
  if (kind === 0) return [...list, hostileValue(random)];
  if (kind === 1) return [...list, ...list];
  if (kind === 2 && list.length > 0) return Array.from({ length: 700 }, () => list[0]);
  return list.map((item) => (chance(random, 50) ? changedValue(random, item) : item));
};

/** JSON that was damaged as text, including numbers that JSON does not have. */
export const brokenJson = (random: Random, good: string): Buffer => {
  const at = random.below(good.length + 1);
  const damages = [
    () => good.slice(0, at),
    () => `${good}${good}`,
    () => `\ufeff${good}`,
    () => good.replace(/:/, ":NaN,"),
    () => good.replace(/"[^"]*"(?=[,}\]])/, "-Infinity"),
    () => good.replace(/(?<=:)[^,}]*/, "1e999"),
    () => good.replace(/(?<=:)[^,}]*/, "9".repeat(300)),
    () => good.replace("{", `{"a":1,"a":2,`),
    () => "[".repeat(50_000),
    () => `${`{"a":`.repeat(5_000)}1${"}".repeat(5_000)}`,
    () => "",
    () => "null",
    () => `"${"x".repeat(300_000)}"`,
    () => good.replaceAll('"', "'"),
    () => `${good.slice(0, at)}\\ud800\\u0000${good.slice(at)}`,
  ];
  if (chance(random, 10)) {
    return Buffer.concat([
      Buffer.from(good.slice(0, at)),
      Buffer.from([0xff, 0xfe, 0xc0]),
      Buffer.from(good.slice(at)),
    ]);
  }
  return Buffer.from(pick(random, damages)());
};
