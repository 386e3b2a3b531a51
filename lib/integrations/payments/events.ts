import { createHmac, timingSafeEqual } from "node:crypto";
import { z } from "zod";
import { MINUTE_MS, SECOND_MS } from "#lib/core/time.ts";
import type { PaymentEvent, PaymentFact } from "./port.ts";
import { adjustmentShape, subscriptionShape, transactionShape } from "./wire.ts";

/** The provider's helper allows 5 s, too little for a busy machine. Event ids are unique, so replays are harmless. */
export const SIGNATURE_TOLERANCE_MS = MINUTE_MS;

/** A header has about 90 characters, and twice that while a secret is being replaced. */
const HEADER_MAX = 1_000;
const HASH_LENGTH = 64;

interface SignatureHeader {
  /** Unparsed, because it is part of the signed text. */
  timestamp: string;
  hashes: Buffer[];
}

/** Parses `ts=<unix seconds>;h1=<hex>[;h1=<hex>…]`, ignoring parts with other names; null for anything else. */
const readHeader = (header: string): SignatureHeader | null => {
  if (header.length > HEADER_MAX) return null;
  const parts = header.split(";").map((part) => part.trim().split("="));
  const valuesOf = (name: string) =>
    parts.filter((part) => part.length === 2 && part[0] === name).map(([, value = ""]) => value);
  const [timestamp, ...others] = valuesOf("ts");
  if (timestamp === undefined || others.length > 0 || !/^\d{1,12}$/.test(timestamp)) return null;
  const hashes = valuesOf("h1").filter((value) => value.length === HASH_LENGTH && /^[\da-f]+$/.test(value));
  return { timestamp, hashes: hashes.map((value) => Buffer.from(value, "hex")) };
};

const hashOf = (secret: string, timestamp: string, body: Uint8Array): Buffer =>
  createHmac("sha256", secret).update(`${timestamp}:`).update(body).digest();

/** Any hash in the header with any of our secrets, close to now. Every pair is compared in constant time. */
export const isSigned = (
  { body, signature, now }: { body: Uint8Array; signature: string | null; now: Date },
  secrets: readonly string[],
): boolean => {
  const header = signature === null ? null : readHeader(signature);
  if (!header) return false;
  const driftMs = Math.abs(now.getTime() - Number(header.timestamp) * SECOND_MS);
  const ours = secrets.filter(Boolean).map((secret) => hashOf(secret, header.timestamp, body));
  const matches = header.hashes.flatMap((hash) => ours.map((expected) => timingSafeEqual(hash, expected)));
  return matches.includes(true) && driftMs <= SIGNATURE_TOLERANCE_MS;
};

/** An event as the SDK lists it, with `data` in camel case. */
export const eventShape = z
  .object({
    eventId: z.string().regex(/^evt_\w{1,60}$/),
    eventType: z.string().min(1).max(100),
    occurredAt: z.iso.datetime({ offset: true }).transform((text) => new Date(text)),
    data: z.unknown(),
  })
  .transform(
    (raw): PaymentEvent => ({
      eventId: raw.eventId,
      eventType: raw.eventType,
      occurredAt: raw.occurredAt,
      ...readFact(raw.eventType, raw.data),
    }),
  );

/** The objects whose events we act on, by the part of the event type before the dot. */
const FACT_SHAPES: ReadonlyMap<string, z.ZodType<PaymentFact>> = new Map<string, z.ZodType<PaymentFact>>([
  ["transaction", transactionShape.transform((transaction) => ({ kind: "transaction" as const, transaction }))],
  ["subscription", subscriptionShape.transform((subscription) => ({ kind: "subscription" as const, subscription }))],
  ["adjustment", adjustmentShape.transform((adjustment) => ({ kind: "adjustment" as const, adjustment }))],
]);

const readFact = (eventType: string, data: unknown): Pick<PaymentEvent, "fact" | "unreadable"> => {
  const shape = FACT_SHAPES.get(eventType.split(".", 1)[0] ?? "");
  if (!shape) return { fact: null, unreadable: null };
  const read = shape.safeParse(data);
  if (read.success) return { fact: read.data, unreadable: null };
  const [issue] = read.error.issues;
  return { fact: null, unreadable: `${issue?.path.join(".")}: ${issue?.message}`.slice(0, 300) };
};

const camel = (name: string): string => name.replace(/_+([a-z\d])/g, (_, letter: string) => letter.toUpperCase());

/** Deeper than anything the provider sends; anything below is dropped. */
const DEPTH_MAX = 12;

/** Renames keys as the SDK does. Custom data keeps its own keys. */
const camelNames = (value: unknown, depth = 0): unknown => {
  if (depth > DEPTH_MAX || typeof value !== "object" || value === null) return depth > DEPTH_MAX ? null : value;
  if (Array.isArray(value)) return value.map((item) => camelNames(item, depth + 1));
  const named = Object.entries(value).map(([name, item]) => [
    camel(name),
    name === "custom_data" ? item : camelNames(item, depth + 1),
  ]);
  return Object.fromEntries(named);
};

const parseJson = (body: Uint8Array): unknown => {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return undefined;
    throw error;
  }
};

export const readEventBody = (body: Uint8Array): PaymentEvent | null => {
  const read = eventShape.safeParse(camelNames(parseJson(body)));
  return read.success ? read.data : null;
};
