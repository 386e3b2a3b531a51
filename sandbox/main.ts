/**
 * Runs stand-ins in one process:
 *   node sandbox/main.ts --services pinterest,openai,paddle,mail,console --data DIR
 * Their options come as JSON in SANDBOX_OPTIONS (see options.ts). Says "ready" to its parent when all serve, and ends
 * on SIGTERM, on Ctrl-C, or when the parent's channel closes.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { SandboxOptions } from "./options.ts";

interface Running {
  close(): Promise<void>;
}

/** The parent's reaper ends us in order; should it be gone too, we end by ourselves. */
const orphanGraceMs = 15_000;

const { values } = parseArgs({ options: { services: { type: "string" }, data: { type: "string" } } });
const options = readOptions(process.env.SANDBOX_OPTIONS, values.data);
const names = (values.services ?? "").split(",").filter(Boolean);
const running = await startAll(names);
let closing: Promise<void> | undefined;

for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => void shutDown());
process.on("disconnect", () => setTimeout(shutDown, orphanGraceMs).unref());
process.send?.("ready");
console.log(`ready: ${names.join(", ")}`);

function shutDown(): Promise<void> {
  closing ??= Promise.all(running.map((standIn) => standIn.close())).then(() => process.exit(0));
  return closing;
}

async function startAll(services: string[]): Promise<Running[]> {
  const started: Running[] = [];
  for (const service of services) started.push(await start(service));
  return started;
}

async function start(service: string): Promise<Running> {
  const base = { host: options.host, dataDir: join(options.dataDir, service) };
  mkdirSync(base.dataDir, { recursive: true });
  switch (service) {
    case "pinterest": {
      const { startPinterest } = await import("./pinterest/server.ts");
      return startPinterest({ ...base, ...needed(options.pinterest, service) });
    }
    case "openai": {
      const { startOpenAi } = await import("./openai/server.ts");
      return startOpenAi({ ...base, ...needed(options.openai, service) });
    }
    case "paddle": {
      const { startPaddle } = await import("./paddle/server.ts");
      return startPaddle({ ...base, ...needed(options.paddle, service) });
    }
    case "mail": {
      const { startMail } = await import("./mail/server.ts");
      return startMail({ ...base, ...needed(options.mail, service) });
    }
    case "inngest": {
      const { startInngest } = await import("./inngest/server.ts");
      return startInngest({ host: options.host, ...needed(options.inngest, service) });
    }
    case "console": {
      const { startConsole } = await import("./console/server.ts");
      return startConsole({ host: options.host, ...needed(options.console, service) });
    }
    default:
      throw new Error(`There is no stand-in called "${service}".`);
  }
}

function needed<T>(given: T | undefined, service: string): T {
  if (given === undefined) throw new Error(`SANDBOX_OPTIONS says nothing about "${service}".`);
  return given;
}

function readOptions(json: string | undefined, dataDir: string | undefined): SandboxOptions {
  const given: Partial<SandboxOptions> = JSON.parse(json ?? "{}");
  const folder = dataDir ?? given.dataDir;
  if (!folder) throw new Error("The stand-ins need a folder: --data DIR");
  return { ...given, host: given.host ?? "127.0.0.1", dataDir: folder };
}
