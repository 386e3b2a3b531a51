import { readFileSync } from "node:fs";
import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { isObject, type JsonObject } from "./values.ts";

const UNIONS = ["oneOf", "anyOf"] as const;

/**
 * From OpenAPI 3 to JSON Schema 2020-12. `closed` rejects unknown fields at every level; a discriminator with a mapping
 * becomes if/then, so that errors name the right branch. References point to {@link toComponents}.
 */
function toJsonSchema(schema: unknown, closed: boolean): unknown {
  if (!isObject(schema)) return schema;
  if (typeof schema.$ref === "string") return { $ref: toLocalRef(schema.$ref, closed) };
  const { nullable, discriminator, ...rest } = schema;
  const discriminated = readDiscriminator(discriminator);
  const hasFields = isObject(rest.properties) || Array.isArray(rest.allOf);
  const closesHere = closed && hasFields && rest.additionalProperties === undefined;
  const branchesClosed = closed && !hasFields;
  const result: JsonObject = {};
  for (const [keyword, value] of Object.entries(rest)) {
    if (discriminated !== undefined && UNIONS.some((union) => union === keyword)) continue;
    result[keyword] = convertKeyword(keyword, value, branchesClosed);
  }
  if (discriminated !== undefined) Object.assign(result, branchByDiscriminator(discriminated, result, branchesClosed));
  if (closesHere) result.unevaluatedProperties = false;
  return nullable === true ? allowNull(result) : result;
}

/** All components twice: `open` for use inside compositions, `closed` to reject unknown fields. */
function toComponents(schemas: JsonObject): JsonObject {
  const convertAll = (closed: boolean) =>
    Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, toJsonSchema(schema, closed)]));
  return { open: convertAll(false), closed: convertAll(true) };
}

function convertKeyword(keyword: string, value: unknown, branchesClosed: boolean): unknown {
  if (keyword === "properties" && isObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([name, child]) => [name, toJsonSchema(child, true)]));
  }
  if (keyword === "items" || keyword === "additionalProperties") return toJsonSchema(value, true);
  if (keyword === "allOf" && Array.isArray(value)) return value.map((branch) => toJsonSchema(branch, false));
  if (UNIONS.some((union) => union === keyword) && Array.isArray(value)) {
    return value.map((branch) => toJsonSchema(branch, branchesClosed));
  }
  return value;
}

interface Discriminator {
  field: string;
  mapping: [tag: string, ref: string][];
}

function readDiscriminator(discriminator: unknown): Discriminator | undefined {
  if (!isObject(discriminator) || !isObject(discriminator.mapping)) return undefined;
  if (typeof discriminator.propertyName !== "string") return undefined;
  const mapping = Object.entries(discriminator.mapping).map(([tag, ref]): [string, string] => [tag, String(ref)]);
  return { field: discriminator.propertyName, mapping };
}

function branchByDiscriminator({ field, mapping }: Discriminator, schema: JsonObject, closed: boolean): JsonObject {
  const branches = mapping.map(([tag, ref]) => ({
    if: { properties: { [field]: { const: tag } }, required: [field] },
    // biome-ignore lint/suspicious/noThenProperty: "then" is the JSON Schema keyword.
    then: { $ref: toLocalRef(ref, closed) },
  }));
  const tagged = { properties: { [field]: { enum: mapping.map(([tag]) => tag) } }, required: [field] };
  const before = Array.isArray(schema.allOf) ? schema.allOf : [];
  return { allOf: [...before, tagged, ...branches] };
}

function allowNull(schema: JsonObject): JsonObject {
  if (typeof schema.type !== "string") return { anyOf: [{ type: "null" }, schema] };
  const values = Array.isArray(schema.enum) ? { enum: [...schema.enum, null] } : {};
  return { ...schema, ...values, type: [schema.type, "null"] };
}

function toLocalRef(ref: string, closed: boolean): string {
  return ref.replace("#/components/schemas/", `facts#/${closed ? "closed" : "open"}/`);
}

