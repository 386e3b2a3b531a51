/** The part of OpenAPI 3.1 that our own specification uses. */
export type Schema = {
  $ref?: string;
  type?: string | readonly string[];
  format?: string;
  description?: string;
  enum?: readonly unknown[];
  default?: unknown;
  properties?: Record<string, Schema>;
  required?: readonly string[];
  items?: Schema;
  anyOf?: readonly Schema[];
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  maxItems?: number;
};

type Parameter = { name: string; in: string; required?: boolean; description?: string; schema: Schema };

type Content = Record<string, { schema: Schema }>;

export type Call = {
  operationId: string;
  tags: readonly string[];
  summary: string;
  description: string;
  "x-scope": string;
  parameters?: readonly (Parameter | { $ref: string })[];
  requestBody?: { content: Content };
  responses: Record<string, { description: string; content?: Content }>;
};

export type Specification = {
  servers: readonly { url: string }[];
  tags: readonly { name: string; description: string }[];
  paths: Record<string, Record<string, Call>>;
  components: { schemas: Record<string, Schema> };
};

export type ListedCall = Call & { method: string; path: string };

export const callsOf = ({ paths }: Specification): ListedCall[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, call]) => ({ ...call, method: method.toUpperCase(), path })),
  );

/** Those of the path and the query; shared headers are described once. */
export const ownParameters = ({ parameters = [] }: Call): Parameter[] =>
  parameters.filter((one): one is Parameter => "name" in one);

const refName = (ref: string): string => ref.split("/").at(-1) ?? ref;

export const resolve = (schema: Schema, { components }: Specification): Schema =>
  schema.$ref ? { ...components.schemas[refName(schema.$ref)], description: schema.description ?? "" } : schema;

const withoutNull = ({ anyOf = [], ...rest }: Schema): Schema => {
  const others = anyOf.filter(({ type }) => type !== "null");
  return others.length === 1 && others[0] ? { ...others[0], ...rest } : { anyOf, ...rest };
};

const plainTypes = ({ type }: Schema): string[] => [type ?? []].flat().filter((one) => one !== "null");

const isNullable = ({ type, anyOf }: Schema): boolean =>
  [type ?? []].flat().includes("null") || (anyOf?.some((one) => one.type === "null") ?? false);

/** "list of Pin, or null" */
const typeText = (schema: Schema): string => {
  const own = withoutNull(schema);
  const { $ref, items, format, enum: values } = own;
  const name = $ref
    ? refName($ref)
    : items
      ? `list of ${typeText(items)}`
      : values
        ? values.map((value) => JSON.stringify(value)).join(" | ")
        : format === "date-time"
          ? "time"
          : format === "date"
            ? "day"
            : plainTypes(own).join(" or ") || "any";
  return isNullable(schema) ? `${name}, or null` : name;
};

const limitOf = ({ maxLength, maximum, maxItems }: Schema): string | null => {
  if (maxLength !== undefined) return `up to ${maxLength.toLocaleString("en-US")} characters`;
  if (maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER) return `up to ${maximum.toLocaleString("en-US")}`;
  return maxItems === undefined ? null : `up to ${maxItems.toLocaleString("en-US")}`;
};

export type FieldRow = { name: string; type: string; isRequired: boolean; text: string };

const detailsOf = (schema: Schema): string => {
  const { default: initial, description } = schema;
  const limit = limitOf(withoutNull(schema));
  const more = [limit, initial === undefined ? null : `default ${JSON.stringify(initial)}`].filter(Boolean).join("; ");
  return [description, more && `(${more})`].filter(Boolean).join(" ");
};

export const parameterRows = (parameters: readonly Parameter[]): FieldRow[] =>
  parameters.map(({ name, required = false, description, schema }) => ({
    ...{ name, type: typeText(schema), isRequired: required },
    text: detailsOf({ ...schema, ...(description && { description }) }),
  }));

/** The fields of an object; those of objects inside follow with their path. */
export const fieldRows = (schema: Schema, specification: Specification, prefix = ""): FieldRow[] => {
  const { properties = {}, required = [] } = resolve(schema, specification);
  return Object.entries(properties).flatMap(([name, field]) => {
    const own = withoutNull(field);
    const row = {
      name: prefix + name,
      type: typeText(field),
      isRequired: required.includes(name),
      text: detailsOf(field),
    };
    const inner = own.items && !own.items.$ref ? own.items : own;
    const at = own.items ? `${prefix}${name}[].` : `${prefix}${name}.`;
    return [row, ...(inner.$ref ? [] : fieldRows(inner, specification, at))];
  });
};

const exampleOf = (schema: Schema, specification: Specification): unknown => {
  const own = withoutNull(resolve(schema, specification));
  if (own.default !== undefined) return own.default;
  if (own.enum) return own.enum[0];
  if (own.items) return [exampleOf(own.items, specification)];
  if (own.properties) {
    const names = (own.required ?? []).filter((name) => own.properties?.[name]);
    return Object.fromEntries(names.map((name) => [name, exampleOf(own.properties?.[name] ?? {}, specification)]));
  }
  const [type] = plainTypes(own);
  if (type === "integer" || type === "number") return own.minimum ?? 1;
  return type === "boolean" ? true : "";
};

/** A body with the required fields, to start from; empty without a JSON body. */
export const exampleBody = ({ requestBody }: Call, specification: Specification): string => {
  const schema = requestBody?.content["application/json"]?.schema;
  return schema ? JSON.stringify(exampleOf(schema, specification), null, 2) : "";
};
