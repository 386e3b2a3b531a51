import type { Engine } from "./engine.ts";
import { readFunctions } from "./functions.ts";
import { iso, isRecord, messageOf } from "./protocol.ts";

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
    if (!isAway || (registry.syncedAtMs !== undefined && registry.failure === undefined))
      engine.log(`executor: sync failed: ${failure}`);
    registry.failure = failure;
  }
}

/** Whether the app runs in signed mode and sends to this executor. */
function inspect(inspection: unknown, origins: readonly string[]): string[] {
  if (!isRecord(inspection)) return [];
  const problems: string[] = [];
  if (inspection.mode !== "cloud")
    problems.push("The app runs Inngest in dev mode and checks no signatures: INNGEST_DEV must be unset");
  for (const key of ["api_origin", "event_api_origin"]) {
    const origin = inspection[key];
    if (typeof origin === "string" && !origins.some((own) => isSameServer(origin, own))) {
      problems.push(`The app's "${key}" is ${origin}, but this executor is ${origins[0]}: set INNGEST_BASE_URL`);
    }
  }
  return problems;
}

function isSameServer(origin: string, ownOrigin: string): boolean {
  const [one, other] = [new URL(origin), new URL(ownOrigin)];
  const isLocal = (url: URL) => ["localhost", "127.0.0.1", "[::1]"].includes(url.hostname);
  const isEverywhere = ["0.0.0.0", "[::]"].includes(other.hostname);
  const isSameHost = one.hostname === other.hostname || isEverywhere || (isLocal(one) && isLocal(other));
  return one.port === other.port && isSameHost;
}

const DAY_MS = 86_400_000;
/** Few enough for one statement's time, however much there is in all. */
const BATCH = 1_000;

const OLD_RUNS = "delete from run where id = any(array(select id from run where ended_at < $1 limit $2))";
const OLD_EVENTS = `delete from event where id = any(array(
  select id from event where received_at < $1 and routed
    and not exists (select 1 from run where run.event_id = event.id) limit $2))`;

/** Deletes runs that ended more than `keepDays` ago, and events that old which no run is left of; in batches. */
export async function sweep({ db }: Engine, keepDays: number, signal: AbortSignal): Promise<void> {
  const before = iso(Date.now() - Math.max(keepDays, 1) * DAY_MS);
  for (const statement of [OLD_RUNS, OLD_EVENTS]) {
    let deleted: number | null = BATCH;
    while (deleted === BATCH && !signal.aborted) deleted = (await db.query(statement, [before, BATCH])).rowCount;
  }
}
