/**
 * `node sandbox/main.ts --services pinterest,openai,google,paddle,email,console --data DIR`, with options as in options.ts.
 * Sends "ready" to its parent once all are serving; exits when the parent's IPC channel closes.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { SandboxOptions } from "./options.ts";

interface Running {
  close(): Promise<void>;
}

/** The parent's reaper stops this process in order; this is the fallback if the reaper is gone too. */
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
  const { host, pinterest, openai, google, paddle, email, inngest, console } = options;
  const base = { host, dataDir: join(options.dataDir, service) };
  mkdirSync(base.dataDir, { recursive: true });
  if (service === "pinterest" && pinterest)
    return (await import("./pinterest/server.ts")).startPinterest({ ...base, ...pinterest });
  if (service === "openai" && openai) return (await import("./openai/server.ts")).startOpenAi({ ...base, ...openai });
  if (service === "google" && google) return (await import("./google/server.ts")).startGoogle({ ...base, ...google });
  if (service === "paddle" && paddle) return (await import("./paddle/server.ts")).startPaddle({ ...base, ...paddle });
  if (service === "email" && email) return (await import("./email/server.ts")).startEmail({ ...base, ...email });
  if (service === "inngest" && inngest) return (await import("./inngest/server.ts")).startInngest({ host, ...inngest });
  if (service === "console" && console) return (await import("./console/server.ts")).startConsole({ host, ...console });
  throw new Error(`There is no stand-in named "${service}", or SANDBOX_OPTIONS has no options for it.`);
}

function readOptions(json: string | undefined, dataDir: string | undefined): SandboxOptions {
  const given: Partial<SandboxOptions> = JSON.parse(json ?? "{}");
  const folder = dataDir ?? given.dataDir;
  if (!folder) throw new Error("The stand-ins need a data folder: --data DIR");
  return { ...given, host: given.host ?? "127.0.0.1", dataDir: folder };
}
