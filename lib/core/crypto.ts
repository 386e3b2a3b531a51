import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";

/** SHA-256 as hexadecimal. For tokens of at least 128 random bits, which need no slow hash. */
export const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

export const randomToken = (bytes = 32): string => randomBytes(bytes).toString("base64url");

export const equalInConstantTime = (a: string, b: string): boolean => {
  const left = createHash("sha256").update(a).digest();
  const right = createHash("sha256").update(b).digest();
  return timingSafeEqual(left, right);
};

export const signText = (secret: string, text: string): string =>
  createHmac("sha256", secret).update(text).digest("base64url");

export interface Sealer {
  /** AES-256-GCM with the first key: `v1.<key id>.<iv>.<tag>.<cipher>`, base64url parts. */
  seal(plain: string): string;
  /** @throws Error when the text was altered or its key is unknown. */
  open(sealed: string): string;
  /** Whether we have the text's key, and whether it is the first key. */
  canOpen(sealed: string): boolean;
  isCurrent(sealed: string): boolean;
}

const keyId = (key: Buffer): string => createHash("sha256").update(key).digest("hex").slice(0, 8);

/** A sealer with keys of 32 bytes (hexadecimal). The first encrypts; all of them decrypt (key rotation). */
export const createSealer = (hexKeys: readonly string[]): Sealer => {
  const keys = hexKeys.map((hex) => Buffer.from(hex, "hex"));
  const [first] = keys;
  if (!first) throw new Error("A sealer needs at least one key.");
  const keyOf = (sealed: string): Buffer | undefined => {
    const [version, id] = sealed.split(".");
    return version === "v1" ? keys.find((candidate) => keyId(candidate) === id) : undefined;
  };
  return {
    seal: (plain) => {
      const iv = randomBytes(12);
      const cipher = createCipheriv("aes-256-gcm", first, iv);
      const sealed = Buffer.concat([cipher.update(plain, "utf8"), cipher.final()]);
      return ["v1", keyId(first), ...[iv, cipher.getAuthTag(), sealed].map((part) => part.toString("base64url"))].join(
        ".",
      );
    },
    open: (text) => {
      const [, , iv = "", tag = "", sealed = ""] = text.split(".");
      const key = keyOf(text);
      if (!key) throw new Error("The sealed text uses an unknown key.");
      const decipher = createDecipheriv("aes-256-gcm", key, Buffer.from(iv, "base64url"));
      decipher.setAuthTag(Buffer.from(tag, "base64url"));
      return Buffer.concat([decipher.update(Buffer.from(sealed, "base64url")), decipher.final()]).toString("utf8");
    },
    canOpen: (text) => keyOf(text) !== undefined,
    isCurrent: (text) => keyOf(text) === first,
  };
};
