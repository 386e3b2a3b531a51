import type { PinCopy } from "./copy/write-pin-copy.ts";
import { fillString } from "./fill-string.ts";
import { isJsonObject, type JsonObject } from "./request-check.ts";
import { hashText } from "./seed.ts";

/** What answers are made of: the pin's words, and the keyword they are about. */
export type Material = { copy: PinCopy; keyword: string };

type Place = { material: Material; root: JsonObject; name: string; depth: number };

const DEEPEST = 8;
const USUAL_ITEMS = 3;

/** A value for any JSON Schema of structured outputs; known property names get the fitting part of the copy. */
export function fillSchema(schema: JsonObject, material: Material): unknown {
  return fill(schema, { material, root: schema, name: "", depth: 0 });
}

function fill(schema: JsonObject, place: Place): unknown {
  if ("const" in schema) return schema.const;
  if (Array.isArray(schema.enum))
    return schema.enum[hashText(place.material.keyword + place.name) % schema.enum.length];
  if (typeof schema.$ref === "string") return fill(resolve(place.root, schema.$ref), deeper(place, place.name));
  const choices = [schema.anyOf, schema.oneOf].find(Array.isArray);
  if (choices) return fillChoice(choices.filter(isJsonObject), place);
  return fillType(typeOf(schema, place), schema, place);
}

/** The first branch that is not null, or null once nesting has gone deep enough. */
function fillChoice(choices: JsonObject[], place: Place): unknown {
  const nothing = choices.find(({ type }) => type === "null");
  if (nothing && place.depth > DEEPEST / 2) return null;
  const chosen = choices.find((choice) => choice !== nothing);
  return chosen ? fill(chosen, deeper(place, place.name)) : null;
}

function typeOf(schema: JsonObject, place: Place): unknown {
  if (!Array.isArray(schema.type)) return schema.type ?? (isJsonObject(schema.properties) ? "object" : "string");
  const isDeep = place.depth > DEEPEST / 2;
  return (isDeep && schema.type.includes("null") ? "null" : undefined) ?? schema.type.find((type) => type !== "null");
}

function fillType(type: unknown, schema: JsonObject, place: Place): unknown {
  if (type === "object") return fillObject(schema, place);
  if (type === "array") return fillArray(schema, place);
  if (type === "integer" || type === "number") return fillNumber(schema, type);
  if (type === "boolean") return hashText(place.material.keyword + place.name) % 2 === 0;
  return type === "null" ? null : fillString(schema, place.name, place.material);
}

function fillObject(schema: JsonObject, place: Place): JsonObject {
  const properties = isJsonObject(schema.properties) ? Object.entries(schema.properties) : [];
  const schemas = properties.filter((entry): entry is [string, JsonObject] => isJsonObject(entry[1]));
  return Object.fromEntries(schemas.map(([name, child]) => [name, fill(child, deeper(place, name))]));
}

function fillArray(schema: JsonObject, place: Place): unknown[] {
  const least = numberOr(schema.minItems, 0);
  const most = numberOr(schema.maxItems, Math.max(least, USUAL_ITEMS));
  const count = place.depth >= DEEPEST ? least : Math.min(Math.max(least, USUAL_ITEMS), most);
  const items = isJsonObject(schema.items) ? schema.items : { type: "string" };
  return Array.from({ length: count }, (_, index) => fill(items, deeper(place, `${place.name} ${index + 1}`)));
}

function fillNumber(schema: JsonObject, type: "integer" | "number"): number {
  const low = numberOr(schema.minimum, numberOr(schema.exclusiveMinimum, 0) + ("exclusiveMinimum" in schema ? 1 : 0));
  const high = numberOr(schema.maximum, numberOr(schema.exclusiveMaximum, low + 11) - 1);
  const middle = (low + Math.max(low, high)) / 2;
  const step = numberOr(schema.multipleOf, type === "integer" ? 1 : 0);
  return step > 0 ? Math.max(Math.ceil(low / step), Math.floor(middle / step)) * step : middle;
}

function numberOr(value: unknown, otherwise: number): number {
  return typeof value === "number" ? value : otherwise;
}

function deeper(place: Place, name: string): Place {
  return { ...place, name, depth: place.depth + 1 };
}

/** Follows a reference inside the schema, e.g. `#/$defs/step`. */
function resolve(root: JsonObject, reference: string): JsonObject {
  let found: unknown = root;
  for (const part of reference.replace(/^#\/?/, "").split("/").filter(Boolean)) {
    found = isJsonObject(found) ? found[part] : undefined;
  }
  if (!isJsonObject(found)) throw new Error(`The schema has no ${reference}`);
  return found;
}
