import { createHmac, timingSafeEqual } from "node:crypto";
import { MINUTE_MS, SECOND_MS } from "#lib/core/time.ts";

/**
 * How far a webhook's time may lie from ours, to either side. The provider's own helper takes 5 s, and only of the past:
 * a busy machine or a clock a little off would then refuse what is genuine. A minute costs nothing, since an event that
 * is sent again is known by its id.
 */
export const SIGNATURE_TOLERANCE_MS = MINUTE_MS;

/** A header of the provider has some 90 characters, twice that while a secret is replaced. */
const HEADER_MAX = 1_000;
const HASH_LENGTH = 64;

interface SignatureHeader {
  /** As it was written: it is part of what was signed. */
  timestamp: string;
  hashes: Buffer[];
}

/** `ts=<unix seconds>;h1=<hex>[;h1=<hex>…]`; null for anything else. Parts of other names are left alone. */
const readHeader = (header: string): SignatureHeader | null => {
  if (header.length > HEADER_MAX) return null;
  const parts = header.split(";").map((part) => part.trim().split("="));
  const valuesOf = (name: string) =>
    parts.filter((part) => part.length === 2 && part[0] === name).map(([, value = ""]) => value);
  const [timestamp, ...others] = valuesOf("ts");
  if (timestamp === undefined || others.length > 0 || !/^\d{1,12}$/.test(timestamp)) return null;
  const hashes = valuesOf("h1").filter((value) => value.length === HASH_LENGTH && /^[\da-f]+$/.test(value));
  return { timestamp, hashes: hashes.map((value) => Buffer.from(value, "hex")) };
};

const hashOf = (secret: string, timestamp: string, body: Uint8Array): Buffer =>
  createHmac("sha256", secret).update(`${timestamp}:`).update(body).digest();

/**
 * Whether a body was signed by the provider (BRIEF §5): any hash of the header, any of our secrets, over these bytes,
 * near to now. Every pair is compared, each in constant time.
 */
export const isSigned = (
  { body, signature, now }: { body: Uint8Array; signature: string | null; now: Date },
  secrets: readonly string[],
): boolean => {
  const header = signature === null ? null : readHeader(signature);
  if (!header) return false;
  const driftMs = Math.abs(now.getTime() - Number(header.timestamp) * SECOND_MS);
  const ours = secrets.filter(Boolean).map((secret) => hashOf(secret, header.timestamp, body));
  const matches = header.hashes.flatMap((hash) => ours.map((expected) => timingSafeEqual(hash, expected)));
  return matches.includes(true) && driftMs <= SIGNATURE_TOLERANCE_MS;
};
