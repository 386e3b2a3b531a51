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
  /** The tests' PostgreSQL server; a database of its own is cloned from the template. */
  serverUrl: string;
  /** Settings that win over the composed ones, e.g. `{ RATE_LIMIT_FACTOR: "1" }`. */
  settings?: Variables;
  latency?: { textMs: number; imageMs: number };
  /** Multiplies the durable engine's pauses between attempts. */
  retryScale?: number;
  /** A certificate that it trusts besides the world's. */
  certificateFile?: string;
  /** The build to run, where it is not the one that all tests share. */
  distDir?: string;
  /** `real`: nothing stands before `Date` and the database's `now()`, as outside of tests; such clocks do not move. */
  clock?: "movable" | "real";
};

/** A built product that runs for tests on ports of its own, with a clock that tests move. */
export type TestApp = {
  /** Origin of the app, e.g. `http://localhost:41234`; the one of its cookies and redirects. */
  baseUrl: string;
  pinterestUrl: string;
  openAiUrl: string;
  /** Origin of the payment stand-in. */
  paddleUrl: string;
  /** Web origin of the mail catcher (`/api/messages?to=`). */
  inboxUrl: string;
  executorUrl: string;
  databaseUrl: string;
  dataDir: string;
  env: Variables;
  pid(name: ChildName): number;
  /** kill -9, and waits until it is gone. Nothing starts it again but `restart`. */
  kill9(name: ChildName): Promise<void>;
  /** Tells it to end (SIGTERM), and waits for that. @returns how it ended: `with code 0`, `by SIGKILL` … */
  terminate(name: ChildName): Promise<string>;
  /** Ends it if it runs, starts it on the same ports and data, waits until it is ready. */
  restart(name: ChildName): Promise<void>;
  /**
   * Moves the clocks of all processes and the database's to so many milliseconds ahead of the real time; with `only`
   * the clock of that one process, and no other.
   */
  moveClock(offsetMs: number, only?: ChildName): Promise<void>;
  stop(): Promise<void>;
};

/** The build that tests run on, apart from a running instance's. */
export const testDistDir = ".next-test";
const testTimeZone = "Asia/Kathmandu";

/** Builds the product for tests unless this very source is built. */
export async function ensureTestBuild(): Promise<void> {
  const logFile = inRepository(".test", "logs", "build.log");
  await ensureBuild({ distDir: testDistDir, settings: {}, logFile }, () => console.log("Building for the tests …"));
}

/** Starts app, executor and stand-ins (about 2 s), each tied to the life of this process. Call {@link ensureTestBuild} first. */
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
    paddleUrl: at(ports.paddle),
    inboxUrl: at(ports.inbox),
    executorUrl: at(ports.executor),
    databaseUrl,
    dataDir,
    env: composition.env,
  };
}

/** A process reads its clock's file again after 20 ms (clock.mjs), with something to spare. */
const clockRereadMs = 40;
const clockFile = (dataDir: string, name: string) => join(dataDir, `clock-${name}`);

/** Each process has a clock of its own, so that one of them can be wrong. */
function withClock(spec: ChildSpec, dataDir: string): ChildSpec {
  return { ...spec, env: { ...spec.env, ...clockEnvironment(clockFile(dataDir, spec.name)) } };
}

function mover(db: Database, dataDir: string): TestApp["moveClock"] {
  return async (offsetMs, only) => {
    const move = (name: ChildName) => moveClock(clockFile(dataDir, name), offsetMs);
    if (only) return move(only);
    // Who judges what came too early moves first; who wakes runs moves last, when the database knows what is due.
    move("sandbox");
    await delay(clockRereadMs);
    await moveDatabaseClock(db, offsetMs);
    move("app");
    move("executor");
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
    // No test asks the name servers of the world: links of pins cannot be checked, unless a test opens a place.
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
  const [app = 0, console = 0, pinterest = 0, openai = 0, inbox = 0, smtp = 0, executor = 0, paddle = 0] =
    await freePorts(8);
  return { app, console, pinterest, openai, paddle, inbox, smtp, executor };
}
