import { createHmac, timingSafeEqual } from "node:crypto";

/**
 * JSON with sorted keys, as Inngest signs it. Takes values that came out of `JSON.parse`.
 * A value with a data key `toJSON` is written as it stands: the SDK does the same.
 */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value !== "object" || ("toJSON" in value && value.toJSON != null)) {
    return JSON.stringify(value);
  }
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  const members = Object.entries(value)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`);
  return `{${members.join(",")}}`;
}

/** The `x-inngest-signature` of a request with this body text ("" for none), valid for five minutes around `atMs`. */
export function signRequest(body: string, signingKey: string, atMs: number): string {
  return signCanonical(body === "" ? "" : canonicalJson(JSON.parse(body)), signingKey, atMs);
}

/** The same for a body that is canonical JSON already. */
export function signCanonical(body: string, signingKey: string, atMs: number): string {
  return sign(body, signingKey, String(Math.floor(atMs / 1000)));
}

/** Whether the app signed exactly this answer with our key; its age does not matter. */
export function isSignedAnswer(text: string, signature: string, signingKey: string): boolean {
  const at = new URLSearchParams(signature).get("t") ?? "";
  const expected = Buffer.from(sign(text, signingKey, at));
  const given = Buffer.from(signature);
  return expected.length === given.length && timingSafeEqual(expected, given);
}

function sign(content: string, signingKey: string, at: string): string {
  const key = signingKey.replace(/^signkey-\w+-/, "");
  const digest = createHmac("sha256", key)
    .update(content + at)
    .digest("hex");
  return `t=${at}&s=${digest}`;
}
