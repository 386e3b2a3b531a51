import "server-only";
import { composeContext } from "#lib/composition.ts";
import { messageOf } from "#lib/core/errors.ts";
import { createWideEvent, writeEvent } from "#lib/core/log.ts";
import { sharedAnswer } from "#lib/core/shared-answer.ts";
import { SECOND_MS } from "#lib/core/time.ts";
import type { UptimeReport } from "#lib/features/health/schema.ts";
import { readUptime } from "#lib/features/health/uptime.ts";
import { checkHealth, type Health } from "./health.ts";

/** What the status page shows: what works now, and what was measured; null while the records cannot be read. */
export interface Status {
  health: Health;
  /** When `health` was seen, ISO 8601. */
  checkedAt: string;
  uptime: UptimeReport | null;
}

/** The page is open to everybody: however many ask, the database and the engine are asked this seldom. */
const HEALTH_KEPT_MS = 5 * SECOND_MS;
const UPTIME_KEPT_MS = 30 * SECOND_MS;

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

/** A failure is kept as well, and for less long: this page is read most when something is broken. */
const uptime = sharedAnswer({ ask: measure, keepMs: (report) => (report ? UPTIME_KEPT_MS : HEALTH_KEPT_MS) });
const seen = sharedAnswer({
  ask: async () => ({ health: await checkHealth(), checkedAt: new Date().toISOString() }),
  keepMs: () => HEALTH_KEPT_MS,
});

/**
 * What worked at most five seconds ago and what was measured. Never throws: this page is read when something is
 * broken.
 */
export const readStatus = async (): Promise<Status> => {
  const [now, measured] = await Promise.all([seen(), uptime()]);
  return { ...now, uptime: measured };
};
