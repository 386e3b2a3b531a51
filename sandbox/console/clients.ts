import { z } from "zod";

/** What came of asking another process: its answer, or in words why there is none. */
export type Asked<T> = { ok: true; value: T } | { ok: false; problem: string };

/** Talks to other processes; each is given so long before it counts as silent. */
export interface Line {
  deadlineMs: number;
}

/** Reads JSON of a known shape. A process that is down, slow or of another version gives a problem, never an error. */
async function ask<T>({ deadlineMs }: Line, url: string, shape: z.ZodType<T>): Promise<Asked<T>> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(deadlineMs) });
    if (!response.ok) {
      await response.body?.cancel();
      return { ok: false, problem: `It answered ${response.status}.` };
    }
    const parsed = shape.safeParse(await response.json());
    return parsed.success ? { ok: true, value: parsed.data } : { ok: false, problem: "Its answer has another shape." };
  } catch {
    // Refused, reset, silent or no JSON: for the reader of the page it is the same.
    return { ok: false, problem: "It does not answer." };
  }
}

/** Tells a stand-in something. Its refusal comes back in its own words. */
export async function tell(
  { deadlineMs }: Line,
  url: string,
  method: string,
  body?: unknown,
): Promise<Asked<undefined>> {
  try {
    const response = await fetch(url, {
      method,
      signal: AbortSignal.timeout(deadlineMs),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return response.ok ? { ok: true, value: undefined } : { ok: false, problem: problemIn(text, response.status) };
  } catch {
    return { ok: false, problem: "The stand-in does not answer." };
  }
}

function problemIn(text: string, status: number): string {
  try {
    const { error } = Object(JSON.parse(text));
    return typeof error === "string" ? error : `The stand-in answered ${status}.`;
  } catch {
    return `The stand-in answered ${status}.`;
  }
}

const scalar = z.union([z.number(), z.string(), z.boolean(), z.null()]);

const stateShape = z.object({
  now: z.string().optional(),
  counts: z.record(z.string(), z.number()).optional(),
  usage: z.record(z.string(), z.number()).optional(),
});
const faultShape = z.object({
  id: z.string(),
  match: z.string(),
  scenario: z.string().optional(),
  where: z.record(z.string(), z.string()).optional(),
  times: z.number(),
  skip: z.number(),
  every: z.number().optional(),
  forever: z.boolean().optional(),
});
const scenarioShape = z.object({
  name: z.string(),
  about: z.string(),
  match: z.string().nullable(),
  isOn: z.boolean(),
});
const requestShape = z.object({
  seq: z.number(),
  at: z.string(),
  method: z.string(),
  path: z.string(),
  status: z.number(),
  tookMs: z.number(),
  labels: z.record(z.string(), z.string()).optional(),
  fault: z.string().optional(),
  created: z.string().optional(),
});
const settingShape = z.object({
  name: z.string(),
  about: z.string().default(""),
  value: scalar,
  options: z.array(z.string()).optional(),
});

export type Fault = z.infer<typeof faultShape>;
export type Scenario = z.infer<typeof scenarioShape>;
export type LoggedCall = z.infer<typeof requestShape>;
export type Setting = z.infer<typeof settingShape>;

/** Settings are described one by one, or only named with their values. */
const settingsShape = z.union([
  z.object({ settings: z.array(settingShape) }).transform(({ settings }) => settings),
  z
    .record(z.string(), scalar)
    .transform((values): Setting[] => Object.entries(values).map(([name, value]) => ({ name, about: "", value }))),
]);

/** How a stand-in stands, in short. */
export interface Standing {
  counts: Record<string, number>;
  faults: Fault[];
}

/** Counts and faults of a stand-in. */
export async function readStanding(line: Line, control: string): Promise<Asked<Standing>> {
  const [state, faults] = await Promise.all([
    ask(line, `${control}/__control/state`, stateShape),
    ask(line, `${control}/__control/faults`, z.object({ faults: z.array(faultShape) })),
  ]);
  if (!state.ok) return state;
  if (!faults.ok) return faults;
  return { ok: true, value: { counts: state.value.counts ?? state.value.usage ?? {}, ...faults.value } };
}

/** The prepared faults; none for a stand-in that has none. */
export async function readScenarios(line: Line, control: string): Promise<Scenario[]> {
  const asked = await ask(line, `${control}/__control/scenarios`, z.object({ scenarios: z.array(scenarioShape) }));
  return asked.ok ? asked.value.scenarios : [];
}

/** What can be set; nothing for a stand-in without settings. */
export async function readSettings(line: Line, control: string): Promise<Setting[]> {
  const asked = await ask(line, `${control}/__control/settings`, settingsShape);
  return asked.ok ? asked.value : [];
}

/** The latest calls, newest first. */
export async function readCalls(line: Line, control: string, limit: number): Promise<LoggedCall[]> {
  const shape = z.object({ requests: z.array(requestShape) });
  const asked = await ask(line, `${control}/__control/log?limit=${limit}`, shape);
  return asked.ok ? asked.value.requests.reverse() : [];
}

const stepShape = z.object({ name: z.string(), kind: z.string(), state: z.string() });
const stepDetailShape = stepShape.extend({
  attempts: z.number(),
  dueAt: z.string().nullable(),
  waitsFor: z.string().nullable(),
  output: z.string().nullable(),
  error: z.string().nullable(),
});
const runShape = z.object({
  id: z.string(),
  functionId: z.string(),
  event: z.string(),
  status: z.string(),
  startedAt: z.string(),
  endedAt: z.string().nullable(),
  steps: z.array(stepShape),
  calls: z.number(),
  attempt: z.number(),
  error: z.string().nullable(),
});
const detailShape = runShape.extend({
  steps: z.array(stepDetailShape),
  eventBody: z.string(),
  output: z.string().nullable(),
  openCalls: z.array(z.object({ target: z.string(), attempt: z.number(), dueAt: z.string(), state: z.string() })),
});
const pageShape = z.object({ runs: z.array(runShape), nextCursor: z.string().nullable() });

export type Run = z.infer<typeof runShape>;
export type RunDetail = z.infer<typeof detailShape>;
export type StepDetail = z.infer<typeof stepDetailShape>;
export type RunPage = z.infer<typeof pageShape>;

/** The newest runs first; `query` is handed on as it is (`status`, `function`, `cursor`, `limit`). */
export function readRuns(line: Line, origin: string, query: Record<string, string>): Promise<Asked<RunPage>> {
  return ask(line, `${origin}/v1/runs?${new URLSearchParams(query)}`, pageShape);
}

/** One run with its steps. */
export function readRun(line: Line, origin: string, id: string): Promise<Asked<RunDetail>> {
  return ask(line, `${origin}/v1/runs/${encodeURIComponent(id)}`, detailShape);
}
