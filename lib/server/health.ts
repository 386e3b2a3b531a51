import "server-only";
import { composeContext, isDatabaseMigrated } from "#lib/composition.ts";
import { sharedResult } from "#lib/core/concurrency.ts";
import { messageOf } from "#lib/core/errors.ts";
import { createWideEvent, writeEvent } from "#lib/core/log.ts";
import { SECOND_MS } from "#lib/core/time.ts";
import { env } from "#lib/env.ts";
import type { UptimeReport } from "#lib/features/health/schema.ts";
import { readUptime } from "#lib/features/health/uptime.ts";

type Check = { ok: true } | { ok: false; problem: string };

interface Health {
  live: true;
  ready: boolean;
  checks: { database: Check; migrations: Check; engine: Check };
}

/** The full message could expose addresses and queries. */
const codeOf = (thrown: unknown): string => {
  const { code, cause } = thrown instanceof Error ? (thrown as Error & { code?: unknown }) : {};
  if (typeof code === "string" && code !== "") return code;
  return cause === undefined ? "unknown" : codeOf(cause);
};

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

const checkDatabase = async (): Promise<{ database: Check; migrations: Check }> => {
  try {
    const migrated = await isDatabaseMigrated();
    return {
      database: { ok: true },
      migrations: migrated ? { ok: true } : { ok: false, problem: "The database schema is older than this version." },
    };
  } catch (error) {
    const problem = `The database is not responding (${codeOf(error)}).`;
    return { database: { ok: false, problem }, migrations: { ok: false, problem: "unknown" } };
  }
};

let lastSeen: { engine: Check; atMs: number } | undefined;

const engineWithin = async (maxAgeMs: number): Promise<Check> => {
  if (!lastSeen?.engine.ok || Date.now() - lastSeen.atMs > maxAgeMs) {
    lastSeen = { engine: await checkEngine(), atMs: Date.now() };
  }
  return lastSeen.engine;
};

/** At most every 5 seconds. */
export const checkHealth = async (): Promise<Health> => {
  const [fromDatabase, engine] = await Promise.all([checkDatabase(), engineWithin(5_000)]);
  const checks = { ...fromDatabase, engine };
  return { live: true, ready: Object.values(checks).every((check) => check.ok), checks };
};

/** `uptime` is null when the records cannot be read. */
interface Status {
  health: Health;
  checkedAt: string;
  uptime: UptimeReport | null;
}

/** Keeps traffic of the public page from the database and the engine. */
const HEALTH_CACHE_MS = 5 * SECOND_MS;
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

/** Failures are cached too, but for a shorter time. */
const uptime = sharedResult({ load: measure, keepMs: (report) => (report ? UPTIME_CACHE_MS : HEALTH_CACHE_MS) });
const seen = sharedResult({
  load: async () => ({ health: await checkHealth(), checkedAt: new Date().toISOString() }),
  keepMs: () => HEALTH_CACHE_MS,
});

/** Never throws. */
export const readStatus = async (): Promise<Status> => {
  const [now, measured] = await Promise.all([seen(), uptime()]);
  return { ...now, uptime: measured };
};
