import { invalidRequest } from "./api-error.ts";
import { isJsonObject, type JsonObject } from "./request-check.ts";

/** The structured answer that a request asks for. */
export type AnswerFormat = { kind: "text" } | { kind: "json" } | { kind: "schema"; schema: JsonObject };

const NAME = /^[A-Za-z0-9_-]{1,64}$/;
const PARAM = "response_format";

/**
 * Reads `response_format`. With `strict`, the schema must close every object and require every property.
 * @throws ApiError 400 as the service would refuse it.
 */
export function readAnswerFormat(format: unknown): AnswerFormat {
  if (!isJsonObject(format) || format.type === "text") return { kind: "text" };
  if (format.type === "json_object") return { kind: "json" };
  const asked = format.json_schema;
  if (!isJsonObject(asked) || typeof asked.name !== "string" || !NAME.test(asked.name)) {
    const message = "'json_schema.name' must have 1 to 64 characters out of letters, digits, _ and -.";
    throw invalidRequest(message, `${PARAM}.json_schema.name`, "invalid_value");
  }
  const { name, schema } = asked;
  if (!isJsonObject(schema)) {
    throw invalidRequest(`Missing required parameter: '${PARAM}.json_schema.schema'.`, `${PARAM}.json_schema.schema`);
  }
  if (asked.strict === true) {
    if (schema.type !== "object") throw refusal(name, [], "the root must be an object");
    assertStrict(name, schema, []);
  }
  return { kind: "schema", schema };
}

function assertStrict(name: string, schema: JsonObject, path: readonly string[]): void {
  if (isJsonObject(schema.properties) || schema.type === "object") assertClosed(name, schema, path);
  for (const [key, child] of childrenOf(schema)) assertStrict(name, child, [...path, key]);
}

function assertClosed(name: string, schema: JsonObject, path: readonly string[]): void {
  if (schema.additionalProperties !== false) throw refusal(name, path, "'additionalProperties' must be false");
  const properties = isJsonObject(schema.properties) ? Object.keys(schema.properties) : [];
  const required = Array.isArray(schema.required) ? schema.required : [];
  const missing = properties.find((property) => !required.includes(property));
  if (missing !== undefined) throw refusal(name, path, `'required' must name every property; '${missing}' is missing`);
}

/** Every schema directly below this one, with the step that leads to it. */
function childrenOf(schema: JsonObject): [string, JsonObject][] {
  const named = [schema.properties, schema.$defs, schema.definitions].filter(isJsonObject).flatMap(Object.entries);
  const listed = Array.isArray(schema.anyOf) ? schema.anyOf.map((child, index) => [String(index), child]) : [];
  return [...named, ...listed, ["items", schema.items]].filter(isSchemaEntry);
}

function isSchemaEntry(entry: unknown): entry is [string, JsonObject] {
  return Array.isArray(entry) && typeof entry[0] === "string" && isJsonObject(entry[1]);
}

function refusal(name: string, path: readonly string[], reason: string) {
  const place = path.length === 0 ? "at the root" : `at ${path.join(".")}`;
  return invalidRequest(`Invalid schema for ${PARAM} '${name}': ${place}, ${reason}.`, PARAM);
}
