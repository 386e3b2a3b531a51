import { randomBytes } from "node:crypto";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type Database, openDatabase } from "#db/client.ts";
import { ensureBuild } from "#scripts/build.ts";
import { composeSettings, type Ports, type Variables } from "#scripts/compose.ts";
import { createDatabase, dropDatabase } from "#scripts/postgres.ts";
import { type Child, type ChildSpec, startChild } from "#scripts/processes.ts";
import { inRepository } from "#scripts/root.ts";
import { childSpecs, type Environment } from "#scripts/services.ts";
import { createSecrets } from "#scripts/settings-file.ts";
import { clockEnvironment, moveClock } from "./clock.ts";
import { templateName } from "./cluster.ts";
import { attachDatabaseClock, moveDatabaseClock } from "./database-clock.ts";
import { freePorts } from "./free-ports.ts";

/** The processes of a running product: the app, its durable executor, and the other stand-ins. */
export type ChildName = "app" | "executor" | "sandbox";

export type TestAppOptions = {
  /** The tests' PostgreSQL server; the app's database is cloned from the template. */
  serverUrl: string;
  /** Override the composed settings, e.g. `{ RATE_LIMIT_FACTOR: "1" }`. */
  settings?: Variables;
  latency?: { textMs: number; imageMs: number };
  /** Multiplies the executor's delays between attempts. */
  retryScale?: number;
  /** An additional certificate to trust. */
  certificateFile?: string;
  /** The build to run; the shared test build by default. */
  distDir?: string;
  /** `real`: no replacement of `Date` and the database's `now()`, as in production; the clocks cannot be moved. */
  clock?: "movable" | "real";
};

/** A built product that runs for tests on its own ports, with a clock that tests can move. */
export type TestApp = {
  /** Origin of the app, e.g. `http://localhost:41234`, also of its cookies and redirects. */
  baseUrl: string;
  pinterestUrl: string;
  openAiUrl: string;
  /** Origin of the payment stand-in. */
  paddleUrl: string;
  googleUrl: string;
  /** Origin of the inbox (`/api/messages?to=`). */
  inboxUrl: string;
  executorUrl: string;
  databaseUrl: string;
  dataDir: string;
  env: Variables;
  pid(name: ChildName): number;
  /** Kills it (kill -9) and waits until it has exited. Only `restart` starts it again. */
  kill9(name: ChildName): Promise<void>;
  /** Sends SIGTERM and waits for the exit. @returns how it ended: `with code 0`, `by SIGKILL` … */
  terminate(name: ChildName): Promise<string>;
  /** Ends it if it is running, starts it with the same ports and data, and waits until it is ready. */
  restart(name: ChildName): Promise<void>;
  /**
   * Sets the clocks of all processes and of the database this many milliseconds ahead of real time; with `only`, just
   * that process's clock.
   */
  moveClock(offsetMs: number, only?: ChildName): Promise<void>;
  stop(): Promise<void>;
};

/** The build for tests, separate from that of a running instance. */
export const testDistDir = ".next-test";
const testTimeZone = "Asia/Kathmandu";

/** Builds the product for tests unless this source is already built. */
export async function ensureTestBuild(): Promise<void> {
  const logFile = inRepository(".test", "logs", "build.log");
  await ensureBuild({ distDir: testDistDir, settings: { GOOGLE_CLIENT_ID: "test" }, logFile }, () =>
    console.log("Building for the tests…"),
  );
}

/** Starts app, executor and stand-ins (about 2 s); they end with this process. Call {@link ensureTestBuild} first. */
export async function startTestApp(options: TestAppOptions): Promise<TestApp> {
  const id = randomBytes(5).toString("hex");
  const dataDir = inRepository(".test", `app-${process.pid}-${id}`);
  mkdirSync(dataDir, { recursive: true });
  const databaseUrl = await createDatabase(options.serverUrl, `app_${id}`, templateName);
  const isMovable = options.clock !== "real";
  if (isMovable) await attachDatabaseClock(databaseUrl);
  const environment = await composeTestEnvironment(options, dataDir, databaseUrl);
  const database = openDatabase(databaseUrl, 2);
  const specs = new Map(
    childSpecs(environment).map((spec) => [spec.name, isMovable ? withClock(spec, dataDir) : spec]),
  );
  const children = new Map<string, Child>();
  const stop = async () => {
    for (const name of ["executor", "app", "sandbox"]) await children.get(name)?.end();
    await database.close();
    await dropDatabase(options.serverUrl, `app_${id}`);
    rmSync(dataDir, { recursive: true, force: true });
  };
  try {
    await startEach([...specs.values()], children);
  } catch (error) {
    await stop();
    throw error;
  }
  return { ...addressesOf(environment), ...controlsOf(specs, children), moveClock: mover(database.db, dataDir), stop };
}

