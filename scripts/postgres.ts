import { spawn } from "node:child_process";
import { closeSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { sql } from "drizzle-orm";
import { openDatabase } from "#db/client.ts";
import { pickPort } from "./ports.ts";
import { clusterUser, type Home, openHome, serverEnvironment } from "./postgres-home.ts";
import { type Ending, endWithParent, identityOf, lastLines, openLog, signal, waitForEnd } from "./processes.ts";

export type PostgresOptions = {
  /** Holds the password and the cluster (or a pointer to it). Deleting it resets everything. */
  dataDir: string;
  /** Preferred port; if it is taken, a free one is used. */
  port?: number;
  /** false for tests: writes are not forced to disk. */
  durable: boolean;
  logFile?: string;
};

/** A running server. `url` is that of the database `postgres`; `stop` is a fast shutdown that closes all sessions. */
export type PostgresHandle = { url: string; port: number; pid: number; identity: string; stop(): Promise<void> };

type Postmaster = { pid: number; port: number; ready: boolean };

/** Stops last: everything else needs it while draining. */
const postgresEnding: Ending = { order: 9, signal: "SIGINT", graceMs: 15_000 };
const startDeadlineMs = 10_000;

/**
 * Runs the PostgreSQL from npm on loopback, with a password and without a Unix socket. Reuses a running server of this
 * folder; retries the start for ten seconds.
 * @throws Error with the end of the server's log
 */
export async function startPostgres(options: PostgresOptions): Promise<PostgresHandle> {
  const home = openHome(options.dataDir);
  const logFile = options.logFile ?? join(options.dataDir, "server.log");
  const running = readPostmaster(home);
  if (running && (await isReachable(urlOf(home, running.port)))) return serverOf(home, running);
  const deadline = performance.now() + startDeadlineMs;
  let postmaster = await launch(home, options, logFile);
  while (!postmaster) {
    if (performance.now() > deadline) throw new Error(`PostgreSQL did not start:\n${lastLines(logFile, 8)}`);
    await delay(250);
    postmaster = await launch(home, options, logFile);
  }
  return serverOf(home, postmaster);
}

/** The URL of another database on the same server. */
export function databaseUrl(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

/** Creates a database, optionally as a copy of `template`. Leaves an existing one unchanged. @returns its URL */
export async function createDatabase(serverUrl: string, name: string, template?: string): Promise<string> {
  await administer(serverUrl, async (run, exists) => {
    if (await exists(name)) return;
    await run(`create database ${quoted(name)}${template ? ` template ${quoted(template)}` : ""}`);
  });
  return databaseUrl(serverUrl, name);
}

/** Drops a database, closing all its connections. */
export async function dropDatabase(serverUrl: string, name: string): Promise<void> {
  await administer(serverUrl, (run) => run(`drop database if exists ${quoted(name)} with (force)`));
}

type Run = (statement: string) => Promise<void>;
type Exists = (name: string) => Promise<boolean>;

async function administer(serverUrl: string, work: (run: Run, exists: Exists) => Promise<void>): Promise<void> {
  const { db, close } = openDatabase(databaseUrl(serverUrl, "postgres"), 1);
  try {
    await work(
      async (statement) => void (await db.execute(sql.raw(statement))),
      async (name) => (await db.execute(sql`select 1 from pg_database where datname = ${name}`)).length > 0,
    );
  } finally {
    await close();
  }
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function urlOf(home: Home, port: number): string {
  return `postgres://${clusterUser}:${home.password}@127.0.0.1:${port}/postgres`;
}

function serverOf(home: Home, { pid, port }: Postmaster): PostgresHandle {
  const identity = endWithParent(pid, postgresEnding);
  return { url: urlOf(home, port), port, pid, identity, stop: () => stopPostmaster(pid, identity) };
}

async function stopPostmaster(pid: number, identity: string): Promise<void> {
  for (const [name, waitMs] of [
    ["SIGINT", 15_000],
    ["SIGQUIT", 5_000],
    ["SIGKILL", 5_000],
  ] as const) {
    if (identityOf(pid) === identity) signal(pid, name);
    if (await waitForEnd(pid, identity, waitMs)) return;
  }
  throw new Error(`PostgreSQL (process ${pid}) did not stop.`);
}

async function launch(home: Home, options: PostgresOptions, logFile: string): Promise<Postmaster | undefined> {
  const port = await pickPort(options.port);
  const log = openLog(logFile);
  const child = spawn(join(home.binaries, "bin", "postgres"), serverArguments(home, port, options.durable), {
    ...home.account,
    cwd: home.data,
    detached: true,
    stdio: ["ignore", log, log],
    env: serverEnvironment,
  });
  closeSync(log);
  child.unref();
  // Tied to this process immediately: a Ctrl-C during startup must not leave it behind.
  if (child.pid !== undefined && identityOf(child.pid) !== undefined) endWithParent(child.pid, postgresEnding);
  let ended = false;
  child.once("error", () => {
    ended = true;
  });
  child.once("exit", () => {
    ended = true;
  });
  const deadline = performance.now() + startDeadlineMs;
  while (!ended && performance.now() < deadline) {
    const postmaster = readPostmaster(home);
    if (postmaster?.ready && postmaster.pid === child.pid) return postmaster;
    await delay(20);
  }
  if (!ended && child.pid !== undefined) signal(child.pid, "SIGQUIT");
  return undefined;
}

function serverArguments(home: Home, port: number, durable: boolean): string[] {
  const settings = {
    listen_addresses: "127.0.0.1",
    unix_socket_directories: "",
    port,
    timezone: "UTC",
    max_connections: 200,
    ...(durable ? {} : { fsync: "off", synchronous_commit: "off", full_page_writes: "off", shared_buffers: "64MB" }),
  };
  return ["-D", home.data, ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`])];
}

/** What the running server wrote to its pid file: pid, folder, start, port, socket, address, memory, state. */
function readPostmaster(home: Home): Postmaster | undefined {
  const file = join(home.data, "postmaster.pid");
  if (!existsSync(file)) return undefined;
  const lines = readFileSync(file, "utf8").split("\n");
  const postmaster = { pid: Number(lines[0]), port: Number(lines[3]), ready: lines[7]?.trim() === "ready" };
  return postmaster.pid > 0 && identityOf(postmaster.pid) !== undefined ? postmaster : undefined;
}

async function isReachable(url: string): Promise<boolean> {
  const { db, close } = openDatabase(url, 1);
  return db
    .execute(sql`select 1`)
    .then(
      () => true,
      () => false,
    )
    .finally(close);
}
