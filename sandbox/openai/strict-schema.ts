import { invalidRequest } from "./api-error.ts";
import { isJsonObject, type JsonObject } from "./request-check.ts";

/** The structured answer that a request asks for. */
export type AnswerFormat = { kind: "text" } | { kind: "json" } | { kind: "schema"; schema: JsonObject };

/** The parameter that holds a format: in chat completions, and in responses. */
export type FormatParam = "response_format" | "text.format";

const NAME = /^[A-Za-z0-9_-]{1,64}$/;

/**
 * Reads `response_format`. With `strict`, the schema must close every object and require every property.
 * @throws ApiError 400 as the service would refuse it.
 */
export function readAnswerFormat(format: unknown): AnswerFormat {
  if (!isJsonObject(format) || format.type !== "json_schema") return readPlainFormat(format);
  return readSchemaFormat(format.json_schema, "response_format", "json_schema.");
}

/** Reads `text.format` of the Responses API, where the schema stands beside its name. @throws ApiError 400. */
export function readTextFormat(format: unknown): AnswerFormat {
  if (!isJsonObject(format) || format.type !== "json_schema") return readPlainFormat(format);
  return readSchemaFormat(format, "text.format", "");
}

function readPlainFormat(format: unknown): AnswerFormat {
  return isJsonObject(format) && format.type === "json_object" ? { kind: "json" } : { kind: "text" };
}

function readSchemaFormat(asked: unknown, param: FormatParam, prefix: string): AnswerFormat {
  if (!isJsonObject(asked) || typeof asked.name !== "string" || !NAME.test(asked.name)) {
    const message = `'${prefix}name' must have 1 to 64 characters out of letters, digits, _ and -.`;
    throw invalidRequest(message, `${param}.${prefix}name`, "invalid_value");
  }
  const { name, schema } = asked;
  if (!isJsonObject(schema)) {
    const missing = `${param}.${prefix}schema`;
    throw invalidRequest(`Missing required parameter: '${missing}'.`, missing, "missing_required_parameter");
  }
  if (asked.strict === true) {
    const refuse: Refuse = (path, reason) => refusal(param, name, path, reason);
    if (schema.type !== "object") throw refuse([], "the root must be an object");
    assertStrict(refuse, schema, []);
  }
  return { kind: "schema", schema };
}

type Refuse = (path: readonly string[], reason: string) => Error;

function assertStrict(refuse: Refuse, schema: JsonObject, path: readonly string[]): void {
  if (isJsonObject(schema.properties) || schema.type === "object") assertClosed(refuse, schema, path);
  for (const [key, child] of childrenOf(schema)) assertStrict(refuse, child, [...path, key]);
}

function assertClosed(refuse: Refuse, schema: JsonObject, path: readonly string[]): void {
  if (schema.additionalProperties !== false) throw refuse(path, "'additionalProperties' must be false");
  const properties = isJsonObject(schema.properties) ? Object.keys(schema.properties) : [];
  const required = Array.isArray(schema.required) ? schema.required : [];
  const missing = properties.find((property) => !required.includes(property));
  if (missing !== undefined) throw refuse(path, `'required' must name every property; '${missing}' is missing`);
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

function refusal(param: FormatParam, name: string, path: readonly string[], reason: string) {
  const place = path.length === 0 ? "at the root" : `at ${path.join(".")}`;
  return invalidRequest(`Invalid schema for ${param} '${name}': ${place}, ${reason}.`, param);
}
