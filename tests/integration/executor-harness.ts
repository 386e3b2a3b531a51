import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { Inngest, type InngestFunction } from "inngest";
import { serve } from "inngest/node";
import pg from "pg";
import { onTestFinished, vi } from "vitest";
import type { RunReport } from "#sandbox/inngest/reports.ts";
import { type InngestOptions, startInngest } from "#sandbox/inngest/server.ts";
import { type PollOptions, until as pollUntil } from "#tests/support/poll.ts";

// Generous, because machines may be slow.
vi.setConfig({ testTimeout: 150_000 });

/** Polls with a timeout for slow machines. */
export const until = <T>(attempt: () => T | Promise<T>, options: PollOptions = {}): Promise<NonNullable<T>> =>
  pollUntil(attempt, { deadlineMs: 40_000, ...options });

export const EVENT_KEY = "test-event-key";
export const SIGNING_KEY = "a1b2".repeat(16);
const silent = { info() {}, warn() {}, error() {}, debug() {} };

/** The executor's app: a plain Node server with the real SDK. */
export interface TestApp {
  url: string;
  client: Inngest;
  /** `fnId stepId` of each call, in order of arrival. */
  calls: string[];
  /** Cuts all connections and stops listening, like a killed app. */
  down(): Promise<void>;
  up(): Promise<void>;
}

type Define = (client: Inngest) => InngestFunction.Any[];

/** Starts an app; `connectTo` sets the executor that its SDK uses. */
export async function startApp(define: Define): Promise<TestApp & { connectTo(executorUrl: string): void }> {
  let handler = (_request: IncomingMessage, response: ServerResponse): unknown => response.writeHead(503).end();
  let client: Inngest | undefined;
  const calls: string[] = [];
  const listen = async (port: number): Promise<Server> => {
    const server = createServer((request, response) => {
      const query = new URL(request.url ?? "", "http://app").searchParams;
      if (request.method === "POST") calls.push(`${query.get("fnId")} ${query.get("stepId")}`);
      void handler(request, response);
    });
    await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
    return server;
  };
  let server = await listen(0);
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The app has no port");
  const down = async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  };
  onTestFinished(down);
  return {
    url: `http://127.0.0.1:${address.port}/api/inngest`,
    get client() {
      if (client === undefined) throw new Error("The app is not connected to an executor yet");
      return client;
    },
    calls,
    connectTo(executorUrl) {
      client = new Inngest({
        id: "app",
        isDev: false,
        baseUrl: executorUrl,
        eventKey: EVENT_KEY,
        signingKey: SIGNING_KEY,
        logger: silent,
      });
      handler = serve({ client, functions: define(client), enableUnauthedSync: false });
    },
    down,
    up: async () => {
      server = await listen(address.port);
    },
  };
}

/** Settings of an executor under test: the real delays, two hundred times shorter. */
export function settingsFor(app: { url: string }, databaseUrl: string, schema: string): InngestOptions {
  return {
    port: 0,
    host: "127.0.0.1",
    databaseUrl,
    schema,
    appUrl: app.url,
    eventKey: EVENT_KEY,
    signingKey: SIGNING_KEY,
    retryScale: 0.005,
    retryJitterSeconds: 0,
    syncIntervalMs: 250,
  };
}

/** An app with its executor. Both end with the test. */
export interface Harness {
  app: TestApp;
  url: string;
  settings: InngestOptions;
  log: string[];
  /** Queries the executor's tables. */
  query<Row extends pg.QueryResultRow>(sql: string, values?: unknown[]): Promise<Row[]>;
  close(): Promise<void>;
}

let schemas = 0;

/** Starts an app with these functions and its own executor, and waits for the sync. */
export async function startHarness(
  databaseUrl: string,
  define: Define,
  options: Partial<InngestOptions> = {},
): Promise<Harness> {
  schemas += 1;
  const app = await startApp(define);
  const log: string[] = [];
  const settings = { ...settingsFor(app, databaseUrl, `executor_${schemas}`), ...options };
  const executor = await startInngest({ ...settings, log: (line) => log.push(line) });
  onTestFinished(() => executor.close());
  app.connectTo(executor.url);
  await untilReady(executor.url);
  return {
    app,
    url: executor.url,
    settings,
    log,
    query: queryExecutor(databaseUrl, settings.schema),
    close: () => executor.close(),
  };
}

export type ExecutorQuery = Harness["query"];

/** Returns a function that queries the executor's tables. */
export function queryExecutor(databaseUrl: string, schema = "executor"): ExecutorQuery {
  const pool = new pg.Pool({ connectionString: databaseUrl, options: `-c search_path=${schema}`, max: 2 });
  pool.on("error", () => undefined);
  onTestFinished(() => pool.end());
  return async (sql, values = []) => (await pool.query(sql, values)).rows;
}

export async function untilReady(url: string): Promise<void> {
  await until(async () => (await fetch(`${url}/health`)).ok, {
    what: "the executor to be ready",
    deadlineMs: 30_000,
    everyMs: 20,
  });
}

/** A function's newest runs from `/v1/runs`. */
export async function runsOf(url: string, functionId: string): Promise<RunReport[]> {
  const answer: { runs: RunReport[] } = await (await fetch(`${url}/v1/runs?limit=500`)).json();
  return answer.runs.filter((run) => run.functionId === `app-${functionId}`);
}

/** Waits until `count` runs of the function have ended, and returns all its runs. */
export function untilEnded(url: string, functionId: string, count = 1, deadlineMs = 60_000): Promise<RunReport[]> {
  const what = `${count} runs of ${functionId} to end`;
  return until(
    async () => {
      const runs = await runsOf(url, functionId);
      return runs.length >= count && runs.every((run) => run.status !== "running") ? runs : undefined;
    },
    { what, deadlineMs, everyMs: 25 },
  );
}
