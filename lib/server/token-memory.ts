import "server-only";
import { hash } from "node:crypto";
import { MINUTE_MS, SECOND_MS } from "#lib/core/time.ts";

/** What a token says, whatever has become of its login since. */
export interface TokenClaims {
  loginId: string;
  /** Seconds since 1970 at which the token ends. */
  expiresAt: number;
}

const KEPT_MS = MINUTE_MS;
const MOST_KEPT = 5_000;

/**
 * Remembers for a minute what tokens said, by their digest: opening one costs as much as a query. What a token says
 * never changes; whether its login still lives is asked of the database every time, so revoking loses nothing by this.
 */
export const createTokenMemory = (now: () => number = () => Date.now()) => {
  const kept = new Map<string, { claims: TokenClaims; untilMs: number }>();
  const read = async (name: string, open: () => Promise<TokenClaims | null>): Promise<TokenClaims | null> => {
    const key = hash("sha256", name, "base64url");
    const known = kept.get(key);
    if (known && now() < Math.min(known.untilMs, known.claims.expiresAt * SECOND_MS)) return known.claims;
    kept.delete(key);
    const claims = await open();
    if (!claims) return null;
    // The oldest goes first; a flood of good tokens only costs the opening again.
    if (kept.size >= MOST_KEPT) for (const oldest of [...kept.keys()].slice(0, MOST_KEPT / 10)) kept.delete(oldest);
    kept.set(key, { claims, untilMs: now() + KEPT_MS });
    return claims;
  };
  return { read, size: () => kept.size };
};
