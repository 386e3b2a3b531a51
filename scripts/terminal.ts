import { beginLocal, type LocalRun, type Mode } from "./local.ts";
import { consoleEntries, type Environment, runsConsole } from "./services.ts";

/** A second Ctrl-C within this time is an echo of the first by the terminal and npm. */
const repeatWindowMs = 1_500;

/** Runs the local environment until Ctrl-C, SIGTERM or the end of the parent, then shuts down. */
export async function runLocal(mode: Mode): Promise<never> {
  const log = (line: string) => console.log(line);
  const stopping = waitForStopRequest();
  const run = beginLocal(mode, log);
  const outcome = await Promise.race([run.ready.catch(asError), stopping]);
  if (outcome instanceof Error) return endWithMessage(run, outcome);
  if (typeof outcome !== "string") announce(outcome, log);
  log(`${await stopping}: shutting down…`);
  await run.end();
  log("Stopped.");
  return process.exit(0);
}

async function endWithMessage(run: LocalRun, error: Error): Promise<never> {
  console.error(error.message);
  await run.end();
  return process.exit(1);
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

/** Resolves with the reason to stop. Exits immediately on a second request. */
function waitForStopRequest(): Promise<string> {
  return new Promise((resolve) => {
    let requestedAt: number | undefined;
    const request = (reason: string) => {
      if (requestedAt === undefined) requestedAt = performance.now();
      else if (performance.now() - requestedAt > repeatWindowMs) process.exit(1);
      resolve(reason);
    };
    process.on("SIGINT", () => request("Ctrl-C"));
    process.on("SIGTERM", () => request("SIGTERM"));
    process.on("SIGHUP", () => request("The terminal closed"));
    process.on("disconnect", () => request("The parent process ended"));
    // A closed terminal must not end this process before its children.
    process.stdout.on("error", () => {});
    process.stderr.on("error", () => {});
  });
}

function announce(environment: Environment, log: (line: string) => void): void {
  const { composition, ports } = environment;
  const rows = consoleEntries(environment).filter((entry) => entry.visit);
  log("");
  for (const { name, url } of rows) log(`  ${name.padEnd(18)} ${url}`);
  if (runsConsole(environment)) log(`  ${"Sandbox console".padEnd(18)} http://127.0.0.1:${ports.console}`);
  log("");
  const { standIns } = composition;
  log(
    `Ready. ${standIns.length > 0 ? `Using stand-ins for: ${standIns.join(", ")}.` : "No stand-ins: every service is configured."} Press Ctrl-C to stop.`,
  );
}
