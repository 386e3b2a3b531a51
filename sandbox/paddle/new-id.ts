import { randomBytes } from "node:crypto";

const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
const TIME_CHARS = 10;
const RANDOM_CHARS = 16;

/** An id as Paddle makes them: a prefix, then a lower-case ULID whose first ten characters are the time. */
export function newId(prefix: string, at: Date): string {
  let time = at.getTime();
  let stamp = "";
  for (let place = 0; place < TIME_CHARS; place += 1) {
    stamp = `${ALPHABET[time % ALPHABET.length]}${stamp}`;
    time = Math.floor(time / ALPHABET.length);
  }
  const rest = [...randomBytes(RANDOM_CHARS)].map((byte) => ALPHABET[byte % ALPHABET.length]).join("");
  return `${prefix}_${stamp}${rest}`;
}

/** A secret for a link. */
export function newToken(): string {
  return randomBytes(24).toString("base64url");
}
