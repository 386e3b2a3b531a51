import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { migrateDatabase } from "#db/migrate.ts";
import { parseEnv } from "#lib/env.ts";
import { ensureBuild } from "./build.ts";
import { composeSettings, type Ports, preferredPorts, type Variables } from "./compose.ts";
import { isPortFree, pickPort } from "./ports.ts";
import { createDatabase, type PostgresHandle, type PostgresOptions, startPostgres } from "./postgres.ts";
import {
  type Child,
  createSupervisor,
  identityOf,
  isCode,
  isRunning,
  killGroup,
  type Supervisor,
  signal,
  waitForEnd,
} from "./processes.ts";
import { inRepository } from "./root.ts";
import { appSpec, childSpecs, type Environment } from "./services.ts";
import { keepSecrets, type Listening, readListening, readSettings } from "./settings-file.ts";

type Known = { name: string; pid: number; identity: string };

/** What runs from this checkout, as `.data/run.json` says. Ours alone: see {@link claimRun}. */
type RunState = {
  supervisor: Known;
  url: string;
  children: Known[];
  env?: Record<string, string>;
  /** It was told to stop and drains. */
  isEnding?: boolean;
};

/** The claim on this checkout. `record` notes the children, `release` gives the claim back. */
type Claim = {
  record(children: Known[]): void;
  /** Notes the app's settings, for commands that work on the running product. The file is its owner's alone to read. */
  announce(env: Record<string, string>): void;
  /** Notes that we are about to stop: whoever starts meanwhile waits for it. */
  ending(): void;
  release(): void;
};

const staleGraceMs = 20_000;
const drainDeadlineMs = 45_000;

/**
 * Claims the checkout for this process, after ending what a killed predecessor left behind. Numbers of processes are
 * given out again, so only those whose beginning matches too are ended.
 * @throws Error with one sentence when another instance runs
 */
export async function claimRun(file: string, url: string): Promise<Claim> {
  mkdirSync(dirname(file), { recursive: true });
  await endPredecessor(file);
  const supervisor = { name: "supervisor", pid: process.pid, identity: identityOf(process.pid) ?? "" };
  const state: RunState = { supervisor, url, children: [] };
  try {
    writeFileSync(file, JSON.stringify(state), { flag: "wx", mode: 0o600 });
  } catch (error) {
    if (isCode(error, "EEXIST")) throw new Error("Another start of this checkout was a moment faster.");
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
    throw new Error(`Evertack already runs from this folder (process ${supervisor.pid}, ${url}). Stop it first.`);
  }
  for (const child of children) {
    if (!isRunning(child.pid, child.identity)) continue;
    signal(child.pid, child.name === "postgres" ? "SIGINT" : "SIGTERM");
    if (!(await waitForEnd(child.pid, child.identity, staleGraceMs))) killGroup(child.pid);
  }
  rmSync(file, { force: true });
}

/** The state a run left or keeps, undefined when there is none (or half of one, after a full disk). */
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

/** The state of the instance that runs from this checkout now, undefined when none does. */
export function readRunning(file: string): RunState | undefined {
  const state = readState(file);
  return state && isRunning(state.supervisor.pid, state.supervisor.identity) ? state : undefined;
}

export type Mode = "start" | "dev";

/** A local environment. `ready` rejects with the sentence to show; `end` drains and stops what was started, at any time. */
export type LocalRun = { ready: Promise<Environment>; end(): Promise<void> };

const dataDir = inRepository(".data");
/** What runs from this checkout, see run-state.ts. */
export const runFile = join(dataDir, "run.json");
const logFolder = join(dataDir, "logs");
const databaseWatchMs = 500;
/** As slow as the real service feels, and a laptop can watch. */
const standInLatency = { textMs: 1_200, imageMs: 3_000 };

/** Starts the whole product on this machine (DESIGN §2, D4, D5): database, migrations, build, stand-ins, app. */
export function beginLocal(mode: Mode, say: (line: string) => void): LocalRun {
  const parts: Parts = {};
  return { ready: startAll(mode, parts, say), end: () => endAll(parts) };
}

