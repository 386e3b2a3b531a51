import { openDatabase } from "#db/client.ts";
import type { Ctx } from "#lib/context.ts";
import { createBell } from "#lib/core/concurrency.ts";
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

/** Ends a command with one sentence. `code`: 1 refused or failed, 2 used wrongly. */
export class OperatorError extends Error {
  readonly code: 1 | 2;

  constructor(sentence: string, code: 1 | 2 = 1) {
    super(sentence);
    this.code = code;
  }
}

/** What a command works with. */
export type Operator = {
  /** For verbs without ports; its settings are read when a verb asks for them. */
  ctx: Ctx;
  databaseUrl: string;
  /** A setting, checked. @throws OperatorError that names it */
  setting<N extends keyof Env>(name: N): Env[N];
};

/**
 * Runs an operator's command on the database that DATABASE_URL names (in the environment or `.env`), else on that of
 * the product which runs from this checkout, with its settings. What fails is told in one sentence; the process ends
 * with 0 (done), 1 (refused or failed) or 2 (used wrongly).
 */
export function operate(name: string, run: (operator: Operator) => Promise<void>): Promise<void> {
  return command(() => runOn(withCredentials(findSettings()), name, run));
}

/** Runs a command that needs no database; it ends as {@link operate} says. */
export async function command(run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    console.error(sentenceOf(error));
    process.exitCode = error instanceof OperatorError ? error.code : 1;
  }
}

/** The storage's SDK reads its credentials by itself. */
function withCredentials(settings: Variables): Variables {
  for (const [name, value] of Object.entries(settings)) if (name.startsWith("AWS_")) process.env[name] = value;
  return settings;
}

function findSettings(): Variables {
  const given = readSettings(inRepository(".env"));
  const running = readRunning(runFile)?.env;
  if (running && (given.DATABASE_URL ?? running.DATABASE_URL) === running.DATABASE_URL) return running;
  if (given.DATABASE_URL) return given;
  throw new OperatorError("Nothing runs here and DATABASE_URL is not set. Start the product first: npm start");
}

/**
 * A key that was changed in the settings counts from the next start on: until then a rotation would seal nothing anew.
 * @throws OperatorError when the key that is written down is another one than the running product's
 */
export function requireSameKey(given: Variables, running: Variables): void {
  if (!given.ENCRYPTION_KEY || given.ENCRYPTION_KEY === running.ENCRYPTION_KEY) return;
  throw new OperatorError("ENCRYPTION_KEY is not the one that the product runs with: start it again first.");
}

/** Read when a verb asks for them: a command needs only what its verbs need. */
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
      return neverNeeded("draws pictures");
    },
    get prices() {
      return setting("PADDLE_PRICES");
    },
    get checkout() {
      return neverNeeded("opens a checkout");
    },
    get analyticsCacheHours() {
      return setting("PINTEREST_ANALYTICS_CACHE_HOURS");
    },
    get imageConcurrency() {
      return setting("OPENAI_IMAGE_CONCURRENCY");
    },
  };
}

async function runOn(from: Variables, name: string, run: (operator: Operator) => Promise<void>): Promise<void> {
  const setting: Operator["setting"] = (wanted) => {
    if (wanted === "ENCRYPTION_KEY") requireSameKey(readSettings(inRepository(".env")), from);
    return readSetting(from, wanted);
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
    bell: createBell(),
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

function neverNeeded(what: string): never {
  throw new OperatorError(`No operator's command ${what}.`);
}

/** One of these settings, checked. @throws OperatorError that names it */
export function readSetting<N extends keyof Env>(from: Variables, name: N): Env[N] {
  const parsed = schema.shape[name].safeParse(from[name] || undefined);
  // The schema of that name, so the value of that name.
  if (parsed.success) return parsed.data as Env[N];
  throw new OperatorError(`${name} is not set, or not as it should be: ${parsed.error.issues[0]?.message}`);
}

/** SQL states and system errors that say where the fault lies, as a person would. */
const knownCodes: Record<string, string> = {
  ECONNREFUSED: "The database does not answer; is DATABASE_URL right, and does it run?",
  ENOTFOUND: "The host that DATABASE_URL names is not known.",
  "28P01": "The database refuses the user or password of DATABASE_URL.",
  "3D000": "The database that DATABASE_URL names does not exist.",
  "42P01": "The database has not been migrated: start the product on it once.",
};

function sentenceOf(error: unknown): string {
  if (error instanceof OperatorError || error instanceof AppError) return error.message;
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const known = "code" in cause && typeof cause.code === "string" ? knownCodes[cause.code] : undefined;
    if (known) return known;
  }
  return messageOf(error);
}
