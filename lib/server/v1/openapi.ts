import "server-only";
import { z } from "zod";
import type { Settings } from "#lib/context.ts";
import { ERRORS, type ErrorCode } from "#lib/core/errors.ts";
import { SCOPE_TEXTS } from "#lib/features/api-keys/constants.ts";
import { AUDIENCE_PATHS, AUDIENCE_SCOPES, OAUTH_PATHS } from "#lib/features/oauth/constants.ts";
import { type Operation, TAGS, takesWriteKey } from "./operation.ts";
import { OPERATIONS } from "./operations.ts";
import { titleOf } from "./problem.ts";

type Json = Record<string, unknown>;

/** Each schema once: those with an id become components. */
class Components {
  readonly schemas: Record<string, Json> = {};

  /** `io`: what a client sends, or what it gets. */
  add(schema: z.ZodType, io: "input" | "output"): Json {
    const {
      $schema: _,
      $defs = {},
      ...json
    } = z.toJSONSchema(schema, { io, unrepresentable: "any" }) as Json & {
      $defs?: Record<string, Json>;
    };
    for (const [name, definition] of Object.entries($defs)) this.schemas[name] = this.clean(definition, io);
    const { id, ...own } = json;
    if (typeof id !== "string") return this.clean(own, io);
    this.schemas[id] = this.clean(own, io);
    return { $ref: `#/components/schemas/${id}` };
  }

  /** Responses may get more fields, so their schemas allow them. */
  private clean(json: Json, io: "input" | "output"): Json {
    const text = JSON.stringify(json, (key, value) => {
      if (key === "id" && typeof value === "string") return undefined;
      if (key === "additionalProperties" && io === "output" && value === false) return undefined;
      return key === "$ref" ? String(value).replace("#/$defs/", "#/components/schemas/") : value;
    });
    return JSON.parse(text);
  }
}

const PROBLEM = z
  .object({
    type: z.string().meta({ description: "Where this error is described." }),
    title: z.string(),
    status: z.number().int(),
    detail: z.string().meta({ description: "A readable explanation of this error." }),
    code: z.string().meta({ description: "The kind of error, for your program to check." }),
    request_id: z.string().meta({ description: "Include it when you contact support." }),
    errors: z
      .array(z.object({ field: z.string(), detail: z.string() }))
      .optional()
      .meta({ description: "What is wrong with single fields." }),
  })
  .meta({ id: "Problem", description: "An error (RFC 9457)." });

const SHARED_HEADERS = {
  "RateLimit-Limit": { description: "Calls in the current window.", schema: { type: "integer" } },
  "RateLimit-Remaining": { description: "Calls that are left in it.", schema: { type: "integer" } },
  "RateLimit-Reset": { description: "Seconds until it ends.", schema: { type: "integer" } },
  ETag: { description: "Names this response for `If-None-Match`.", schema: { type: "string" } },
  Link: { description: 'The URL of the next page, with `rel="next"`, if there is one.', schema: { type: "string" } },
  "Idempotency-Replayed": {
    description: "The response is that of an earlier request with this key.",
    schema: { type: "string", const: "true" },
  },
  "Retry-After": { description: "Seconds to wait before the next try.", schema: { type: "integer" } },
  "WWW-Authenticate": { description: "Which token or scope is missing (RFC 6750).", schema: { type: "string" } },
} as const;

type HeaderName = keyof typeof SHARED_HEADERS;

/** Every call with a known key has them. */
const QUOTA: readonly HeaderName[] = ["RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"];

const headersOf = (...names: readonly HeaderName[]): Json => ({
  headers: Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }])),
});

const isPaged = ({ query }: Operation): boolean => query !== undefined && "cursor" in query.shape;

const WAITING: readonly ErrorCode[] = ["too_many", "write_in_progress"];
const CHALLENGED: readonly ErrorCode[] = ["unauthenticated", "invalid_key", "scope_missing"];

