import { randomBytes } from "node:crypto";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { openDatabase } from "#db/client.ts";
import { migrateDatabase } from "#db/migrate.ts";
import { buildContainer, type Container, contextIn } from "#lib/composition.ts";
import type { FullCtx } from "#lib/context.ts";
import { createWideEvent } from "#lib/core/log.ts";
import { parseEnv } from "#lib/env.ts";
import { composeSettings, type Ports, type Variables } from "#scripts/compose.ts";
import { createDatabase } from "#scripts/postgres.ts";
import type { ChildSpec } from "#scripts/processes.ts";
import { inRepository } from "#scripts/root.ts";
import { childSpecs, type Environment } from "#scripts/services.ts";
import { createSecrets } from "#scripts/settings-file.ts";
import { testDistDir } from "#tests/support/app.ts";
import { type AppClient, clientOf } from "#tests/support/app-client.ts";
import { attachDatabaseClock, installDatabaseClock, moveDatabaseClock } from "#tests/support/database-clock.ts";
import { freePorts } from "#tests/support/free-ports.ts";
import { controlPinterest, type PinterestControl } from "#tests/support/pinterest.ts";
import { delay, within } from "./bounded.ts";
import { type Clocks, createClocks } from "./clocks.ts";
import { type DatabaseServer, startDatabaseServer } from "./database-server.ts";
import { type HttpProxy, startHttpProxy } from "./http-proxy.ts";
import { type PgProxy, startPgProxy } from "./pg-proxy.ts";
import { createProcesses, type Processes } from "./processes.ts";
import { reading } from "./requests.ts";
import { openShape, type Shape } from "./shape.ts";

/** The proxies between the product and its services. */
export interface Proxies {
  appDatabase: PgProxy;
  executorDatabase: PgProxy;
  pinterest: HttpProxy;
  openAi: HttpProxy;
}

/** A running product in which everything can be made to fail. */
export interface TestStack {
  /** Origin of the app, or of the proxy in front of its instances. */
  baseUrl: string;
  shape: Pick<Shape, "instances" | "balancer">;
  client: AppClient;
  pinterest: PinterestControl;
  openAiUrl: string;
  executorUrl: string;
  processes: Processes;
  proxies: Proxies;
  postgres: DatabaseServer;
  clocks: Clocks;
  /** An operator's context: directly on the database, through the proxy to Pinterest. */
  ctx: FullCtx;
  storageDir: string;
  dataDir: string;
  close(): Promise<void>;
}

/** Upload timeout for tests; the real one is a minute. */
const PINTEREST_TIMEOUT_SECONDS = 5;
const host = "127.0.0.1";

interface StackPorts extends Ports {
  executor2: number;
  postgres: number;
  instances: number[];
}

const pickPorts = async (): Promise<StackPorts> => {
  const [app = 0, console = 0, pinterest = 0, openai = 0, inbox = 0, ...others] = await freePorts(13);
  const [smtp = 0, executor = 0, executor2 = 0, postgres = 0, paddle = 0, google = 0, ...instances] = others;
  return { app, console, pinterest, openai, google, paddle, inbox, smtp, executor, executor2, postgres, instances };
};

const through = (url: string, port: number): string => {
  const changed = new URL(url);
  changed.port = String(port);
  return changed.href;
};

/** A second executor on the same database, on its own port; the app keeps sending to the first one. */
const secondExecutor = (
  spec: ChildSpec,
  { executor, executor2 }: { executor: number; executor2: number },
): ChildSpec => {
  const options = JSON.parse(spec.env.SANDBOX_OPTIONS ?? "{}");
  const inngest = { ...options.inngest, port: executor2, publicUrl: `http://${host}:${executor}` };
  const SANDBOX_OPTIONS = JSON.stringify({ ...options, inngest });
  return { ...spec, name: "executor2", env: { ...spec.env, SANDBOX_OPTIONS } };
};

interface Opened {
  close(): Promise<void>;
}

interface StackOptions {
  /** Where the clocks start. */
  begin: Date;
  /** Keeps database, images and logs. */
  keep: boolean;
  /** How many processes of the app run: 1 or 2. */
  instances: number;
}

