import { openDatabase } from "#db/client.ts";
import type { Ctx } from "#lib/context.ts";
import { createSignals } from "#lib/core/concurrency.ts";
import { createSealer } from "#lib/core/crypto.ts";
import { AppError, messageOf } from "#lib/core/errors.ts";
import { createId, type IdKind } from "#lib/core/ids.ts";
import { createWideEvent } from "#lib/core/log.ts";
import type { Env } from "#lib/env.ts";
import { settings as schema } from "#lib/env-schema.ts";
import type { Variables } from "./compose.ts";
import { readRunning, runFile } from "./local.ts";
import { inRepository } from "./root.ts";
import { readSettings } from "./settings-file.ts";

/** Ends a command with a message. `code`: 1 failed, 2 wrong usage. */
export class OperatorError extends Error {
  readonly code: 1 | 2;

  constructor(message: string, code: 1 | 2 = 1) {
    super(message);
    this.code = code;
  }
}

/** What a command can use. */
export type Operator = {
  /** For use cases without services; settings are read on first use. */
  ctx: Ctx;
  databaseUrl: string;
  /** A validated setting. @throws OperatorError naming the setting */
  setting<N extends keyof Env>(name: N): Env[N];
};

/**
 * Runs an operator command on the database in DATABASE_URL (environment or `.env`), else on the product that runs from
 * this checkout. Errors are one message; the exit code is 0 (done), 1 (failed) or 2 (wrong usage).
 */
export function operate(name: string, run: (operator: Operator) => Promise<void>): Promise<void> {
  return command(() => runOn(withCredentials(findSettings()), name, run));
}

/** Runs a command that needs no database; it ends like {@link operate}. */
export async function command(run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    console.error(errorMessage(error));
    process.exitCode = error instanceof OperatorError ? error.code : 1;
  }
}

/** The storage SDK reads its credentials from the environment. */
function withCredentials(settings: Variables): Variables {
  for (const [name, value] of Object.entries(settings)) if (name.startsWith("AWS_")) process.env[name] = value;
  return settings;
}

function findSettings(): Variables {
  const given = readSettings(inRepository(".env"));
  const running = readRunning(runFile)?.env;
  if (running && (given.DATABASE_URL ?? running.DATABASE_URL) === running.DATABASE_URL) return running;
  if (given.DATABASE_URL) return given;
  throw new OperatorError(
    "The product isn't running here and DATABASE_URL is not set. Start the product first: npm start",
  );
}

/**
 * A changed key takes effect at the next start; until then a rotation would re-encrypt nothing.
 * @throws OperatorError if the key in the settings differs from the running product's
 */
export function requireSameKey(given: Variables, running: Variables): void {
  if (!given.ENCRYPTION_KEY || given.ENCRYPTION_KEY === running.ENCRYPTION_KEY) return;
  throw new OperatorError(
    "ENCRYPTION_KEY differs from the one the product is running with. Restart the product first.",
  );
}

/** Lazy, so that a command needs only the settings that it uses. */
function settingsOf(setting: Operator["setting"]): Ctx["settings"] {
  return {
    get appUrl() {
      return setting("APP_URL");
    },
    get productName() {
      return setting("PRODUCT_NAME");
    },
    get supportEmail() {
      return setting("SUPPORT_EMAIL");
    },
    get tokenSecret() {
      return setting("AUTH_SECRET");
    },
    get pinCanvas() {
      return unsupportedSetting("generates images");
    },
    get prices() {
      return setting("PADDLE_PRICES");
    },
    get checkout() {
      return unsupportedSetting("opens a checkout");
    },
    get analyticsCacheHours() {
      return setting("PINTEREST_ANALYTICS_CACHE_HOURS");
    },
    get hasRelatedTerms() {
      return unsupportedSetting("connects accounts");
    },
    get imageConcurrency() {
      return setting("OPENAI_IMAGE_CONCURRENCY");
    },
  };
}

async function runOn(from: Variables, name: string, run: (operator: Operator) => Promise<void>): Promise<void> {
  const setting: Operator["setting"] = (requested) => {
    if (requested === "ENCRYPTION_KEY") requireSameKey(readSettings(inRepository(".env")), from);
    return readSetting(from, requested);
  };
  const databaseUrl = setting("DATABASE_URL");
  const database = openDatabase(databaseUrl, 2);
  const now = () => new Date();
  const ctx: Ctx = {
    actor: { kind: "job", name },
    now,
    newId: <K extends IdKind>(kind: K) => createId(kind, now()),
    db: database.db,
    log: createWideEvent({ job: name }),
    signals: createSignals(),
    stopping: new AbortController().signal,
    get sealer() {
      return createSealer(setting("ENCRYPTION_KEY"));
    },
    settings: settingsOf(setting),
  };
  try {
    await run({ ctx, databaseUrl, setting });
  } finally {
    await database.close();
  }
}

function unsupportedSetting(what: string): never {
  throw new OperatorError(`No operator command ${what}.`);
}

/** A validated setting. @throws OperatorError naming the setting */
export function readSetting<N extends keyof Env>(from: Variables, name: N): Env[N] {
  const parsed = schema.shape[name].safeParse(from[name] || undefined);
  // The schema of that name, so the value of that name.
  if (parsed.success) return parsed.data as Env[N];
  throw new OperatorError(`${name} is missing or invalid: ${parsed.error.issues[0]?.message}`);
}

/** SQL states and system errors, explained. */
const knownCodes: Record<string, string> = {
  ECONNREFUSED: "The database isn't responding. Check that it is running and that DATABASE_URL is correct.",
  ENOTFOUND: "The host in DATABASE_URL was not found.",
  "28P01": "The database rejected the user or password in DATABASE_URL.",
  "3D000": "The database in DATABASE_URL does not exist.",
  "42P01": "The database is empty. Start the product once to set it up.",
};

function errorMessage(error: unknown): string {
  if (error instanceof OperatorError || error instanceof AppError) return error.message;
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const known = "code" in cause && typeof cause.code === "string" ? knownCodes[cause.code] : undefined;
    if (known) return known;
  }
  return messageOf(error);
}