const errorHeaders = (codes: readonly ErrorCode[]): Json =>
  headersOf(
    ...QUOTA,
    ...(codes.some((code) => WAITING.includes(code)) ? (["Retry-After"] as const) : []),
    ...(codes.some((code) => CHALLENGED.includes(code)) ? (["WWW-Authenticate"] as const) : []),
  );

const EVERYWHERE: readonly ErrorCode[] = [
  "invalid",
  "unauthenticated",
  "invalid_key",
  "scope_missing",
  "too_many",
  "internal",
];

const errorsOf = (operation: Operation): ErrorCode[] => {
  const own = operation.params ? ["not_found" as const] : [];
  const writes = takesWriteKey(operation) ? (["write_in_progress", "key_reused"] as const) : [];
  // A call without a body refuses one, but reads it first.
  const body = operation.method === "GET" ? [] : (["too_large"] as const);
  return [...new Set([...EVERYWHERE, ...own, ...writes, ...body, ...(operation.errors ?? [])])];
};

const CODES: readonly ErrorCode[] = [...new Set([...OPERATIONS.flatMap(errorsOf), "method_not_allowed" as const])];

export const API_ERRORS = CODES.toSorted((a, b) => ERRORS[a].status - ERRORS[b].status).map((code) => ({
  ...{ code, status: ERRORS[code].status, retry: ERRORS[code].retry },
  text: titleOf(code),
}));

const problemsOf = (operation: Operation): Json => {
  const byStatus = Map.groupBy(errorsOf(operation), (code) => ERRORS[code].status);
  const entries = [...byStatus].toSorted(([a], [b]) => a - b);
  return Object.fromEntries(
    entries.map(([status, codes]) => [
      String(status),
      {
        description: codes.map((code) => `\`${code}\``).join(", "),
        ...errorHeaders(codes),
        content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } },
      },
    ]),
  );
};

const successOf = (operation: Operation, components: Components): Json => {
  const status = operation.status ?? 200;
  const isRead = operation.method === "GET";
  const headers = headersOf(
    ...QUOTA,
    ...(isRead ? (["ETag"] as const) : []),
    ...(isPaged(operation) ? (["Link"] as const) : []),
    ...(takesWriteKey(operation) ? (["Idempotency-Replayed"] as const) : []),
  );
  const content = operation.response && {
    content: { "application/json": { schema: components.add(operation.response, "output") } },
  };
  const unchanged = { 304: { description: "Nothing has changed since the response with that ETag.", ...headers } };
  return { [status]: { description: operation.summary, ...headers, ...content }, ...(isRead && unchanged) };
};

const parametersIn = (place: "path" | "query", schema: z.ZodObject | undefined): Json[] => {
  if (!schema) return [];
  const { properties = {}, required = [] } = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  return Object.entries(properties).map(([name, json]) => {
    const { description, ...rest } = json as Json;
    const isRequired = place === "path" || required.includes(name);
    return { name, in: place, required: isRequired, ...(description ? { description } : {}), schema: rest };
  });
};

const WRITE_KEY = { $ref: "#/components/parameters/IdempotencyKey" };
const IF_NONE_MATCH = { $ref: "#/components/parameters/IfNoneMatch" };

const bodyOf = ({ body, receive }: Operation, components: Components): Json => {
  if (!body) return {};
  if (receive) {
    const schema = {
      type: "object",
      required: ["image"],
      properties: { image: { type: "string", contentMediaType: "application/octet-stream" } },
    };
    return { requestBody: { required: true, content: { "multipart/form-data": { schema } } } };
  }
  return {
    requestBody: { required: true, content: { "application/json": { schema: components.add(body, "input") } } },
  };
};

const API_KEY = { apiKey: [] };

/** An app's token works wherever an app can ask for the scope. */
const securityOf = ({ scope }: Operation): Json[] =>
  AUDIENCE_SCOPES.api.includes(scope) ? [API_KEY, { oauth2: [scope] }] : [API_KEY];

