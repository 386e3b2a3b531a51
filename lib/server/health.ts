import "server-only";
import { composeContext, isDatabaseMigrated } from "#lib/composition.ts";
import { sharedResult } from "#lib/core/concurrency.ts";
import { codeOf, messageOf } from "#lib/core/errors.ts";
import { createWideEvent, writeEvent } from "#lib/core/log.ts";
import { SECOND_MS } from "#lib/core/time.ts";
import { env } from "#lib/env.ts";
import type { UptimeReport } from "#lib/features/health/schema.ts";
import { readUptime } from "#lib/features/health/uptime.ts";
import { findStorageOutage } from "#lib/features/pins/storage-outages.ts";

type Check = { ok: true } | { ok: false; problem: string };

interface Health {
  live: true;
  /** Can serve requests: database and migrations. */
  ready: boolean;
  /** Serves requests, but generating and publishing wait for the engine or the storage. */
  degraded: boolean;
  checks: { database: Check; migrations: Check; engine: Check; storage: Check };
}

const CLOUD_EVENTS = "https://inn.gs";

const checkEngine = async (): Promise<Check> => {
  try {
    // Any response shows that the engine is reachable.
    await fetch(env().INNGEST_BASE_URL ?? CLOUD_EVENTS, { signal: AbortSignal.timeout(3_000), redirect: "manual" });
    return { ok: true };
  } catch (error) {
    return { ok: false, problem: `The durable engine is not responding (${codeOf(error)}).` };
  }
};

/** As recorded by the last check of the minute job, so that probes cost the storage nothing. */
const checkStorageRecord = async (): Promise<Check> => {
  const outage = await findStorageOutage(composeContext({ kind: "visitor", address: "" }, createWideEvent()));
  return outage ? { ok: false, problem: `The image storage is not available (${outage.problem}).` } : { ok: true };
};

const checkDatabase = async (): Promise<Pick<Health["checks"], "database" | "migrations" | "storage">> => {
  try {
    if (!(await isDatabaseMigrated())) {
      const problem = "The database schema is older than this version.";
      return { database: { ok: true }, migrations: { ok: false, problem }, storage: { ok: false, problem: "unknown" } };
    }
    return { database: { ok: true }, migrations: { ok: true }, storage: await checkStorageRecord() };
  } catch (error) {
    const unknown: Check = { ok: false, problem: "unknown" };
    const problem = `The database is not responding (${codeOf(error)}).`;
    return { database: { ok: false, problem }, migrations: unknown, storage: unknown };
  }
};

const HEALTH_CACHE_MS = 5 * SECOND_MS;

/** Also when it doesn't respond, so that probes don't add up while they wait for it. */
export const readEngine = sharedResult({ load: checkEngine, keepMs: () => HEALTH_CACHE_MS });

/** Every open page asks once a minute. */
const readDatabase = sharedResult({ load: checkDatabase, keepMs: () => SECOND_MS });

/** Asks the database at most every second, and the engine at most every 5 seconds. */
export const checkHealth = async (): Promise<Health> => {
  const [fromDatabase, engine] = await Promise.all([readDatabase(), readEngine()]);
  const checks = { ...fromDatabase, engine };
  const ready = checks.database.ok && checks.migrations.ok;
  return { live: true, ready, degraded: ready && !(checks.engine.ok && checks.storage.ok), checks };
};

/** `uptime` is null when the records cannot be read. */
interface Status {
  health: Health;
  checkedAt: string;
  uptime: UptimeReport | null;
}

const UPTIME_CACHE_MS = 30 * SECOND_MS;

const measure = async (): Promise<UptimeReport | null> => {
  try {
    return await readUptime(composeContext({ kind: "visitor", address: "" }, createWideEvent()));
  } catch (error) {
    const log = createWideEvent({ at: new Date().toISOString(), page: "/status" });
    log.set({ problem: messageOf(error) });
    writeEvent(log);
    return null;
  }
};

const uptime = sharedResult({ load: measure, keepMs: (report) => (report ? UPTIME_CACHE_MS : HEALTH_CACHE_MS) });
/** Keeps traffic of the public page from the database. */
const seen = sharedResult({
  load: async () => ({ health: await checkHealth(), checkedAt: new Date().toISOString() }),
  keepMs: () => HEALTH_CACHE_MS,
});

/** Never throws. */
export const readStatus = async (): Promise<Status> => {
  const [now, measured] = await Promise.all([seen(), uptime()]);
  return { ...now, uptime: measured };
};
