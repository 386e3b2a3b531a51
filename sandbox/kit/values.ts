import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

export type JsonObject = Record<string, unknown>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Undefined for a text that is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Compares secrets in constant time. */
export function isSameText(given: string, expected: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}

const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** A ULID, random or derived from `seed`. With an `index`, ids of one seed and time sort by index. */
export function ulid(atMs: number, seed?: string, index?: number): string {
  const tail = seed === undefined ? randomBytes(10) : createHash("sha256").update(seed).digest().subarray(0, 10);
  if (index !== undefined) tail.writeUInt16BE(index % 0x10000, 8);
  const time = BigInt(Math.min(Math.max(0, Math.trunc(atMs)), 2 ** 48 - 1));
  let text = "";
  let rest = (time << 80n) | BigInt(`0x${tail.toString("hex")}`);
  for (; text.length < 26; rest >>= 5n) text = ALPHABET.charAt(Number(rest & 31n)) + text;
  return text;
}
