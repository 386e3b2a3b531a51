import Ajv from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { buildOpenApi } from "#lib/server/v1/openapi.ts";
import { OPERATIONS } from "#lib/server/v1/operations.ts";

type Json = Record<string, unknown>;

interface SpecCall {
  security: Record<string, string[]>[];
  responses: Record<string, { headers?: Json; content?: Record<string, { schema: Json }> }>;
}

export const specification = buildOpenApi({
  appUrl: "https://pins.evertack.test",
  productName: "Evertack",
  supportEmail: "help@pins.evertack.test",
}) as {
  paths: Record<string, Record<string, SpecCall>>;
  components: { schemas: Record<string, Json>; headers: Json };
} & Json;

/** Answers must have no fields that the specification lacks, although clients must expect them. */
const closed = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, inner]) => [key, closed(inner)]);
  const object: Json = Object.fromEntries(entries);
  return object.type === "object" && object.properties ? { additionalProperties: false, ...object } : object;
};

const ajv = new Ajv({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addSchema({ $id: "spec", components: closed(specification.components) });

const validators = new Map<string, (value: unknown) => string | null>();

const validatorOf = (schema: Json): ((value: unknown) => string | null) => {
  const key = JSON.stringify(schema);
  const known = validators.get(key);
  if (known) return known;
  const text = JSON.stringify(closed(schema)).replaceAll('"#/components', '"spec#/components');
  const validate = ajv.compile(JSON.parse(text));
  const check = (value: unknown) => (validate(value) ? null : ajv.errorsText(validate.errors));
  validators.set(key, check);
  return check;
};

interface V1Answer {
  status: number;
  headers: Headers;
  text: string;
}

const QUOTA = ["RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"];

/** Of the headers that the specification knows: what is sent without being documented, or missing. */
const wrongHeader = (documented: Json, { status, headers }: V1Answer): string | null => {
  const sent = Object.keys(specification.components.headers).filter((name) => headers.has(name));
  const extra = sent.find((name) => !(name in documented));
  if (extra !== undefined) return `sends ${extra}`;
  // Without a known key nothing can be counted for it.
  const isCounted = status !== 401 && status < 500;
  const missing =
    QUOTA.find((name) => isCounted && !/^\d+$/.test(headers.get(name) ?? "")) ??
    ["ETag"].find((name) => name in documented && !/^"[\w-]+"$/.test(headers.get(name) ?? ""));
  return missing === undefined ? null : `lacks ${missing}`;
};

/** What is undocumented about an answer to a call, by its path pattern below `/api/v1`; null if nothing is. */
export const undocumented = (method: string, pattern: string, answer: V1Answer): string | null => {
  const { status, headers, text } = answer;
  const responses = specification.paths[pattern]?.[method.toLowerCase()]?.responses;
  if (!responses) return `${method} ${pattern} is not in the specification`;
  const documented = responses[status];
  if (!documented) return `${method} ${pattern} answers ${status}: ${text.slice(0, 300)}`;
  const header = wrongHeader(documented.headers ?? {}, answer);
  if (header !== null) return `${method} ${pattern} ${status} ${header}`;
  const [content] = Object.entries(documented.content ?? {});
  if (!content) return text === "" ? null : `${method} ${pattern} ${status} has a body`;
  const [type, { schema }] = content;
  const sent = headers.get("content-type") ?? "";
  if (!sent.startsWith(type)) return `${method} ${pattern} ${status} is ${sent}, not ${type}`;
  const wrong = validatorOf(schema)(JSON.parse(text));
  return wrong && `${method} ${pattern} ${status}: ${wrong}`;
};

/** Every call as the surface lists it: `/api/v1/pins/[pin_id]`. */
export const v1Calls = (): { pattern: string; methods: string[] }[] => {
  const byPath = Map.groupBy(OPERATIONS, ({ path }) => path);
  return [...byPath].map(([path, operations]) => ({
    pattern: `/api/v1${path.replaceAll("{", "[").replaceAll("}", "]")}`,
    methods: operations.map(({ method }) => method),
  }));
};

/** `/api/v1/pins/[pin_id]` as the specification names it. */
export const toSpecPath = (pattern: string): string =>
  pattern.replace("/api/v1", "").replaceAll("[", "{").replaceAll("]", "}");
