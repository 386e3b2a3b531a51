import { createHash, randomBytes } from "node:crypto";

const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/**
 * A ULID: 48 bits of time and 80 bits that are random, or derived from `seed` so that the same seed gives the same id.
 * With an `index`, ids of one seed and time are in the order of their indices.
 */
export function ulid(atMs: number, seed?: string, index?: number): string {
  const tail = seed === undefined ? randomBytes(10) : createHash("sha256").update(seed).digest().subarray(0, 10);
  if (index !== undefined) tail.writeUInt16BE(index % 0x10000, 8);
  const time = BigInt(Math.min(Math.max(0, Math.trunc(atMs)), 2 ** 48 - 1));
  return base32((time << 80n) | BigInt(`0x${tail.toString("hex")}`));
}

function base32(value: bigint): string {
  let text = "";
  for (let rest = value; text.length < 26; rest >>= 5n) text = ALPHABET.charAt(Number(rest & 31n)) + text;
  return text;
}
