/** The calls of `/api/v1` as TypeScript types, from their OpenAPI specification: the generated client of `packages/cli`. */

type Json = Record<string, unknown>;

const asJson = (value: unknown): Json => Object(value) as Json;
const asList = (value: unknown): Json[] => (Array.isArray(value) ? value.map(asJson) : []);

const nameOf = (reference: unknown): string => String(reference).split("/").at(-1) ?? "";

const keyOf = (name: string): string => (/^\w+$/.test(name) ? name : JSON.stringify(name));

const fieldsOf = ({ properties, required }: Json): string[] => {
  const needed = new Set(Array.isArray(required) ? required : []);
  return Object.entries(asJson(properties)).map(
    ([name, schema]) => `${keyOf(name)}${needed.has(name) ? "" : "?"}: ${typeOf(asJson(schema))}`,
  );
};

const PRIMITIVES: Record<string, string> = {
  string: "string",
  integer: "number",
  number: "number",
  boolean: "boolean",
};

const single = (type: unknown, schema: Json): string => {
  if (type === "null") return "null";
  if (type === "array") return `Array<${typeOf(asJson(schema.items))}>`;
  if (type !== "object") return PRIMITIVES[String(type)] ?? "unknown";
  if (schema.properties === undefined) return "Record<string, unknown>";
  return `{ ${fieldsOf(schema).join("; ")} }`;
};

const typeOf = (schema: Json): string => {
  if (schema.$ref !== undefined) return nameOf(schema.$ref);
  const several = asList(schema.anyOf ?? schema.oneOf);
  if (several.length > 0) return [...new Set(several.map(typeOf))].join(" | ");
  if (schema.contentMediaType !== undefined) return "Blob";
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  return [schema.type]
    .flat()
    .map((type) => single(type, schema))
    .join(" | ");
};

const schemaOf = (holder: unknown): Json | null => {
  const content = asJson(asJson(holder).content);
  const json = asJson(content["application/json"] ?? content["multipart/form-data"]);
  return json.schema === undefined ? null : asJson(json.schema);
};

/** Parameters and body in one: their names never clash. */
const inputOf = ({ parameters, requestBody }: Json): string => {
  const own = asList(parameters).filter(({ name, in: place }) => name !== undefined && place !== "header");
  const fields = own.map(({ name, required, schema }) => {
    return `${keyOf(String(name))}${required === true ? "" : "?"}: ${typeOf(asJson(schema))}`;
  });
  const body = schemaOf(requestBody);
  const parts = [...(fields.length > 0 || !body ? [`{ ${fields.join("; ")} }`] : []), ...(body ? [typeOf(body)] : [])];
  return parts.join(" & ").replace("{  }", "Record<string, never>");
};

const outputOf = ({ responses }: Json): string => {
  const [, success] = Object.entries(asJson(responses)).find(([status]) => /^2/.test(status)) ?? [];
  const schema = schemaOf(success);
  return schema ? typeOf(schema) : "null";
};

/** The source of `packages/cli/src/api.d.ts`. */
export const clientTypes = (specification: object): string => {
  const { paths, components } = asJson(specification);
  const schemas = Object.entries(asJson(asJson(components).schemas)).map(
    ([name, schema]) => `export type ${name} = ${typeOf(asJson(schema))};\n`,
  );
  const calls = Object.entries(asJson(paths)).flatMap(([path, methods]) =>
    Object.entries(asJson(methods))
      .filter(([method]) => /^(get|post|patch|put|delete)$/.test(method))
      .map(([method, call]) => {
        const { input, output } = { input: inputOf(asJson(call)), output: outputOf(asJson(call)) };
        return `  "${method.toUpperCase()} ${path}": { input: ${input}; output: ${output} };\n`;
      }),
  );
  const head = "// Written by scripts/write-openapi.ts from the specification of /api/v1.\n\n";
  const table =
    "/** Every call: what it takes (parameters and body), and what it returns. */\nexport interface Calls {\n";
  return `${head}${schemas.join("")}\n${table}${calls.join("")}}\n`;
};
