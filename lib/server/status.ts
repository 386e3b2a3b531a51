import "server-only";
import { composeContext } from "#lib/composition.ts";
import { messageOf } from "#lib/core/errors.ts";
import { createWideEvent, writeEvent } from "#lib/core/log.ts";
import { SECOND_MS } from "#lib/core/time.ts";
import { readUptime } from "#lib/features/health/read-uptime.ts";
import type { UptimeReport } from "#lib/features/health/schema.ts";
import { checkHealth, type Health } from "./health.ts";

/** What the status page shows: what works now, and what was measured; null while the records cannot be read. */
export interface Status {
  health: Health;
  uptime: UptimeReport | null;
}

/** The page is open to everybody: however many ask, the database is asked this seldom. */
const KEPT_MS = 30 * SECOND_MS;

let kept: { uptime: Promise<UptimeReport>; atMs: number } | undefined;

const measure = (): Promise<UptimeReport> => {
  const ctx = composeContext({ kind: "visitor", address: "" }, createWideEvent());
  return readUptime(ctx);
};

const uptimeWithin = (maxAgeMs: number): Promise<UptimeReport> => {
  if (kept && Date.now() - kept.atMs <= maxAgeMs) return kept.uptime;
  const uptime = measure();
  const made = { uptime, atMs: Date.now() };
  kept = made;
  // A failure is not kept: the next visitor asks again.
  uptime.catch(() => {
    if (kept === made) kept = undefined;
  });
  return uptime;
};

const readableUptime = async (): Promise<UptimeReport | null> => {
  try {
    return await uptimeWithin(KEPT_MS);
  } catch (error) {
    const log = createWideEvent({ at: new Date().toISOString(), page: "/status" });
    log.set({ problem: messageOf(error) });
    writeEvent(log);
    return null;
  }
};

/** What works now and what was measured. Never throws: this page is read when something is broken. */
export const readStatus = async (): Promise<Status> => {
  const [health, uptime] = await Promise.all([checkHealth(), readableUptime()]);
  return { health, uptime };
};
