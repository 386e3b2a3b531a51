import type { Engine } from "./engine.ts";
import { readFunctions } from "./functions.ts";
import { isRecord, messageOf } from "./protocol.ts";

/**
 * Asks the app for its functions and takes them over if all of them can be kept to. Never throws: the registry says
 * what is wrong, and each new problem is logged.
 * @param ownOrigins where the executor is reached. The app must send its events there, or to another executor that
 *   works on the same database.
 */
export async function syncOnce(engine: Engine, ownOrigins: readonly string[], signal: AbortSignal): Promise<void> {
  const { registry } = engine;
  try {
    const answer = await engine.app.sync(signal);
    const { functions, problems } = readFunctions(answer.functions);
    const { rows } = await engine.db.query<{ url: string }>("select url from worker");
    const all = [...problems, ...inspect(answer.inspection, [...ownOrigins, ...rows.map((row) => row.url)])];
    for (const problem of all) engine.log(`executor: NOT READY: ${problem}`);
    if (all.length === 0) {
      if (registry.syncedAtMs === undefined) engine.log(`executor: synced ${functions.size} functions`);
      registry.functions = functions;
      registry.syncedAtMs = Date.now();
    }
    registry.problems = all;
    registry.failure = undefined;
  } catch (error) {
    const failure = messageOf(error);
    const isAway = error instanceof Error && "code" in error;
    // An app that is not there yet is no news; anything else is, and so is an app that went away.
    if (!isAway || (registry.syncedAtMs !== undefined && registry.failure === undefined)) {
      engine.log(`executor: sync failed: ${failure}`);
    }
    registry.failure = failure;
  }
}

/** Whether the app runs in signed mode and sends to one of these executors; the first one is this. */
function inspect(inspection: unknown, origins: readonly string[]): string[] {
  if (!isRecord(inspection)) return [];
  const isOurs = (origin: unknown) =>
    typeof origin !== "string" || origins.some((own) => isSameServer(new URL(origin), new URL(own)));
  const elsewhere = ["api_origin", "event_api_origin"].filter((key) => !isOurs(inspection[key]));
  return [
    ...(inspection.mode === "cloud"
      ? []
      : ["The app runs Inngest in dev mode and checks no signatures: INNGEST_DEV must be unset"]),
    ...elsewhere.map(
      (key) => `The app's "${key}" is ${inspection[key]}, but this executor is ${origins[0]}: set INNGEST_BASE_URL`,
    ),
  ];
}

function isSameServer(origin: URL, own: URL): boolean {
  const isLocal = (url: URL) => ["localhost", "127.0.0.1", "[::1]"].includes(url.hostname);
  const isEverywhere = ["0.0.0.0", "[::]"].includes(own.hostname);
  const isSameHost = origin.hostname === own.hostname || isEverywhere || (isLocal(origin) && isLocal(own));
  return origin.port === own.port && isSameHost;
}
