import { DAILY_CREDITS_MAX, SECRET_CHECKSUM_CHARS, SECRET_PREFIX, SECRET_RANDOM_CHARS } from "./constants.ts";

export const BASE_62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** The CRC-32 of a text in base 62, padded: shows typos and cut keys without a query. */
const checksumOf = (text: string): string => {
  let crc = 0xffffffff;
  for (const char of text) {
    crc ^= char.charCodeAt(0);
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  let rest = (crc ^ 0xffffffff) >>> 0;
  let out = "";
  for (let n = 0; n < SECRET_CHECKSUM_CHARS; n++) {
    out = BASE_62.charAt(rest % 62) + out;
    rest = Math.floor(rest / 62);
  }
  return out;
};

/** @param random {@link SECRET_RANDOM_CHARS} characters of {@link BASE_62} */
export const toSecret = (random: string): string => {
  const body = `${SECRET_PREFIX}${random}`;
  return `${body}${checksumOf(body)}`;
};

const PATTERN = new RegExp(`^${SECRET_PREFIX}[0-9A-Za-z]{${SECRET_RANDOM_CHARS + SECRET_CHECKSUM_CHARS}}$`);

/** Whether a text has the form of one of our secrets, checksum included; says nothing about existence. */
export const isSecret = (text: string): boolean =>
  PATTERN.test(text) && toSecret(text.slice(SECRET_PREFIX.length, -SECRET_CHECKSUM_CHARS)) === text;

export type KeyState = "active" | "expired" | "revoked";

export const stateOf = (key: { expiresAt: Date | null; revokedAt: Date | null }, now: Date): KeyState => {
  if (key.revokedAt) return "revoked";
  return key.expiresAt && key.expiresAt <= now ? "expired" : "active";
};

/** Whether a field holds credits for a day, or nothing. */
export const isCredits = (text: string): boolean => /^\d{0,6}$/.test(text.trim()) && Number(text) <= DAILY_CREDITS_MAX;