async function startAll(mode: Mode, parts: Parts, say: (line: string) => void): Promise<Environment> {
  const given = readSettings(inRepository(".env"));
  const listening = readListening(given, preferredPorts.app);
  requireOwnData();
  mkdirSync(logFolder, { recursive: true });
  const claim = await claimRun(runFile, given.APP_URL ?? `http://localhost:${listening.port}`);
  parts.claim = claim;
  const environment = await prepare(mode, given, listening, parts, say);
  claim.announce(environment.composition.env);
  parts.supervisor = createSupervisor(say, (children) => {
    parts.children = children;
    recordAll(parts);
  });
  await parts.supervisor.start(specsFor(mode, environment));
  return environment;
}

/** Files of another user could be read only half; root may work on anybody's. */
function requireOwnData(): void {
  const uid = process.getuid?.();
  if (!uid || !existsSync(dataDir) || statSync(dataDir).uid === uid) return;
  throw new Error(`${dataDir} belongs to another user. Start as that user, or delete the folder to begin anew.`);
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
  say: (line: string) => void,
): Promise<Environment> {
  const { port, host } = listening;
  if (!(await isPortFree(port, host))) {
    throw new Error(
      `Port ${port} on ${host} is taken by another program. Stop that, or choose another: PORT=3001 npm ${mode === "dev" ? "run dev" : "start"}`,
    );
  }
  const secrets = keepSecrets(join(dataDir, "secrets.json"));
  const ports = await pickPorts(port);
  const compose = (databaseUrl: string) => composeSettings({ given, secrets, ports, host, databaseUrl, dataDir });
  parseEnv(compose(given.DATABASE_URL ?? "postgres://localhost/unknown-yet").env);
  const databaseUrl = given.DATABASE_URL ?? (await startOwnDatabase(parts, say));
  await migrate(databaseUrl);
  const composition = compose(databaseUrl);
  // Development has a folder of its own below this one.
  const distDir = ".next";
  if (mode === "start") {
    const build = { distDir, settings: composition.env, logFile: join(logFolder, "build.log") };
    await ensureBuild(build, () => say("Building (a minute or so, only when something changed) …"));
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

async function startOwnDatabase(parts: Parts, say: (line: string) => void): Promise<string> {
  const logFile = join(logFolder, "postgres.log");
  const own = { dataDir: join(dataDir, "postgres"), port: preferredPorts.postgres, durable: true, logFile };
  parts.postgres = await startPostgres(own);
  recordAll(parts);
  void keepDatabase(parts, { ...own, port: parts.postgres.port }, say);
  return createDatabase(parts.postgres.url, "evertack");
}

/** Starts the database again when it ends on its own; everybody knows it by its port, so it must get that one back. */
async function keepDatabase(parts: Parts, own: PostgresOptions, say: (line: string) => void): Promise<void> {
  for (;;) {
    await delay(databaseWatchMs);
    if (parts.isEnding || !parts.postgres) return;
    if (isRunning(parts.postgres.pid, parts.postgres.identity)) continue;
    say(`postgres ended; starting it again (log: ${own.logFile})`);
    try {
      const again = await startPostgres(own);
      parts.postgres = again;
      recordAll(parts);
      if (again.port === own.port) say("postgres is back");
      else await again.stop();
    } catch (error) {
      say(error instanceof Error ? error.message : String(error));
    }
  }
}

function recordAll({ claim, children = [], postgres }: Parts): void {
  claim?.record(postgres ? [...children, { name: "postgres", ...postgres }] : children);
}

async function pickPorts(app: number): Promise<Ports> {
  const { postgres: _, ...preferred } = preferredPorts;
  const picked: Ports = { ...preferred, app };
  const taken = new Set([app]);
  for (const name of ["console", "pinterest", "openai", "paddle", "inbox", "smtp", "executor"] as const) {
    const wished = taken.has(preferred[name]) ? 0 : preferred[name];
    picked[name] = await pickPort(wished);
    taken.add(picked[name]);
  }
  return picked;
}

function specsFor(mode: Mode, environment: Environment) {
  const specs = childSpecs(environment);
  return mode === "start" ? specs : specs.map((spec) => (spec.name === "app" ? appSpec(environment, ["dev"]) : spec));
}

/** @throws Error with one sentence that names the setting */
async function migrate(databaseUrl: string): Promise<void> {
  try {
    await migrateDatabase(databaseUrl);
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    const reason = cause instanceof Error ? cause.message || cause.name : String(cause);
    throw new Error(`The database at DATABASE_URL cannot be used: ${reason}`, { cause: error });
  }
}
