import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { HttpAnswer } from "./http.ts";

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

/** The `x-inngest-signature` of a request with this body, canonical JSON or "", valid for five minutes around `atMs`. */
export function signRequest(body: string, signingKey: string, atMs: number): string {
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

/** Whether a parsed JSON value is an object with named members. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Parses JSON; undefined when the text is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The message of whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message || error.name : String(error);
}

/** A moment for PostgreSQL, as text, so that a moved clock's own Date class never reaches the driver. */
export function iso(atMs: number): string {
  return new Date(atMs).toISOString();
}

/** Fit for a text column and for people: PostgreSQL takes neither \\0 nor half a surrogate pair. */
export function printable(text: string): string {
  return text.toWellFormed().replaceAll("\0", "");
}

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

/** The names of the events that the executor itself sends, as the real server does. */
export const FUNCTION_FAILED = "inngest/function.failed";
export const SCHEDULED_TIMER = "inngest/scheduled.timer";

/** An error as it crosses the wire; other fields do not survive. */
export type WireError = { name: string; message: string; stack?: string };

/** One thing the SDK reports about a step. */
export interface Op {
  id: string;
  op: string;
  name: string;
  displayName: string;
  data: unknown;
  error: unknown;
  opts: Record<string, unknown>;
}

/** What became of a call. */
export type Answer =
  /** The run is over; `output` is JSON text. */
  | { kind: "finished"; output: string }
  | { kind: "ops"; ops: readonly Op[]; isFinal: boolean; retryAfter: string | undefined }
  | { kind: "failed"; error: WireError; isFinal: boolean; retryAfter: string | undefined }
  /** The SDK was not reached: try again soon, for ever, without counting an attempt. */
  | { kind: "unreachable"; reason: string }
  /** The configuration must be corrected: try again slowly, without counting an attempt. */
  | { kind: "misconfigured"; reason: string; isUnknownFunction: boolean }
  /** Something this executor does not speak; the run fails. */
  | { kind: "unusable"; reason: string };

/** What a 401 from the app means. */
export const KEYS_DIFFER =
  "The app refused the signature (401): the signing keys differ or a clock is off by 5 minutes";
const SPOKEN_VERSION = "2";

/** Reads the answer to a signed call, INNGEST.md §3 and §10. */
export function readAnswer(answer: HttpAnswer, signingKey: string): Answer {
  const { status, text } = answer;
  const stranger = refuseStranger(answer, signingKey);
  if (stranger !== undefined) return stranger;
  const unusable = (reason: string): Answer => ({ kind: "unusable", reason });
  if (status === 201) return unusable("The app streams its answers: INNGEST_STREAMING must stay unset");
  const isFinal = answer.header("x-inngest-no-retry") === "true";
  const retryAfter = answer.header("retry-after");
  if (status !== 200 && status !== 206) {
    const error = toWireError(parseJson(text), `The app answered with status ${status}`);
    // The SDK says so in an error of the type "internal", as it calls all that is not the function's own.
    return /was not found in this app/.test(error.message) && Object(parseJson(text)).type === "internal"
      ? { kind: "misconfigured", reason: error.message, isUnknownFunction: true }
      : { kind: "failed", error, isFinal, retryAfter };
  }
  const version = answer.header("x-inngest-req-version");
  if (version !== SPOKEN_VERSION) {
    return unusable(`The SDK speaks version ${version}: optimizeParallelism must not be switched off`);
  }
  if (status === 200) return { kind: "finished", output: text === "" ? "null" : text };
  const ops = readOps(parseJson(text));
  if (ops === undefined) return unusable("The SDK reported steps in a shape that is not understood");
  return { kind: "ops", ops, isFinal, retryAfter };
}

function refuseStranger(answer: HttpAnswer, signingKey: string): Answer | undefined {
  const { status, text, header } = answer;
  const misconfigured = (reason: string): Answer => ({ kind: "misconfigured", reason, isUnknownFunction: false });
  if (status === 401) return misconfigured(KEYS_DIFFER);
  if (status >= 300 && status < 400) {
    return misconfigured(`The endpoint redirects to ${header("location")}: its address must answer directly`);
  }
  if (header("x-inngest-sdk") !== undefined) {
    const isOurs = isSignedAnswer(text, header("x-inngest-signature") ?? "", signingKey);
    return isOurs ? undefined : misconfigured("The answer does not carry the app's signature");
  }
  return header("x-inngest-sdk-handled") === undefined
    ? { kind: "unreachable", reason: `Something other than Inngest's SDK answered with status ${status}` }
    : misconfigured(`The SDK refused the call with status ${status}: it may lack its signing key`);
}

/** Reads an error of the wire; stacks stay whole here, whoever shows them shortens them. */
export function toWireError(raw: unknown, otherwise: string): WireError {
  if (!isRecord(raw)) return { name: "Error", message: typeof raw === "string" ? raw : otherwise };
  const message = [raw.message, raw.error].find((text) => typeof text === "string") ?? otherwise;
  const name = typeof raw.name === "string" ? raw.name : "Error";
  return { name, message, ...(typeof raw.stack === "string" ? { stack: raw.stack } : {}) };
}

function readOps(body: unknown): Op[] | undefined {
  const ops: Op[] = [];
  for (const raw of [body].flat()) {
    if (!isRecord(raw) || typeof raw.id !== "string" || typeof raw.op !== "string") return undefined;
    const { id, op, data, error, opts } = raw;
    const name = typeof raw.name === "string" ? raw.name : "";
    const displayName = typeof raw.displayName === "string" ? raw.displayName : name;
    ops.push({ id, op, name, displayName, data, error, opts: isRecord(opts) ? opts : {} });
  }
  return ops;
}