interface SpecRequest {
  /** Decoded path parameters; not checked when absent. */
  path?: Record<string, string>;
  query?: Record<string, string>;
  body?: unknown;
}

/** Each error starts with the field, e.g. `title must NOT have more than 100 characters`. */
type SpecResult = { ok: true } | { ok: false; errors: string[] };

/** An official API description, reduced to its facts. */
export interface Spec {
  /**
   * Checks a request against `path` as described, e.g. `/boards/{board_id}`. Unknown fields and parameters are errors.
   * @throws if the description has no such operation, which is a bug in the stand-in.
   */
  check(method: string, path: string, seen: SpecRequest): SpecResult;
  /** Checks a response of the stand-in, for tests. Allows unknown fields. */
  checkReply(method: string, path: string, status: number, body: unknown): SpecResult;
  /** Checks a webhook of the stand-in, for tests. Allows unknown fields. */
  checkWebhook(name: string, body: unknown): SpecResult;
}

const FACTS_FOLDER = new URL("../contracts/", import.meta.url);
const PATTERN_VALUE_CHARS = 60;

const loaded = new Map<string, Spec>();

/** Loads `sandbox/contracts/<name>.facts.json` once. Schemas are compiled on first use. */
export function createSpec(name: string): Spec {
  const spec = loaded.get(name) ?? loadSpec(name);
  loaded.set(name, spec);
  return spec;
}

function loadSpec(name: string): Spec {
  const facts: unknown = JSON.parse(readFileSync(new URL(`${name}.facts.json`, FACTS_FOLDER), "utf8"));
  const components = toComponents(pick(facts, "components", "schemas"));
  const bodyAjv = createAjv(components, false);
  const queryAjv = createAjv(components, true);
  const compiled = new Map<string, ValidateFunction>();
  const errorsOf = (key: string, ajv: Ajv2020, schema: () => unknown, value: unknown, path: string): string[] => {
    // Ajv validates the schema itself when it compiles it.
    const validate = compiled.get(key) ?? ajv.compile(schema() as JsonObject);
    compiled.set(key, validate);
    if (validate(value)) return [];
    const named = (validate.errors ?? []).filter((error) => error.keyword !== "if");
    return named.map((error) => describeError(error, path));
  };
  return {
    check(method, path, { path: parts, query = {}, body }) {
      const operation = findOperation(facts, method, path);
      const key = `${method} ${path}`;
      const inQuery = parametersIn("query", facts, operation);
      const inPath = () => toParameterSchema(parametersIn("path", facts, operation));
      const { requestBody } = operation;
      const inBody = () => toJsonSchema(firstSchema(pick(requestBody, "content")), true);
      return toResult([
        ...(parts === undefined ? [] : errorsOf(`${key} path`, queryAjv, inPath, { ...parts }, "path")),
        ...errorsOf(`${key} query`, queryAjv, () => toParameterSchema(inQuery), splitLists(query, inQuery), "query"),
        ...(requestBody === undefined ? [] : errorsOf(`${key} body`, bodyAjv, inBody, body, "body")),
      ]);
    },
    checkReply(method, path, status, body) {
      const replies = pick(findOperation(facts, method, path), "responses");
      const content = pick(replies[String(status)] ?? replies.default, "content");
      const schema = () => toJsonSchema(firstSchema(content), false);
      return toResult(errorsOf(`${method} ${path} ${status}`, bodyAjv, schema, body, "reply"));
    },
    checkWebhook(name, body) {
      const { content } = pick(facts, "webhooks", name, "post", "requestBody");
      const schema = () => toJsonSchema(firstSchema(content), false);
      return toResult(errorsOf(`webhook ${name}`, bodyAjv, schema, body, "body"));
    },
  };
}

function toResult(errors: string[]): SpecResult {
  return errors.length === 0 ? { ok: true } : { ok: false, errors };
}

function createAjv(components: JsonObject, coerceTypes: boolean): Ajv2020 {
  const ajv = new Ajv2020({ strict: false, allErrors: false, verbose: true, logger: false, coerceTypes });
  addFormats.default(ajv);
  ajv.addSchema(components, "facts");
  return ajv;
}

