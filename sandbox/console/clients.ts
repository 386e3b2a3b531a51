import type { RunDetail, RunPage } from "../inngest/reports.ts";
import type { ActiveFault } from "../kit/faults.ts";
import type { LoggedRequest } from "../kit/journal.ts";
import type { ShownSetting } from "../kit/settings.ts";

/** The value another process returned, or a message that says why there is none. */
export type Result<T> = { ok: true; value: T } | { ok: false; problem: string };

/** A predefined fault and whether it is active. */
export interface Scenario {
  name: string;
  about: string;
  match: string;
  isOn: boolean;
}

/** Counts and active faults of a stand-in. */
export interface StandInSnapshot {
  counts: Record<string, number>;
  faults: ActiveFault[];
}

/** Sends a request to another process. Never throws: an error response or a failed request becomes a `problem`. */
export async function send<T>(deadlineMs: number, url: string, method = "GET", body?: unknown): Promise<Result<T>> {
  try {
    const signal = AbortSignal.timeout(deadlineMs);
    const response = await fetch(url, { method, signal, ...(body !== undefined && { body: JSON.stringify(body) }) });
    const payload = JSON.parse((await response.text()) || "{}");
    // Both ends are part of this repository.
    if (response.ok) return { ok: true, value: payload as T };
    return { ok: false, problem: String(payload.error ?? `It responded with status ${response.status}.`) };
  } catch {
    // Refused, reset, timed out or not JSON: it makes no difference to the reader of the page.
    return { ok: false, problem: "It isn’t responding." };
  }
}

export async function readSnapshot(deadlineMs: number, control: string): Promise<Result<StandInSnapshot>> {
  const [state, faults] = await Promise.all([
    send<Pick<StandInSnapshot, "counts">>(deadlineMs, `${control}/__control/state`),
    send<Pick<StandInSnapshot, "faults">>(deadlineMs, `${control}/__control/faults`),
  ]);
  if (!state.ok) return state;
  return faults.ok ? { ok: true, value: { counts: state.value.counts, faults: faults.value.faults } } : faults;
}

/** A stand-in's predefined faults, settings and latest calls, newest first. Empty lists if it is down. */
export async function readDetails(deadlineMs: number, control: string, limit: number) {
  const [scenarios, settings, log] = await Promise.all([
    send<{ scenarios: Scenario[] }>(deadlineMs, `${control}/__control/scenarios`),
    readSettings(deadlineMs, control),
    send<{ requests: LoggedRequest[] }>(deadlineMs, `${control}/__control/log?limit=${limit}`),
  ]);
  return {
    scenarios: scenarios.ok ? scenarios.value.scenarios : [],
    settings,
    calls: log.ok ? log.value.requests.reverse() : [],
  };
}

export async function readSettings(deadlineMs: number, control: string): Promise<ShownSetting[]> {
  const read = await send<{ settings: ShownSetting[] }>(deadlineMs, `${control}/__control/settings`);
  return read.ok ? read.value.settings : [];
}

/** Lists runs, newest first. `query` is passed through (`status`, `cursor`, `limit`). */
export function readRuns(deadlineMs: number, origin: string, query: Record<string, string>): Promise<Result<RunPage>> {
  return send(deadlineMs, `${origin}/v1/runs?${new URLSearchParams(query)}`);
}

export function readRun(deadlineMs: number, origin: string, id: string): Promise<Result<RunDetail>> {
  return send(deadlineMs, `${origin}/v1/runs/${encodeURIComponent(id)}`);
}
