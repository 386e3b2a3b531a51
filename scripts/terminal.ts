import { beginLocal, type LocalRun, type Mode } from "./local.ts";
import { type Environment, placesOf } from "./services.ts";

/** A second Ctrl-C within this time is the terminal's and npm's echo of the first. */
const echoMs = 1_500;

/** Runs the local environment until Ctrl-C, SIGTERM or the death of the parent, then drains and ends. */
export async function runLocal(mode: Mode): Promise<never> {
  const say = (line: string) => console.log(line);
  const stopping = stopWish();
  const run = beginLocal(mode, say);
  const outcome = await Promise.race([run.ready.catch(asError), stopping]);
  if (outcome instanceof Error) return endWithSentence(run, outcome);
  if (typeof outcome !== "string") announce(outcome, say);
  say(`${await stopping}: finishing what runs …`);
  await run.end();
  say("Stopped.");
  return process.exit(0);
}

async function endWithSentence(run: LocalRun, error: Error): Promise<never> {
  console.error(error.message);
  await run.end();
  return process.exit(1);
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

/** Resolves with the reason when we are to end; ends at once when asked a second time. */
function stopWish(): Promise<string> {
  return new Promise((resolve) => {
    let askedAt: number | undefined;
    const ask = (reason: string) => {
      if (askedAt === undefined) askedAt = performance.now();
      else if (performance.now() - askedAt > echoMs) process.exit(1);
      resolve(reason);
    };
    process.on("SIGINT", () => ask("Ctrl-C"));
    process.on("SIGTERM", () => ask("SIGTERM"));
    process.on("SIGHUP", () => ask("The terminal closed"));
    process.on("disconnect", () => ask("The parent process ended"));
    // A terminal that is gone must not end us before the children.
    process.stdout.on("error", () => {});
    process.stderr.on("error", () => {});
  });
}

function announce(environment: Environment, say: (line: string) => void): void {
  const { composition, ports } = environment;
  const rows = placesOf(environment).filter((place) => place.visit);
  say("");
  for (const { name, url } of rows) say(`  ${name.padEnd(18)} ${url}`);
  say(`  ${"Sandbox console".padEnd(18)} http://127.0.0.1:${ports.console}`);
  say("");
  const played = composition.standIns;
  say(
    `Ready. ${played.length > 0 ? `Stand-ins play: ${played.join(", ")}.` : "No stand-ins: every service is configured."} Ctrl-C stops.`,
  );
}
