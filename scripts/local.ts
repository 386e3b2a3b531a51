import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { migrateDatabase } from "#db/migrate.ts";
import { parseEnv } from "#lib/env.ts";
import { ensureBuild } from "./build.ts";
import { assertRoleFits, composeSettings, type Ports, preferredPorts, type Variables } from "./compose.ts";
import { isPortFree, pickPort } from "./ports.ts";
import { createDatabase, type PostgresHandle, type PostgresOptions, startPostgres } from "./postgres.ts";
import {
  type Child,
  createSupervisor,
  hasErrorCode,
  identityOf,
  isRunning,
  killGroup,
  type Supervisor,
  signal,
  waitForEnd,
} from "./processes.ts";
import { inRepository } from "./root.ts";
import { appSpec, childSpecs, type Environment } from "./services.ts";
import { type Listening, loadSecrets, readListening, readSettings } from "./settings-file.ts";

type ProcessRef = { name: string; pid: number; identity: string };

/** The instance that runs from this checkout, stored in `.data/run.json`; see {@link claimRun}. */
type RunState = {
  supervisor: ProcessRef;
  url: string;
  children: ProcessRef[];
  env?: Record<string, string>;
  /** It is shutting down. */
  isEnding?: boolean;
};

/** The claim on this checkout. `record` stores the children, `release` gives up the claim. */
type Claim = {
  record(children: ProcessRef[]): void;
  /** Stores the app's settings for commands that work on the running product. Only the owner can read the file. */
  announce(env: Record<string, string>): void;
  /** Records that the instance is stopping, so that a new start waits for it. */
  ending(): void;
  release(): void;
};

const staleGraceMs = 20_000;
const drainDeadlineMs = 45_000;

/**
 * Claims the checkout for this process, after ending what a killed predecessor left. Process ids are reused, so only
 * processes that also started at the recorded time are ended.
 * @throws Error if another instance is running
 */
export async function claimRun(file: string, url: string): Promise<Claim> {
  mkdirSync(dirname(file), { recursive: true });
  await endPredecessor(file);
  const supervisor = { name: "supervisor", pid: process.pid, identity: identityOf(process.pid) ?? "" };
  const state: RunState = { supervisor, url, children: [] };
  try {
    writeFileSync(file, JSON.stringify(state), { flag: "wx", mode: 0o600 });
  } catch (error) {
    if (hasErrorCode(error, "EEXIST")) throw new Error("Another instance was just started from this folder.");
    throw error;
  }
  const update = (change: Partial<RunState>) => {
    Object.assign(state, change);
    writeFileSync(`${file}.new`, JSON.stringify(state), { mode: 0o600 });
    renameSync(`${file}.new`, file);
  };
  return {
    record: (children) => update({ children: children.map(({ name, pid, identity }) => ({ name, pid, identity })) }),
    announce: (env) => update({ env }),
    ending: () => update({ isEnding: true }),
    release: () => rmSync(file, { force: true }),
  };
}

async function endPredecessor(file: string): Promise<void> {
  const before = readState(file);
  if (!before) return;
  const { supervisor, url, children, isEnding } = before;
  const hasEnded = await waitForEnd(supervisor.pid, supervisor.identity, isEnding ? drainDeadlineMs : 0);
  if (!hasEnded) {
    throw new Error(`Evertack is already running from this folder (process ${supervisor.pid}, ${url}). Stop it first.`);
  }
  for (const child of children) {
    if (!isRunning(child.pid, child.identity)) continue;
    signal(child.pid, child.name === "postgres" ? "SIGINT" : "SIGTERM");
    if (!(await waitForEnd(child.pid, child.identity, staleGraceMs))) killGroup(child.pid);
  }
  rmSync(file, { force: true });
}

/** The recorded state; undefined if there is none, or only a damaged file. */
export function readState(file: string): RunState | undefined {
  if (!existsSync(file)) return undefined;
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    rmSync(file);
    return undefined;
  }
}

/** The state of the running instance; undefined if none is running. */
export function readRunning(file: string): RunState | undefined {
  const state = readState(file);
  return state && isRunning(state.supervisor.pid, state.supervisor.identity) ? state : undefined;
}

export type Mode = "start" | "dev";

/** A local environment. `ready` rejects with a message to show; `end` drains and stops everything, at any time. */
export type LocalRun = { ready: Promise<Environment>; end(): Promise<void> };

const dataDir = inRepository(".data");
/** The state file of the instance that runs from this checkout. */
export const runFile = join(dataDir, "run.json");
const logFolder = join(dataDir, "logs");
const databaseWatchMs = 500;
/** As slow as the real service feels. */
const standInLatency = { textMs: 1_200, imageMs: 3_000 };

/** Starts the whole product on this machine: database, migrations, build, stand-ins, app. */
export function beginLocal(mode: Mode, log: (line: string) => void): LocalRun {
  const parts: Parts = {};
  return { ready: startAll(mode, parts, log), end: () => endAll(parts) };
}

