/** A JSON Schema or OpenAPI schema object, as read from a facts file. */
export type SchemaObject = Record<string, unknown>;

const UNIONS = ["oneOf", "anyOf"] as const;

/**
 * Turns an OpenAPI 3 schema into JSON Schema 2020-12: `nullable` becomes a type, a discriminator with a mapping
 * becomes if/then (so that errors name the chosen branch), and with `closed` unknown fields are refused at every level.
 * References go to the `closed` or `open` set of components built by {@link toComponents}.
 */
export function toJsonSchema(schema: unknown, closed: boolean): unknown {
  if (!isObject(schema)) return schema;
  if (typeof schema.$ref === "string") return { $ref: toLocalRef(schema.$ref, closed) };
  const { nullable, discriminator, ...rest } = schema;
  const choice = toChoice(discriminator);
  const hasFields = isObject(rest.properties) || Array.isArray(rest.allOf);
  const closesHere = closed && hasFields && rest.additionalProperties === undefined;
  const branchesClosed = closed && !hasFields;
  const result: SchemaObject = {};
  for (const [keyword, value] of Object.entries(rest)) {
    if (choice !== undefined && UNIONS.some((union) => union === keyword)) continue;
    result[keyword] = convertKeyword(keyword, value, branchesClosed);
  }
  if (choice !== undefined) Object.assign(result, chooseByField(choice, result, branchesClosed));
  if (closesHere) result.unevaluatedProperties = false;
  return nullable === true ? allowNull(result) : result;
}

/** All components twice: `open` ones for use inside compositions, `closed` ones that refuse unknown fields. */
export function toComponents(schemas: SchemaObject): SchemaObject {
  const convertAll = (closed: boolean) =>
    Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, toJsonSchema(schema, closed)]));
  return { open: convertAll(false), closed: convertAll(true) };
}

/** Whether a value is a plain object (not an array, not null). */
export function isObject(value: unknown): value is SchemaObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
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

interface Choice {
  field: string;
  mapping: [tag: string, ref: string][];
}

function toChoice(discriminator: unknown): Choice | undefined {
  if (!isObject(discriminator) || !isObject(discriminator.mapping)) return undefined;
  if (typeof discriminator.propertyName !== "string") return undefined;
  const mapping = Object.entries(discriminator.mapping).map(([tag, ref]): [string, string] => [tag, String(ref)]);
  return { field: discriminator.propertyName, mapping };
}

function chooseByField({ field, mapping }: Choice, schema: SchemaObject, closed: boolean): SchemaObject {
  const branches = mapping.map(([tag, ref]) => ({
    if: { properties: { [field]: { const: tag } }, required: [field] },
    // biome-ignore lint/suspicious/noThenProperty: "then" is the JSON Schema keyword.
    then: { $ref: toLocalRef(ref, closed) },
  }));
  const tagged = { properties: { [field]: { enum: mapping.map(([tag]) => tag) } }, required: [field] };
  const before = Array.isArray(schema.allOf) ? schema.allOf : [];
  return { allOf: [...before, tagged, ...branches] };
}

function allowNull(schema: SchemaObject): SchemaObject {
  if (typeof schema.type !== "string") return { anyOf: [{ type: "null" }, schema] };
  const values = Array.isArray(schema.enum) ? { enum: [...schema.enum, null] } : {};
  return { ...schema, ...values, type: [schema.type, "null"] };
}

function toLocalRef(ref: string, closed: boolean): string {
  return ref.replace("#/components/schemas/", `facts#/${closed ? "closed" : "open"}/`);
}
