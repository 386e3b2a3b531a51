interface Schema {
  $ref?: string;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  format?: string;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
}

type Content = Record<string, { schema: Schema }>;

interface Parameter {
  $ref?: string;
  name?: string;
  in?: string;
  required?: boolean;
  schema?: Schema;
}

interface Call {
  parameters?: Parameter[];
  "x-scope"?: string;
  requestBody?: { content: Content; required?: boolean };
  responses: Record<string, { content?: Content; headers?: Record<string, unknown> }>;
}

export interface Spec {
  paths: Record<string, Record<string, Call>>;
  components: { schemas: Record<string, Schema>; parameters?: Record<string, Parameter> };
}

type Direction = "input" | "output";

interface Comparison {
  before: Spec;
  after: Spec;
  direction: Direction;
  at: string;
}

const nameOf = (ref: string): string => ref.split("/").at(-1) ?? "";

const resolve = (schema: Schema, { components }: Spec): Schema =>
  schema.$ref ? (components.schemas[nameOf(schema.$ref)] ?? {}) : schema;

/** `anyOf` with null and one other schema counts as that schema, which may be null. */
const plain = (schema: Schema, spec: Spec): Schema => {
  const own = resolve(schema, spec);
  const [other, ...more] = (own.anyOf ?? []).filter(({ type }) => type !== "null");
  if (!other || more.length > 0) return own;
  const inner = resolve(other, spec);
  return { ...inner, type: [...[inner.type ?? []].flat(), "null"] };
};

const typesOf = ({ type }: Schema): string => [type ?? []].flat().toSorted().reverse().join(" or ");

const enumChanges = (before: Schema, after: Schema, { direction, at }: Comparison): string[] => {
  if (direction === "output" || !after.enum) return [];
  if (!before.enum) return [`${at} no longer accepts every value`];
  const removed = (before.enum ?? []).filter((value) => !after.enum?.includes(value));
  return removed.map((value) => `${at} no longer accepts ${JSON.stringify(value)}`);
};

const LOWER = ["minLength", "minimum", "minItems"] as const;
const UPPER = ["maxLength", "maximum", "maxItems"] as const;

/** Inputs that were accepted and no longer are, and another format of outputs. */
const limitChanges = (before: Schema, after: Schema, { direction, at }: Comparison): string[] => {
  const format = before.format === after.format ? [] : [`${at} has another format`];
  if (direction === "output") return format;
  const isTighter = [
    ...LOWER.filter((name) => (after[name] ?? Number.NEGATIVE_INFINITY) > (before[name] ?? Number.NEGATIVE_INFINITY)),
    ...UPPER.filter((name) => (after[name] ?? Number.POSITIVE_INFINITY) < (before[name] ?? Number.POSITIVE_INFINITY)),
  ].map((name) => `${at} has a tighter ${name}`);
  const pattern = after.pattern !== undefined && after.pattern !== before.pattern ? [`${at} has another pattern`] : [];
  const constant = after.const !== undefined && after.const !== before.const ? [`${at} has another constant`] : [];
  return [...format, ...isTighter, ...pattern, ...constant];
};

const requiredChanges = (before: Schema, after: Schema, { direction, at }: Comparison): string[] => {
  const added = (after.required ?? []).filter((name) => !before.required?.includes(name));
  const removed = (before.required ?? []).filter((name) => !after.required?.includes(name) && after.properties?.[name]);
  return direction === "input"
    ? added.map((name) => `${at}${name} is now required`)
    : removed.map((name) => `${at}${name} may now be missing`);
};