async function startEach(specs: ChildSpec[], children: Map<string, Child>): Promise<void> {
  const starts = specs.map(async (spec) => children.set(spec.name, await startChild(spec)));
  const failed = (await Promise.allSettled(starts)).find((result) => result.status === "rejected");
  if (failed) throw failed.reason;
}

function addressesOf({ ports, databaseUrl, dataDir, composition }: Environment) {
  const at = (port: number) => `http://127.0.0.1:${port}`;
  return {
    baseUrl: `http://localhost:${ports.app}`,
    pinterestUrl: at(ports.pinterest),
    openAiUrl: at(ports.openai),
    googleUrl: at(ports.google),
    paddleUrl: at(ports.paddle),
    inboxUrl: at(ports.inbox),
    executorUrl: at(ports.executor),
    databaseUrl,
    dataDir,
    env: composition.env,
  };
}

/** Processes reread their clock file after 5 ms (clock.mjs); this adds a margin. */
const clockRereadMs = 10;
const clockFile = (dataDir: string, name: string) => join(dataDir, `clock-${name}`);

/** Each process has its own clock file, so that a single clock can be wrong. */
function withClock(spec: ChildSpec, dataDir: string): ChildSpec {
  return { ...spec, env: { ...spec.env, ...clockEnvironment(clockFile(dataDir, spec.name)) } };
}

function mover(db: Database, dataDir: string): TestApp["moveClock"] {
  return async (offsetMs, only) => {
    const move = async (...names: ChildName[]) => {
      for (const name of names) moveClock(clockFile(dataDir, name), offsetMs);
      await delay(clockRereadMs);
    };
    if (only) return move(only);
    // The stand-ins move first, because they reject what is too early; the executor moves when the database agrees.
    await move("sandbox");
    await moveDatabaseClock(db, offsetMs);
    await move("app", "executor");
  };
}

function controlsOf(specs: Map<string, ChildSpec>, children: Map<string, Child>) {
  const named = <T>(map: Map<string, T>, name: ChildName): T => {
    const found = map.get(name);
    if (found === undefined) throw new Error(`This test app has no ${name}.`);
    return found;
  };
  return {
    pid: (name: ChildName) => named(children, name).pid,
    kill9: (name: ChildName) => named(children, name).kill(),
    terminate: (name: ChildName) => {
      const { pid, exited } = named(children, name);
      process.kill(pid, "SIGTERM");
      return exited;
    },
    restart: async (name: ChildName) => {
      await named(children, name).end();
      children.set(name, await startChild(named(specs, name)));
    },
  };
}

async function composeTestEnvironment(
  options: TestAppOptions,
  dataDir: string,
  databaseUrl: string,
): Promise<Environment> {
  const host = "127.0.0.1";
  const ports = await pickPorts();
  const composition = composeSettings({
    // Tests never query public name servers: links cannot be checked unless a test allows a host.
    given: { LINK_CHECK_NAME_SERVERS: "127.0.0.1:9", ...options.settings },
    secrets: createSecrets(),
    ports,
    host,
    databaseUrl,
    dataDir,
  });
  return {
    composition,
    ports,
    host,
    dataDir,
    databaseUrl,
    logFolder: join(dataDir, "logs"),
    distDir: options.distDir ?? testDistDir,
    latency: options.latency ?? { textMs: 30, imageMs: 60 },
    retryScale: options.retryScale ?? 0.02,
    extra: {
      TZ: testTimeZone,
      ...(options.certificateFile !== undefined && { NODE_EXTRA_CA_CERTS: options.certificateFile }),
    },
  };
}

async function pickPorts(): Promise<Ports> {
  const [app = 0, console = 0, pinterest = 0, openai = 0, inbox = 0, smtp = 0, executor = 0, paddle = 0, google = 0] =
    await freePorts(9);
  return { app, console, pinterest, openai, google, paddle, inbox, smtp, executor };
}
