import type { RunDetail, RunPage } from "../inngest/reports.ts";
import type { ActiveFault } from "../kit/faults.ts";
import type { LoggedRequest } from "../kit/journal.ts";
import type { ShownSetting } from "../kit/settings.ts";

/** What came of a request to another process: its answer, or in words why there is none. */
export type Result<T> = { ok: true; value: T } | { ok: false; problem: string };

/** Reads from other processes; each is given so long before it counts as silent. */
export interface Client {
  deadlineMs: number;
}

/** A prepared fault, and whether it is on. */
export interface Scenario {
  name: string;
  about: string;
  match: string;
  isOn: boolean;
}

/** Counts and faults of a stand-in. */
export interface Standing {
  counts: Record<string, number>;
  faults: ActiveFault[];
}

/** A request to another process; its refusal comes back in its own words, and whatever fails is a problem, no error. */
export async function send<T>(client: Client, url: string, method = "GET", body?: unknown): Promise<Result<T>> {
  try {
    const signal = AbortSignal.timeout(client.deadlineMs);
    const response = await fetch(url, { method, signal, ...(body !== undefined && { body: JSON.stringify(body) }) });
    const answer = JSON.parse((await response.text()) || "{}");
    // Both ends are of this repository.
    if (response.ok) return { ok: true, value: answer as T };
    return { ok: false, problem: String(answer.error ?? `It answered ${response.status}.`) };
  } catch {
    // Refused, reset, silent or no JSON: for the reader of the page it is the same.
    return { ok: false, problem: "It does not answer." };
  }
}

export async function readStanding(client: Client, control: string): Promise<Result<Standing>> {
  const [state, faults] = await Promise.all([
    send<Pick<Standing, "counts">>(client, `${control}/__control/state`),
    send<Pick<Standing, "faults">>(client, `${control}/__control/faults`),
  ]);
  if (!state.ok) return state;
  return faults.ok ? { ok: true, value: { counts: state.value.counts, faults: faults.value.faults } } : faults;
}

/** What a stand-in can be told, and its latest calls, newest first; nothing of one that is down. */
export async function readDetails(client: Client, control: string, limit: number) {
  const [scenarios, settings, log] = await Promise.all([
    send<{ scenarios: Scenario[] }>(client, `${control}/__control/scenarios`),
    readSettings(client, control),
    send<{ requests: LoggedRequest[] }>(client, `${control}/__control/log?limit=${limit}`),
  ]);
  return {
    scenarios: scenarios.ok ? scenarios.value.scenarios : [],
    settings,
    calls: log.ok ? log.value.requests.reverse() : [],
  };
}

export async function readSettings(client: Client, control: string): Promise<ShownSetting[]> {
  const read = await send<{ settings: ShownSetting[] }>(client, `${control}/__control/settings`);
  return read.ok ? read.value.settings : [];
}

/** The newest runs first; `query` is handed on as it is (`status`, `cursor`, `limit`). */
export function readRuns(client: Client, origin: string, query: Record<string, string>): Promise<Result<RunPage>> {
  return send(client, `${origin}/v1/runs?${new URLSearchParams(query)}`);
}

/** One run with its steps. */
export function readRun(client: Client, origin: string, id: string): Promise<Result<RunDetail>> {
  return send(client, `${origin}/v1/runs/${encodeURIComponent(id)}`);
}
