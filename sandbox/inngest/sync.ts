import type { Engine } from "./engine.ts";
import { readFunctions } from "./functions.ts";
import { isRecord, messageOf } from "./protocol.ts";

/**
 * Fetches the app's functions and uses them if all are supported. Never throws: the registry holds the problems, and
 * each new one is logged.
 * @param ownOrigins where the executor is reached. The app must send its events there, or to another executor on the
 *   same database.
 */
export async function syncOnce(engine: Engine, ownOrigins: readonly string[], signal: AbortSignal): Promise<void> {
  const { registry } = engine;
  try {
    const payload = await engine.app.sync(signal);
    const { functions, problems } = readFunctions(payload.functions);
    const { rows } = await engine.db.query<{ url: string }>("select url from worker");
    const all = [...problems, ...inspect(payload.inspection, [...ownOrigins, ...rows.map((row) => row.url)])];
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
    const isUnreachable = error instanceof Error && "code" in error;
    // An app that has not started yet is expected; other failures are logged, and so is an app that went away.
    if (!isUnreachable || (registry.syncedAtMs !== undefined && registry.failure === undefined)) {
      engine.log(`executor: sync failed: ${failure}`);
    }
    registry.failure = failure;
  }
}

/** Checks that the app runs in signed mode and sends its events to one of these executors; the first is this one. */
function inspect(inspection: unknown, origins: readonly string[]): string[] {
  if (!isRecord(inspection)) return [];
  const isOurs = (origin: unknown) =>
    typeof origin !== "string" || origins.some((own) => isSameServer(new URL(origin), new URL(own)));
  const elsewhere = ["api_origin", "event_api_origin"].filter((key) => !isOurs(inspection[key]));
  return [
    ...(inspection.mode === "cloud"
      ? []
      : ["The app runs Inngest in dev mode and does not check signatures: unset INNGEST_DEV"]),
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
