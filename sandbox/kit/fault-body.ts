import type { FaultRule } from "./faults.ts";

/** A rule as it arrives: `match` may come from the scenario. */
export type FaultOrder = Omit<FaultRule, "match"> & { match?: string };

const RULE_FIELDS = new Map<string, string>([
  ["match", "string"],
  ["where", "object"],
  ["scenario", "string"],
  ["times", "number"],
  ["forever", "boolean"],
  ["skip", "number"],
  ["every", "number"],
  ["delayMs", "number"],
  ["status", "number"],
  ["headers", "object"],
  ["after", "string"],
  ["cut", "boolean"],
  ["torn", "boolean"],
  ["hang", "boolean"],
  ["malformed", "boolean"],
  ["play", "string"],
]);

/**
 * Reads the body of a call that adds a fault.
 * @throws Error in plain words when a field is unknown or of the wrong type.
 */
export function parseFault(body: unknown): FaultOrder {
  if (typeof body !== "object" || body === null || Array.isArray(body)) throw new Error("A fault is a JSON object");
  for (const [field, value] of Object.entries(body)) {
    const type = RULE_FIELDS.get(field);
    if (type === undefined && field !== "body") throw new Error(`A fault has no field "${field}"`);
    if (type !== undefined && (typeof value !== type || value === null))
      throw new Error(`"${field}" must be a ${type}`);
  }
  for (const field of ["where", "headers"]) assertTexts(field, Reflect.get(body, field));
  if (!("match" in body) && !("scenario" in body)) throw new Error('A fault needs "match"');
  if ("after" in body && body.after !== "before" && body.after !== "creating") {
    throw new Error('"after" is "before" or "creating"');
  }
  return checkedOrder(body);
}

function assertTexts(field: string, value: unknown): void {
  if (value === undefined) return;
  const isTexts = Object.values(Object(value)).every((text) => typeof text === "string");
  if (!isTexts) throw new Error(`The values in "${field}" must be strings`);
}

/** Every field was checked above; TypeScript cannot follow the table. */
function checkedOrder(body: object): FaultOrder {
  return body as FaultOrder;
}
