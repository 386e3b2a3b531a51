import { createHmac } from "node:crypto";
import { isObject, isSameText, parseJson } from "#sandbox/kit/values.ts";
import type { HttpResponse } from "./http.ts";

/** JSON with sorted keys, as Inngest signs it. Like the SDK, it leaves values with a data key `toJSON` unchanged. */
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

/** The `x-inngest-signature` of a body (canonical JSON or ""), valid for five minutes around `atMs`. */
export function signRequest(body: string, signingKey: string, atMs: number): string {
  return sign(body, signingKey, String(Math.floor(atMs / 1000)));
}

/** Whether the app signed this response with our key; the signature's age is ignored. */
export function isSignedResponse(text: string, signature: string, signingKey: string): boolean {
  const at = new URLSearchParams(signature).get("t") ?? "";
  return isSameText(signature, sign(text, signingKey, at));
}

function sign(content: string, signingKey: string, at: string): string {
  const key = signingKey.replace(/^signkey-\w+-/, "");
  const digest = createHmac("sha256", key)
    .update(content + at)
    .digest("hex");
  return `t=${at}&s=${digest}`;
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message || error.name : String(error);
}

/** A time for PostgreSQL, as text: a mocked Date class must not reach the driver. */
export function iso(atMs: number): string {
  return new Date(atMs).toISOString();
}

/** Removes what PostgreSQL text columns reject: \\0 and half surrogate pairs. */
export function printable(text: string): string {
  return text.toWellFormed().replaceAll("\0", "");
}

/** Events that the executor sends itself, named as on the real server. */
export const FUNCTION_FAILED = "inngest/function.failed";
export const SCHEDULED_TIMER = "inngest/scheduled.timer";

/** An error as it is sent; other fields are dropped. */
export type WireError = { name: string; message: string; stack?: string };

export interface Op {
  id: string;
  op: string;
  name: string;
  displayName: string;
  data: unknown;
  error: unknown;
  opts: Record<string, unknown>;
}

export type CallResult =
  /** The run is over; `output` is JSON text. */
  | { kind: "finished"; output: string }
  | { kind: "ops"; ops: readonly Op[]; isFinal: boolean; retryAfter: string | undefined }
  | { kind: "failed"; error: WireError; isFinal: boolean; retryAfter: string | undefined }
  /** The SDK was not reached: repeat soon, without limit, without counting an attempt. */
  | { kind: "unreachable"; reason: string }
  /** The configuration must be fixed: repeat slowly, without counting an attempt. */
  | { kind: "misconfigured"; reason: string; isUnknownFunction: boolean }
  /** Not supported by this executor; the run fails. */
  | { kind: "unusable"; reason: string };

export const SIGNATURE_REFUSED =
  "The app rejected the signature (401): the signing keys differ, or a clock is off by more than 5 minutes";
export const SDK_PROTOCOL_VERSION = 2;

export function readCallResult(response: HttpResponse, signingKey: string): CallResult {
  const { status, text } = response;
  const rejected = rejectUnsigned(response, signingKey);
  if (rejected !== undefined) return rejected;
  const unusable = (reason: string): CallResult => ({ kind: "unusable", reason });
  if (status === 201) return unusable("The app streams its responses: INNGEST_STREAMING must be unset");
  const isFinal = response.header("x-inngest-no-retry") === "true";
  const retryAfter = response.header("retry-after");
  if (status !== 200 && status !== 206) {
    const error = toWireError(parseJson(text), `The app responded with status ${status}`);
    // The SDK reports this as an error of type "internal".
    return /was not found in this app/.test(error.message) && Object(parseJson(text)).type === "internal"
      ? { kind: "misconfigured", reason: error.message, isUnknownFunction: true }
      : { kind: "failed", error, isFinal, retryAfter };
  }
  const version = response.header("x-inngest-req-version");
  if (version !== String(SDK_PROTOCOL_VERSION)) {
    return unusable(`The SDK uses protocol version ${version}: optimizeParallelism must stay on`);
  }
  if (status === 200) return { kind: "finished", output: text === "" ? "null" : text };
  const ops = readOps(parseJson(text));
  if (ops === undefined) return unusable("The SDK reported steps in an unknown format");
  return { kind: "ops", ops, isFinal, retryAfter };
}

function rejectUnsigned(response: HttpResponse, signingKey: string): CallResult | undefined {
  const { status, text, header } = response;
  const misconfigured = (reason: string): CallResult => ({ kind: "misconfigured", reason, isUnknownFunction: false });
  if (status === 401) return misconfigured(SIGNATURE_REFUSED);
  if (status >= 300 && status < 400) {
    return misconfigured(`The endpoint redirects to ${header("location")}: use the final URL`);
  }
  if (header("x-inngest-sdk") !== undefined) {
    const isOurs = isSignedResponse(text, header("x-inngest-signature") ?? "", signingKey);
    return isOurs ? undefined : misconfigured("The response is not signed by the app");
  }
  return header("x-inngest-sdk-handled") === undefined
    ? { kind: "unreachable", reason: `Something other than Inngest's SDK responded with status ${status}` }
    : misconfigured(`The SDK rejected the call with status ${status}: its signing key may be missing`);
}

/** Reads an error. Stacks stay complete here; they are shortened for display. */
export function toWireError(raw: unknown, fallback: string): WireError {
  if (!isObject(raw)) return { name: "Error", message: typeof raw === "string" ? raw : fallback };
  const message = [raw.message, raw.error].find((text) => typeof text === "string") ?? fallback;
  const name = typeof raw.name === "string" ? raw.name : "Error";
  return { name, message, ...(typeof raw.stack === "string" ? { stack: raw.stack } : {}) };
}

function readOps(body: unknown): Op[] | undefined {
  const ops: Op[] = [];
  for (const raw of [body].flat()) {
    if (!isObject(raw) || typeof raw.id !== "string" || typeof raw.op !== "string") return undefined;
    const { id, op, data, error, opts } = raw;
    const name = typeof raw.name === "string" ? raw.name : "";
    const displayName = typeof raw.displayName === "string" ? raw.displayName : name;
    ops.push({ id, op, name, displayName, data, error, opts: isObject(opts) ? opts : {} });
  }
  return ops;
}