async function startAll(mode: Mode, parts: Parts, log: (line: string) => void): Promise<Environment> {
  const given = readSettings(inRepository(".env"));
  const listening = readListening(given, preferredPorts.app);
  assertDataOwner();
  mkdirSync(logFolder, { recursive: true });
  const claim = await claimRun(runFile, given.APP_URL ?? `http://localhost:${listening.port}`);
  parts.claim = claim;
  const environment = await prepare(mode, given, listening, parts, log);
  claim.announce(environment.composition.env);
  parts.supervisor = createSupervisor(log, (children) => {
    parts.children = children;
    recordChildren(parts);
  });
  await parts.supervisor.start(specsFor(mode, environment));
  return environment;
}

/** Another user's files may be only partly readable. Root may use anyone's. */
function assertDataOwner(): void {
  const uid = process.getuid?.();
  if (!uid || !existsSync(dataDir) || statSync(dataDir).uid === uid) return;
  throw new Error(`${dataDir} belongs to another user. Start as that user, or delete the folder to start over.`);
}

type Parts = {
  claim?: Claim;
  postgres?: PostgresHandle;
  supervisor?: Supervisor;
  children?: Child[];
  isEnding?: boolean;
};

async function endAll(parts: Parts): Promise<void> {
  const { claim, postgres, supervisor } = parts;
  parts.isEnding = true;
  claim?.ending();
  await supervisor?.end();
  await postgres?.stop();
  claim?.release();
}

async function prepare(
  mode: Mode,
  given: Variables,
  listening: Listening,
  parts: Parts,
  log: (line: string) => void,
): Promise<Environment> {
  const { port, host } = listening;
  if (!(await isPortFree(port, host))) {
    throw new Error(
      `Port ${port} on ${host} is in use by another program. Stop it, or choose another port:  PORT=3001 npm ${mode === "dev" ? "run dev" : "start"}`,
    );
  }
  const secrets = loadSecrets(join(dataDir, "secrets.json"));
  const ports = await pickPorts(port);
  const compose = (databaseUrl: string) => composeSettings({ given, secrets, ports, host, databaseUrl, dataDir });
  const planned = compose(given.DATABASE_URL ?? "postgres://localhost/unknown-yet");
  parseEnv(planned.env);
  assertRoleFits(planned);
  const databaseUrl = given.DATABASE_URL ?? (await startOwnDatabase(parts, log));
  await migrate(databaseUrl);
  const composition = compose(databaseUrl);
  // Development uses its own folder below this one.
  const distDir = ".next";
  if (mode === "start") {
    const build = { distDir, settings: composition.env, logFile: join(logFolder, "build.log") };
    await ensureBuild(build, () => log("Building (about a minute, only after changes)…"));
  }
  return {
    composition,
    ports,
    host,
    dataDir,
    logFolder,
    distDir,
    databaseUrl,
    latency: standInLatency,
    retryScale: 1,
    hasConsole: true,
  };
}

async function startOwnDatabase(parts: Parts, log: (line: string) => void): Promise<string> {
  const logFile = join(logFolder, "postgres.log");
  const own = { dataDir: join(dataDir, "postgres"), port: preferredPorts.postgres, durable: true, logFile };
  parts.postgres = await startPostgres(own);
  recordChildren(parts);
  void superviseDatabase(parts, { ...own, port: parts.postgres.port }, log);
  return createDatabase(parts.postgres.url, "evertack");
}

/** Restarts the database if it ends on its own. Other processes know its port, so it must get the same one. */
async function superviseDatabase(parts: Parts, own: PostgresOptions, log: (line: string) => void): Promise<void> {
  for (;;) {
    await delay(databaseWatchMs);
    if (parts.isEnding || !parts.postgres) return;
    if (isRunning(parts.postgres.pid, parts.postgres.identity)) continue;
    log(`postgres stopped; restarting it (log: ${own.logFile})`);
    try {
      const again = await startPostgres(own);
      parts.postgres = again;
      recordChildren(parts);
      if (again.port === own.port) log("postgres is running again");
      else await again.stop();
    } catch (error) {
      log(error instanceof Error ? error.message : String(error));
    }
  }
}

function recordChildren({ claim, children = [], postgres }: Parts): void {
  claim?.record(postgres ? [...children, { name: "postgres", ...postgres }] : children);
}

async function pickPorts(app: number): Promise<Ports> {
  const { postgres: _, ...preferred } = preferredPorts;
  const picked: Ports = { ...preferred, app };
  const used = new Set([app]);
  for (const name of ["console", "pinterest", "openai", "google", "paddle", "inbox", "smtp", "executor"] as const) {
    const preferredPort = used.has(preferred[name]) ? 0 : preferred[name];
    picked[name] = await pickPort(preferredPort);
    used.add(picked[name]);
  }
  return picked;
}

function specsFor(mode: Mode, environment: Environment) {
  const specs = childSpecs(environment);
  return mode === "start" ? specs : specs.map((spec) => (spec.name === "app" ? appSpec(environment, ["dev"]) : spec));
}

/** Applies missing migrations. @throws Error naming the setting */
export async function migrate(databaseUrl: string): Promise<void> {
  try {
    await migrateDatabase(databaseUrl);
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    const reason = cause instanceof Error ? cause.message || cause.name : String(cause);
    throw new Error(`Can't use the database at DATABASE_URL: ${reason}`, { cause: error });
  }
}
