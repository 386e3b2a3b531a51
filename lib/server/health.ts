import "server-only";
import { isDatabaseMigrated } from "#lib/composition.ts";
import { env } from "#lib/env.ts";

type Check = { ok: true } | { ok: false; problem: string };

export interface Health {
  live: true;
  ready: boolean;
  checks: { database: Check; migrations: Check; engine: Check };
}

/** A short word like ECONNREFUSED. The whole text would tell everybody addresses and queries. */
const codeOf = (thrown: unknown): string => {
  const { code, cause } = thrown instanceof Error ? (thrown as Error & { code?: unknown }) : {};
  if (typeof code === "string" && code !== "") return code;
  return cause === undefined ? "unknown" : codeOf(cause);
};

const CLOUD_EVENTS = "https://inn.gs";

const checkEngine = async (): Promise<Check> => {
  try {
    // Any answer at all proves that events can be handed over.
    await fetch(env().INNGEST_BASE_URL ?? CLOUD_EVENTS, { signal: AbortSignal.timeout(3_000), redirect: "manual" });
    return { ok: true };
  } catch (error) {
    return { ok: false, problem: `The durable engine does not answer (${codeOf(error)}).` };
  }
};

const checkDatabase = async (): Promise<{ database: Check; migrations: Check }> => {
  try {
    const migrated = await isDatabaseMigrated();
    return {
      database: { ok: true },
      migrations: migrated ? { ok: true } : { ok: false, problem: "The database is older than this version." },
    };
  } catch (error) {
    const problem = `The database does not answer (${codeOf(error)}).`;
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

/** Whether this process can do its work: database, migrations, durable engine (asked at most every 5 seconds). */
export const checkHealth = async (): Promise<Health> => {
  const [fromDatabase, engine] = await Promise.all([checkDatabase(), engineWithin(5_000)]);
  const checks = { ...fromDatabase, engine };
  return { live: true, ready: Object.values(checks).every((check) => check.ok), checks };
};
