import "server-only";
import { hash } from "node:crypto";
import { KNOWN_MAX } from "./constants.ts";

/** 48 bits: among 60,000 known pages, a new one is taken for known once in four billion times. */
const HASH_BYTES = 6;

export const hashOf = (url: string): string => hash("sha256", url, "base64").slice(0, (HASH_BYTES * 4) / 3);

/** A known page is eight characters of base64. */
const KNOWN_CHARS = 8;

export const readKnown = (known: string): Set<string> =>
  new Set(
    Array.from({ length: Math.floor(known.length / KNOWN_CHARS) }, (_one, at) =>
      known.slice(at * KNOWN_CHARS, (at + 1) * KNOWN_CHARS),
    ),
  );

/** At the end of known pages until a reading has listed the whole site. No base64 contains it. */
export const PARTIAL = "~";

/** The pages that are there now come last, since those are the ones to keep. */
export const writeKnown = (before: ReadonlySet<string>, now: readonly string[], isPartial: boolean): string => {
  const current = new Set(now);
  const known = [...[...before].filter((one) => !current.has(one)), ...current].slice(-KNOWN_MAX);
  return known.join("") + (isPartial ? PARTIAL : "");
};
