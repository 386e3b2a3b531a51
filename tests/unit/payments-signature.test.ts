import { describe, expect, test } from "vitest";
import { isSigned, SIGNATURE_TOLERANCE_MS } from "#lib/integrations/payments/events.ts";
import { eventBody, signed, transactionWire, webhookHash } from "#tests/support/payments.ts";

const OLD = "pdl_ntfset_old_secret";
const NEW = "pdl_ntfset_new_secret";
const NOW = new Date("2026-11-01T10:19:00Z");
const TS = NOW.getTime() / 1_000;

const body = eventBody("transaction.completed", transactionWire());
const good = webhookHash(body, NEW, TS);
const bad = webhookHash(body, "somebody else's", TS);

const check = (signature: string | null, over: { body?: Uint8Array; now?: Date; secrets?: string[] } = {}) =>
  isSigned({ body: over.body ?? body, signature, now: over.now ?? NOW }, over.secrets ?? [NEW]);

describe("a webhook's signature", () => {
  test("accepts what the provider signed", () => {
    expect(check(signed(body, NEW, NOW))).toBe(true);
    expect(check(`ts=${TS};h1=${good}`)).toBe(true);
  });

  test("any h1 counts while a secret is replaced, first or last", () => {
    expect(check(`ts=${TS};h1=${good};h1=${bad}`)).toBe(true);
    expect(check(`ts=${TS};h1=${bad};h1=${good}`)).toBe(true);
    expect(check(`ts=${TS};h1=${bad};h1=${bad}`)).toBe(false);
  });

  test("any of our secrets counts, and no other", () => {
    expect(check(signed(body, OLD, NOW), { secrets: [NEW, OLD] })).toBe(true);
    expect(check(signed(body, NEW, NOW), { secrets: [NEW, OLD] })).toBe(true);
    expect(check(signed(body, OLD, NOW), { secrets: [NEW] })).toBe(false);
    expect(check(signed(body, "", NOW), { secrets: [""] })).toBe(false);
    expect(check(signed(body, NEW, NOW), { secrets: [] })).toBe(false);
  });

  test("parts with other names, in any order, are ignored", () => {
    expect(check(`h1=${good};v2=later;ts=${TS}`)).toBe(true);
    expect(check(`ts=${TS}; h1=${good};`)).toBe(true);
  });

  test("the time may differ by the tolerance in both directions", () => {
    const signature = signed(body, NEW, NOW);
    const at = (ms: number) => new Date(NOW.getTime() + ms);
    expect(check(signature, { now: at(SIGNATURE_TOLERANCE_MS) })).toBe(true);
    expect(check(signature, { now: at(-SIGNATURE_TOLERANCE_MS) })).toBe(true);
    expect(check(signature, { now: at(SIGNATURE_TOLERANCE_MS + 1) })).toBe(false);
    expect(check(signature, { now: at(-SIGNATURE_TOLERANCE_MS - 1) })).toBe(false);
  });
});

const flipped = (at: number): Uint8Array => body.map((byte, index) => (index === at ? byte ^ 1 : byte));
const text = new TextDecoder().decode(body);
const rewritten = (from: string, to: string): Uint8Array => new TextEncoder().encode(text.replace(from, to));
const header = `ts=${TS};h1=${good}`;

const MUTATIONS: [string, string | null, Uint8Array?][] = [
  ["no header", null],
  ["an empty header", ""],
  ["a header of nothing but separators", ";;;="],
  ["no time", `h1=${good}`],
  ["no hash", `ts=${TS}`],
  ["an empty hash", `ts=${TS};h1=`],
  ["the hash cut short", `ts=${TS};h1=${good.slice(0, 63)}`],
  ["the hash with a digit more", `ts=${TS};h1=${good}0`],
  ["the hash in capitals", `ts=${TS};h1=${good.toUpperCase()}`],
  ["the hash with its last digit changed", `ts=${TS};h1=${good.slice(0, 63)}${good.endsWith("0") ? "1" : "0"}`],
  ["the hash under another name", `ts=${TS};h2=${good}`],
  ["a hash of the wrong secret", `ts=${TS};h1=${bad}`],
  ["another time than was signed", `ts=${TS + 1};h1=${good}`],
  ["the time twice", `ts=${TS};ts=${TS};h1=${good}`],
  ["the time in another spelling", `ts=0${TS};h1=${good}`],
  ["a time with a sign", `ts=+${TS};h1=${good}`],
  ["a time in exponents", `ts=${TS / 10}e1;h1=${good}`],
  ["no number as the time", `ts=NaN;h1=${good}`],
  ["ten minutes old", signed(body, NEW, new Date(NOW.getTime() - 600_000))],
  ["ten minutes ahead", signed(body, NEW, new Date(NOW.getTime() + 600_000))],
  ["commas for semicolons", `ts=${TS},h1=${good}`],
  ["a hash of the body without the time", `ts=${TS};h1=${webhookHash(body, NEW, "").slice(0)}`],
  ["a header of a megabyte", `ts=${TS};${"h1=0;".repeat(200_000)}h1=${good}`],
  ["a byte of the body changed", header, flipped(10)],
  ["the last byte of the body changed", header, flipped(body.length - 1)],
  ["a body with a space behind", header, new Uint8Array([...body, 32])],
  ["an empty body", header, new Uint8Array()],
  ["another amount", header, rewritten('"grand_total":"2900"', '"grand_total":"1"')],
  ["another user", header, rewritten("usr_1", "usr_2")],
];

describe("altered webhooks", () => {
  test.each(MUTATIONS)("refused: %s", (_, signature, other = body) => {
    expect(check(signature, { body: other })).toBe(false);
  });

  test("every single bit of the hash matters", () => {
    const accepted = [...good].filter((digit, index) => {
      const changed = (Number.parseInt(digit, 16) ^ 1).toString(16);
      return check(`ts=${TS};h1=${good.slice(0, index)}${changed}${good.slice(index + 1)}`);
    });
    expect(accepted).toEqual([]);
  });
});