/** Starts everything; closes what was started if a part fails. */
export async function startStack(options: StackOptions): Promise<TestStack> {
  const opened: Opened[] = [];
  const closeAll = async () => {
    const problems: unknown[] = [];
    for (const item of opened.reverse().splice(0)) {
      await within(item.close(), 60_000, "a part of the stack to close").catch((error) => problems.push(error));
    }
    if (problems.length > 0) throw new AggregateError(problems, "Could not close everything.");
  };
  try {
    return { ...(await build(options, opened)), close: closeAll };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

async function build({ begin, keep, instances }: StackOptions, opened: Opened[]): Promise<Omit<TestStack, "close">> {
  const id = randomBytes(4).toString("hex");
  const dataDir = inRepository(".test", `app-${process.pid}-${id}`);
  mkdirSync(dataDir, { recursive: true });
  if (!keep) opened.push({ close: async () => rmSync(dataDir, { recursive: true, force: true }) });
  const ports = await pickPorts();
  const folder = inRepository(".test", `postgres-${process.pid}-${id}`);
  const postgres = await startDatabaseServer(folder, ports.postgres, keep);
  opened.push(postgres);
  const databaseUrl = await within(createDatabase(postgres.url, "evertack"), 30_000, "a database");
  await within(migrateDatabase(databaseUrl), 60_000, "the migrations");
  await within(installDatabaseClock(databaseUrl), 30_000, "the database's clock");
  await within(attachDatabaseClock(databaseUrl), 30_000, "the database's clock");
  const direct = openDatabase(databaseUrl, 2);
  opened.push(direct);
  const clocks = createClocks(join(dataDir, "clocks"), begin, (ms) => reading(() => moveDatabaseClock(direct.db, ms)));
  await clocks.begin();
  const proxies = await openProxies(ports, postgres, clocks, opened);
  const shape = await openShape(instances, {
    publicPort: ports.app,
    instancePorts: ports.instances,
    dataDir,
    opened,
  });
  const { specs, env } = compose({ ports, proxies, databaseUrl, dataDir, clocks, shape });
  const processes = createProcesses(specs);
  opened.push(processes);
  await Promise.all(specs.filter(({ name }) => name !== "executor2").map(({ name }) => processes.start(name)));
  const harness = buildContainer(parseEnv({ ...env, DATABASE_URL: databaseUrl }));
  opened.push({ close: () => harness.database.close() });
  const at = (port: number) => `http://${host}:${port}`;
  const baseUrl = `http://localhost:${ports.app}`;
  return {
    baseUrl,
    shape,
    client: clientOf({
      baseUrl,
      pinterestUrl: at(ports.pinterest),
      databaseUrl,
      env,
      now: () => operatorIn(harness, clocks).now(),
    }),
    pinterest: controlPinterest(at(ports.pinterest)),
    openAiUrl: at(ports.openai),
    executorUrl: at(ports.executor),
    processes,
    proxies,
    postgres,
    clocks,
    ctx: operatorIn(harness, clocks),
    storageDir: join(dataDir, "storage"),
    dataDir,
  };
}

const operatorIn = (harness: Container, clocks: Clocks): FullCtx =>
  contextIn({ ...harness, now: clocks.now }, { kind: "job", name: "operator" }, createWideEvent());

async function openProxies(ports: Ports, postgres: DatabaseServer, clocks: Clocks, opened: Opened[]): Promise<Proxies> {
  const target = () => postgres.port;
  const proxies = {
    appDatabase: await startPgProxy(target),
    executorDatabase: await startPgProxy(target),
    pinterest: await startHttpProxy(`http://${host}:${ports.pinterest}`, clocks.now),
    openAi: await startHttpProxy(`http://${host}:${ports.openai}`, clocks.now),
  };
  opened.push(...Object.values(proxies));
  return proxies;
}

interface Parts {
  ports: Ports & { executor2: number };
  proxies: Proxies;
  databaseUrl: string;
  dataDir: string;
  clocks: Clocks;
  shape: Shape;
}

function compose({ ports, proxies, databaseUrl, dataDir, clocks, shape }: Parts): {
  specs: ChildSpec[];
  env: Variables;
} {
  const composition = composeSettings({
    given: {
      RATE_LIMIT_FACTOR: "1000",
      PINTEREST_TIMEOUT_SECONDS: String(PINTEREST_TIMEOUT_SECONDS),
      ...shape.settings,
    },
    secrets: createSecrets(),
    ports,
    host,
    databaseUrl: through(databaseUrl, proxies.appDatabase.port),
    dataDir,
  });
  Object.assign(composition.env, {
    PINTEREST_API_URL: `${proxies.pinterest.url}/v5`,
    OPENAI_BASE_URL: `${proxies.openAi.url}/v1`,
  });
  const environment: Environment = {
    composition,
    ports,
    host,
    dataDir,
    databaseUrl: through(databaseUrl, proxies.executorDatabase.port),
    logFolder: join(dataDir, "logs"),
    distDir: testDistDir,
    latency: { textMs: 20, imageMs: 40 },
    retryScale: 0.02,
    extra: { TZ: "Asia/Kathmandu" },
  };
  const others = childSpecs(environment).filter(({ name }) => name !== "app");
  const plain = [...others, ...shape.specsOf(environment)];
  const executor = plain.find(({ name }) => name === "executor");
  const all = executor ? [...plain, secondExecutor(executor, ports)] : plain;
  const specs = all.map((spec) => ({ ...spec, env: { ...spec.env, ...clocks.environmentOf(spec.name) } }));
  return { specs, env: composition.env };
}

export { delay };
