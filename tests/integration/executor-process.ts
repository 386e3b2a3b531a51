import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Inngest, InngestFunction } from "inngest";
import { onTestFinished } from "vitest";
import type { InngestOptions } from "#sandbox/inngest/server.ts";
import {
  type ExecutorQuery,
  queryExecutor,
  settingsFor,
  startApp,
  type TestApp,
  untilReady,
} from "./executor-harness.ts";

/** An executor process that can be killed and restarted at the same URL. */
interface ExecutorProcess {
  url: string;
  app: TestApp;
  settings: InngestOptions;
  query: ExecutorQuery;
  signal(name: NodeJS.Signals): Promise<void>;
  restart(): Promise<void>;
  /** Starts another executor on the same database with its own port; it ends with the test. */
  another(): Promise<{ url: string; signal(name: NodeJS.Signals): Promise<void> }>;
}

/** Starts an app in this process and its executor in another; both end with the test. */
export async function startExecutorProcess(
  databaseUrl: string,
  schema: string,
  define: (client: Inngest) => InngestFunction.Any[],
  environment: Record<string, string> = {},
): Promise<ExecutorProcess> {
  const app = await startApp(define);
  const settings = settingsFor(app, databaseUrl, schema);
  let child = await spawnExecutor(settings, environment);
  onTestFinished(() => end(child.process, "SIGKILL"));
  app.connectTo(child.url);
  await untilReady(child.url);
  settings.port = Number(new URL(child.url).port);
  return {
    url: child.url,
    app,
    settings,
    query: queryExecutor(settings.databaseUrl, schema),
    signal: (name) => end(child.process, name),
    restart: async () => {
      child = await spawnExecutor(settings, environment);
    },
    another: async () => {
      const second = await spawnExecutor({ ...settings, port: 0 }, environment);
      onTestFinished(() => end(second.process, "SIGKILL"));
      await untilReady(second.url);
      return { url: second.url, signal: (name) => end(second.process, name) };
    },
  };
}

async function spawnExecutor(settings: InngestOptions, environment: Record<string, string>) {
  const script = join(import.meta.dirname, "executor-child.ts");
  const child = spawn(process.execPath, [script, JSON.stringify(settings)], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, ...environment },
  });
  for await (const line of createInterface({ input: child.stdout })) return { process: child, url: line };
  throw new Error("The executor ended before it was listening");
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise((resolve) => child.once("exit", resolve));
  child.kill(signal);
  await exited;
}
