import type { Random } from "#tests/support/random.ts";
import type { Sample } from "#tests/support/surface-samples.ts";
import { specification, toSpecPath } from "#tests/support/v1-spec.ts";
import { chance, hostileText, pick } from "./values.ts";

interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  format?: string;
  minimum?: number;
  maximum?: number;
}

interface SpecCall {
  parameters?: { name?: string; in?: string; required?: boolean; schema?: Schema }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
}

const DAY_MS = 86_400_000;
const TEXTS = ["moss", "Moss garden", "https://example.com/moss", "US", "1", "bread,rye", "pin.failed"];

const resolved = (schema: Schema): Schema => {
  if (schema.$ref === undefined) return schema;
  const name = schema.$ref.split("/").at(-1) ?? "";
  return (specification.components.schemas[name] as Schema | undefined) ?? {};
};

const textOf = (random: Random, { format }: Schema): string => {
  const at = new Date(Date.now() + (random.below(40) - 20) * DAY_MS).toISOString();
  if (format === "date") return at.slice(0, 10);
  if (format === "date-time") return at;
  return format === "uri" ? "https://example.com/moss" : pick(random, TEXTS);
};

/** A value that a schema mostly accepts. */
const exampleOf = (random: Random, schema: Schema): unknown => {
  const own = resolved(schema);
  if (own.const !== undefined) return own.const;
  if (own.enum) return pick(random, own.enum);
  if (own.anyOf) return exampleOf(random, pick(random, own.anyOf));
  const type = pick(random, [own.type ?? "string"].flat());
  if (type === "null") return null;
  if (type === "boolean") return chance(random, 50);
  if (type === "integer" || type === "number") {
    const [low, high] = [own.minimum ?? 0, Math.min(own.maximum ?? 200, 1_000)];
    return low + random.below(Math.max(1, high - low + 1));
  }
  if (type === "array") return Array.from({ length: 1 + random.below(2) }, () => exampleOf(random, own.items ?? {}));
  if (type === "object") {
    const entries = Object.entries(own.properties ?? {});
    return Object.fromEntries(entries.map(([name, property]) => [name, exampleOf(random, property)]));
  }
  return textOf(random, own);
};

/** Into an object and the objects of its lists: fields that the specification has and the sample leaves out. */
const withFields = (random: Random, value: unknown, schema: Schema): unknown => {
  const { items, properties } = resolved(schema);
  if (Array.isArray(value)) return value.map((item) => withFields(random, item, items ?? {}));
  if (typeof value !== "object" || value === null || !properties) return value;
  const known = Object.entries(value).map(([name, own]) => [name, withFields(random, own, properties[name] ?? {})]);
  const missing = Object.entries(properties).filter(([name]) => !(name in value) && chance(random, 40));
  const added = missing.map(([name, property]) => [name, exampleOf(random, property)]);
  return Object.fromEntries([...known, ...added]);
};

/** The sample of a call of the public API with optional parameters and fields, which its specification names. */
export const withOptional = (random: Random, method: string, pattern: string, sample: Sample): Sample => {
  const call = specification.paths[toSpecPath(pattern)]?.[method.toLowerCase()] as SpecCall | undefined;
  const parameters = (call?.parameters ?? []).filter(({ in: place }) => place === "query");
  const added = parameters.flatMap(({ name = "", schema = {} }) => {
    if (sample.query?.[name] !== undefined || !chance(random, 40)) return [];
    return [[name, chance(random, 80) ? String(exampleOf(random, schema)) : hostileText(random)]];
  });
  const body = call?.requestBody?.content["application/json"]?.schema;
  return {
    ...sample,
    ...(added.length > 0 && { query: { ...Object.fromEntries(added), ...sample.query } }),
    ...(sample.body && body && { body: withFields(random, sample.body, body) as Record<string, unknown> }),
  };
};