/** An operation including the parameters shared by all methods of its path. */
function findOperation(facts: unknown, method: string, path: string): JsonObject {
  const shared = pick(facts, "paths", path).parameters;
  const operation = pick(facts, "paths", path, method.toLowerCase());
  const own = Array.isArray(operation.parameters) ? operation.parameters : [];
  return Array.isArray(shared) ? { ...operation, parameters: [...shared, ...own] } : operation;
}

function firstSchema(content: unknown): unknown {
  const media = isObject(content) ? Object.values(content)[0] : undefined;
  return isObject(media) ? media.schema : undefined;
}

/** Parameters in the query or the path, with references resolved. */
function parametersIn(path: "query" | "path", facts: unknown, operation: JsonObject): JsonObject[] {
  const listed = Array.isArray(operation.parameters) ? operation.parameters : [];
  const resolved = listed.map((entry: unknown) => resolve(facts, "parameters", entry)).filter(isObject);
  return resolved
    .filter((parameter) => parameter.in === path)
    .map((parameter) => ({ ...parameter, schema: resolve(facts, "schemas", parameter.schema) }));
}

function resolve(facts: unknown, kind: "parameters" | "schemas", entry: unknown): unknown {
  if (!isObject(entry) || typeof entry.$ref !== "string") return entry;
  return pick(facts, "components", kind, entry.$ref.replace(`#/components/${kind}/`, ""));
}

function toParameterSchema(parameters: JsonObject[]): JsonObject {
  const properties = Object.fromEntries(
    parameters.map((entry) => [entry.name, toJsonSchema(relaxOneOf(entry.schema), true)]),
  );
  const required = parameters.filter((entry) => entry.required === true).map((entry) => entry.name);
  return { type: "object", properties, required, additionalProperties: false };
}

/** Some lists accept values of several overlapping enums; `oneOf` would reject the values they share. */
function relaxOneOf(schema: unknown): unknown {
  if (!isObject(schema) || !isObject(schema.items) || schema.items.oneOf === undefined) return schema;
  const { oneOf, ...items } = schema.items;
  return { ...schema, items: { ...items, anyOf: oneOf } };
}

function splitLists(query: Record<string, string>, parameters: JsonObject[]): Record<string, unknown> {
  const lists = parameters.filter(({ schema }) => isObject(schema) && schema.type === "array");
  const names = new Set(lists.map((entry) => entry.name));
  return Object.fromEntries(
    Object.entries(query).map(([name, text]) => [name, names.has(name) ? text.split(",") : text]),
  );
}

function describeError(error: ErrorObject, path: string): string {
  const where = error.instancePath === "" ? path : error.instancePath.slice(1).replaceAll("/", ".");
  if (error.keyword === "pattern") {
    const shown = String(error.data).slice(0, PATTERN_VALUE_CHARS);
    return `${where}: '${shown}' does not match '${error.params.pattern}'`;
  }
  if (error.keyword === "enum") return `${where}: must be one of ${JSON.stringify(error.params.allowedValues)}`;
  const unknown: unknown = error.params.unevaluatedProperty ?? error.params.additionalProperty;
  return `${where} ${unknown === undefined ? error.message : `has an unknown field '${unknown}'`}`;
}

/** `/prices/{price_id}` and `/prices/pri_1` give `{price_id: "pri_1"}`. */
export function pathParts(path: string, requested: string): Record<string, string> {
  const given = requested.split("/");
  const marked = path.split("/").map((part, index) => [part, decodeURIComponent(given[index] ?? "")] as const);
  return Object.fromEntries(
    marked.flatMap(([part, value]) => (part.startsWith("{") ? [[part.slice(1, -1), value]] : [])),
  );
}

function pick(value: unknown, ...keys: string[]): JsonObject {
  let found: unknown = value;
  for (const key of keys) found = isObject(found) ? found[key] : undefined;
  if (!isObject(found)) throw new Error(`The API description has no ${keys.join(" > ")}`);
  return found;
}
