import { z } from "zod";
import { type Asked, ask, type Line } from "./ask.ts";

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
