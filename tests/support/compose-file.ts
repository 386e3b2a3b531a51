import { parse } from "yaml";
import { z } from "zod";

// The part of the Compose Specification that compose.yaml uses. Anything else is an error, so that a typo is found.

const text = z.string();
const duration = z.string().regex(/^\d+(?:ms|s|m)$/);
const size = z.string().regex(/^\d+(?:k|m|g)$/);
const command = z.array(text).min(1);
const port = z.string().regex(/^(?:[\d.]+:)?(?:\d+|\$\{\w+:-\d+\}):\d+$/);
const variables = z.record(z.string().regex(/^[A-Z][A-Z\d_]*$/), text);
const dependency = z.strictObject({
  condition: z.enum(["service_started", "service_healthy", "service_completed_successfully"]),
});

const healthcheck = z.union([
  z.strictObject({
    test: z.tuple([z.literal("CMD")], text),
    interval: duration,
    timeout: duration,
    retries: z.int().positive(),
  }),
  z.strictObject({ disable: z.literal(true) }),
]);

const service = z.strictObject({
  image: z.string().regex(/^[a-z][a-z\d./-]*:\S+$/, "needs a tag"),
  build: z.strictObject({ context: text, args: variables, secrets: z.array(text) }).optional(),
  command: command.optional(),
  entrypoint: command.optional(),
  restart: z.enum(["no", "always", "on-failure", "unless-stopped"]).optional(),
  init: z.boolean().optional(),
  stop_grace_period: duration.optional(),
  shm_size: size.optional(),
  profiles: z.array(text).optional(),
  expose: z.array(z.string().regex(/^\d+$/)).optional(),
  ports: z.array(port).optional(),
  environment: variables.optional(),
  volumes: z.array(z.string().regex(/^(?:[a-z][\w-]*|\.\/[\w./-]+):\/[\w./-]*(?::ro)?$/)).optional(),
  healthcheck: healthcheck.optional(),
  depends_on: z.record(text, dependency).optional(),
});

const composeFile = z
  .looseObject({
    services: z.record(z.string().regex(/^[a-z][a-z\d-]*$/), service),
    volumes: z.record(text, z.null()),
    secrets: z.record(text, z.strictObject({ environment: text })),
  })
  .refine(
    (file) =>
      Object.keys(file).every((key) => ["services", "volumes", "secrets"].includes(key) || key.startsWith("x-")),
    "has an unknown section",
  );

type ComposeFile = z.output<typeof composeFile>;

/** Reads a compose file. @throws ZodError that names what is wrong */
export const parseCompose = (yaml: string): ComposeFile => composeFile.parse(parse(yaml, { merge: true }));

/** The variables that a text refers to, with whether they must be set. */
export const variablesIn = (value: string): { name: string; isRequired: boolean }[] =>
  [...value.matchAll(/(?<!\$)\$\{(\w+)(:[-?])?/g)].map(([, name = "", operator]) => ({
    name,
    isRequired: operator === ":?",
  }));

/** Replaces variables as Compose does. @throws Error for a required one that is missing */
export const interpolate = (value: string, given: Partial<Record<string, string>>): string =>
  value.replace(/(?<!\$)\$\{(\w+)(?::([-?])([^}]*))?\}/g, (_, name: string, operator?: string, rest = "") => {
    const found = given[name];
    if (found) return found;
    if (operator === "?") throw new Error(`${name} is required`);
    return operator === "-" ? rest : "";
  });
