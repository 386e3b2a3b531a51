import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";

/** SHA-256 of a text, hexadecimal. For tokens of at least 128 random bits, which need no slow hash. */
export const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

/** A random text for addresses and cookies: 32 bytes, base64url. */
export const randomToken = (bytes = 32): string => randomBytes(bytes).toString("base64url");

/** Whether two texts are equal, in a time that does not tell where they differ. */
export const equalInConstantTime = (a: string, b: string): boolean => {
  const left = createHash("sha256").update(a).digest();
  const right = createHash("sha256").update(b).digest();
  return timingSafeEqual(left, right);
};

/** HMAC-SHA-256 of a text under a secret, base64url. */
export const signText = (secret: string, text: string): string =>
  createHmac("sha256", secret).update(text).digest("base64url");