const toPathItem = (operation: Operation, components: Components): Json => {
  const { id, tag, summary, description, scope, method } = operation;
  const parameters = [
    ...parametersIn("path", operation.params),
    ...parametersIn("query", operation.query),
    ...(takesWriteKey(operation) ? [WRITE_KEY] : []),
    ...(method === "GET" ? [IF_NONE_MATCH] : []),
  ];
  const scopeText = `Needs the scope \`${scope}\`.`;
  return {
    operationId: id,
    tags: [tag],
    summary,
    description: description ? `${description}\n\n${scopeText}` : scopeText,
    "x-scope": scope,
    security: securityOf(operation),
    ...(parameters.length > 0 && { parameters }),
    ...bodyOf(operation, components),
    responses: { ...successOf(operation, components), ...problemsOf(operation) },
  };
};

const INTRODUCTION = [
  "Create, schedule, and publish pins from your own programs. Create an API key in Settings, and send it as `Authorization: Bearer evertack_…`. An app can ask its users for access instead (OAuth 2.1).",
  "Lists come in pages: pass `next_cursor` as `cursor`. Times are UTC, ISO 8601. Unknown fields and parameters are rejected.",
  "A write with an `Idempotency-Key` is safe to repeat: for 24 hours after it succeeded, repeating it returns the first response, with the header `Idempotency-Replayed`. Uploads ignore the key: the same file gives the same ID.",
  "Errors are problem details (RFC 9457). `code` says what is wrong; a 429 has `Retry-After`.",
].join("\n\n");

const sharedParameters = {
  IdempotencyKey: {
    ...{ name: "Idempotency-Key", in: "header", required: false },
    description: "1 to 100 visible characters, new for each write.",
    schema: { type: "string", minLength: 1, maxLength: 100, pattern: "^[!-~]{1,100}$" },
  },
  IfNoneMatch: {
    ...{ name: "If-None-Match", in: "header", required: false },
    description: "The ETag of an earlier response.",
    schema: { type: "string" },
  },
};

const securitySchemes = (appUrl: string): Json => ({
  apiKey: { type: "http", scheme: "bearer", description: "An API key from Settings: `evertack_…`." },
  oauth2: {
    type: "oauth2",
    description: [
      `Access that a user gives an app (OAuth 2.1). Register the app once with \`POST ${appUrl}${OAUTH_PATHS.register}\` (RFC 7591).`,
      `Send PKCE with \`S256\`, and \`resource=${appUrl}${AUDIENCE_PATHS.api}\`. The token is sent like an API key.`,
    ].join(" "),
    flows: {
      authorizationCode: {
        authorizationUrl: `${appUrl}${OAUTH_PATHS.authorize}`,
        tokenUrl: `${appUrl}${OAUTH_PATHS.token}`,
        refreshUrl: `${appUrl}${OAUTH_PATHS.token}`,
        scopes: Object.fromEntries(AUDIENCE_SCOPES.api.map((scope) => [scope, SCOPE_TEXTS[scope]])),
      },
    },
  },
});

type Product = Pick<Settings, "appUrl" | "productName" | "supportEmail">;

/** OpenAPI 3.1, from the same schemas that check requests. */
export const buildOpenApi = ({ appUrl, productName, supportEmail }: Product): Json => {
  const components = new Components();
  components.add(PROBLEM, "output");
  const paths: Record<string, Json> = {};
  for (const operation of OPERATIONS) {
    paths[operation.path] = {
      ...paths[operation.path],
      [operation.method.toLowerCase()]: toPathItem(operation, components),
    };
  }
  const scopes = Object.entries(SCOPE_TEXTS).map(([scope, text]) => `- \`${scope}\`: ${text}`);
  return {
    openapi: "3.1.1",
    info: {
      title: `${productName} API`,
      version: "1.0.0",
      description: `${INTRODUCTION}\n\nScopes of a key:\n\n${scopes.join("\n")}`,
      contact: { email: supportEmail, url: `${appUrl}/contact-us` },
      termsOfService: `${appUrl}/terms-of-service`,
    },
    servers: [{ url: `${appUrl}/api/v1` }],
    security: [API_KEY],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      securitySchemes: securitySchemes(appUrl),
      parameters: sharedParameters,
      headers: SHARED_HEADERS,
      schemas: components.schemas,
    },
  };
};
