import { z } from "zod";
import type { PaymentEvent, PaymentFact } from "./port.ts";
import { adjustmentShape, subscriptionShape, transactionShape } from "./wire.ts";

/** An event as the SDK lists it; `data` in camel case. */
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

/** The kinds of things that events are about, as far as we act on them, by the word before the dot. */
const FACTS: ReadonlyMap<string, z.ZodType<PaymentFact>> = new Map<string, z.ZodType<PaymentFact>>([
  ["transaction", transactionShape.transform((transaction) => ({ kind: "transaction" as const, transaction }))],
  ["subscription", subscriptionShape.transform((subscription) => ({ kind: "subscription" as const, subscription }))],
  ["adjustment", adjustmentShape.transform((adjustment) => ({ kind: "adjustment" as const, adjustment }))],
]);

const readFact = (eventType: string, data: unknown): Pick<PaymentEvent, "fact" | "unreadable"> => {
  const shape = FACTS.get(eventType.split(".", 1)[0] ?? "");
  if (!shape) return { fact: null, unreadable: null };
  const read = shape.safeParse(data);
  if (read.success) return { fact: read.data, unreadable: null };
  const [issue] = read.error.issues;
  return { fact: null, unreadable: `${issue?.path.join(".")}: ${issue?.message}`.slice(0, 300) };
};

const camel = (name: string): string => name.replace(/_+([a-z\d])/g, (_, letter: string) => letter.toUpperCase());

/** Deeper than anything the provider sends: what is below it is left out. */
const DEPTH_MAX = 12;

/** Names of a body as the SDK would spell them; custom data keeps its own. */
const camelNames = (value: unknown, depth = 0): unknown => {
  if (depth > DEPTH_MAX || typeof value !== "object" || value === null) return depth > DEPTH_MAX ? null : value;
  if (Array.isArray(value)) return value.map((one) => camelNames(one, depth + 1));
  const named = Object.entries(value).map(([name, one]) => [
    camel(name),
    name === "custom_data" ? one : camelNames(one, depth + 1),
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

/** The event in a webhook's body; null where there is none. */
export const readEventBody = (body: Uint8Array): PaymentEvent | null => {
  const read = eventShape.safeParse(camelNames(parseJson(body)));
  return read.success ? read.data : null;
};