/** What a client of `before` would notice in `after`. Cycles do not occur in our schemas. */
const schemaChanges = (old: Schema, now: Schema, comparison: Comparison): string[] => {
  const { before, after, at } = comparison;
  const [one, other] = [plain(old, before), plain(now, after)];
  const name = at.trim().replace(/\.$/, "");
  const [was, is] = [typesOf(one), typesOf(other)];
  if (was !== is) return [`${name} was ${was} and is ${is}`];
  const fields = Object.entries(one.properties ?? {}).flatMap(([field, schema]) => {
    const next = other.properties?.[field];
    if (!next) return [`${at}${field} is gone`];
    return schemaChanges(schema, next, { ...comparison, at: `${at}${field}.` });
  });
  const items =
    one.items && other.items
      ? schemaChanges(one.items, other.items, { ...comparison, at: `${at.replace(/\.$/, "")}[].` })
      : [];
  // `plain` has left only those with several schemas besides null.
  const choices = (one.anyOf ?? []).flatMap((choice, index) => {
    const next = other.anyOf?.[index];
    return next ? schemaChanges(choice, next, comparison) : [`${name} has fewer alternatives`];
  });
  const own = { ...comparison, at: name };
  return [
    ...fields,
    ...items,
    ...choices,
    ...requiredChanges(one, other, comparison),
    ...enumChanges(one, other, own),
    ...limitChanges(one, other, own),
  ];
};

const contentChanges = (old: Content | undefined, now: Content | undefined, comparison: Comparison): string[] => {
  const types = Object.entries(old ?? {});
  return types.flatMap(([type, { schema }]) => {
    const next = now?.[type];
    return next ? schemaChanges(schema, next.schema, comparison) : [`${comparison.at.trim()} is no longer ${type}`];
  });
};

const parameterChanges = (old: Call, now: Call, comparison: Comparison): string[] => {
  const find = (call: Call, name: string) => call.parameters?.find((one) => (one.name ?? one.$ref) === name);
  const schemaOf = ({ $ref, schema = {} }: Parameter, { components }: Spec): Schema =>
    $ref ? (components.parameters?.[nameOf($ref)]?.schema ?? {}) : schema;
  const removed = (old.parameters ?? []).flatMap((parameter) => {
    const { $ref = "", name = $ref } = parameter;
    const next = find(now, name);
    if (!next) return [`${comparison.at}${name} is gone`];
    const [was, is] = [schemaOf(parameter, comparison.before), schemaOf(next, comparison.after)];
    return schemaChanges(was, is, { ...comparison, at: `${comparison.at}${name}.` });
  });
  const added = (now.parameters ?? []).filter(({ name = "", required }) => required && !find(old, name)?.required);
  return [...removed, ...added.map(({ name }) => `${comparison.at}${name} is now required`)];
};

const callChanges = (old: Call, now: Call, name: string, specs: { before: Spec; after: Spec }): string[] => {
  const input = { ...specs, direction: "input" as const };
  const output = { ...specs, direction: "output" as const };
  const answers = Object.entries(old.responses).flatMap(([status, { content, headers = {} }]) => {
    const next = now.responses[status];
    if (!next) return [`${name} ${status} is gone`];
    const removed = Object.keys(headers).filter((header) => !next.headers?.[header]);
    return [
      ...removed.map((header) => `${name} ${status} no longer sends ${header}`),
      ...contentChanges(content, next.content, { ...output, at: `${name} ${status} ` }),
    ];
  });
  const needsBody = now.requestBody && (!old.requestBody || (now.requestBody.required && !old.requestBody.required));
  return [
    ...(old["x-scope"] === now["x-scope"] ? [] : [`${name} needs another scope`]),
    ...parameterChanges(old, now, { ...input, at: `${name} parameter ` }),
    ...contentChanges(old.requestBody?.content, now.requestBody?.content, { ...input, at: `${name} body ` }),
    ...(needsBody ? [`${name} now needs a body`] : []),
    ...answers,
  ];
};

/** What breaks a client that was written for the first specification. */
export const breakingChanges = (before: Spec, after: Spec): string[] =>
  Object.entries(before.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, call]) => {
      const name = `${method.toUpperCase()} ${path}`;
      const next = after.paths[path]?.[method];
      return next ? callChanges(call, next, name, { before, after }) : [`${name} is gone`];
    }),
  );
