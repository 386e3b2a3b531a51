import "server-only";
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { databaseConnections, jobContext, poolUsage } from "#lib/composition.ts";
import { onWideEvent, type WideFields } from "#lib/core/log.ts";
import { SECOND_MS } from "#lib/core/time.ts";
import { countTasks } from "#lib/features/generation/tasks.ts";
import { findStorageOutage } from "#lib/features/pins/storage-outages.ts";
import { countQueue } from "#lib/features/publishing/queue.ts";
import { countLiveStreams } from "./event-response.ts";
import { readEngine } from "./health.ts";

/** All processes report the same values, so dashboards use `max`. @returns refreshes the gauges */
const addStateGauges = (registry: Registry): (() => Promise<void>) => {
  const gauge = <L extends string>(name: string, help: string, labelNames: readonly L[]) =>
    new Gauge({ name: `evertack_${name}`, help: `${help} (database)`, labelNames, registers: [registry] });
  const scheduled = gauge("pins_scheduled", "Scheduled pins: due, on hold with their account, waiting", ["state"]);
  const oldest = gauge("pins_oldest_due_seconds", "How long the oldest due pin has been due", []);
  const attempts = gauge("publish_attempts_open", "Unsettled attempts: armed, calling, unclear", ["state"]);
  const tasks = gauge("generation_tasks_open", "Pins being generated: waiting, running", ["state"]);
  const connections = gauge("database_connections", "Connections of all processes by state", ["state"]);
  const connectionsMax = gauge("database_connections_max", "Connections that PostgreSQL allows", []);
  const storageDown = gauge(
    "storage_down",
    "1 while the image storage is unavailable: generating and publishing wait",
    [],
  );
  return async () => {
    const ctx = jobContext("metrics");
    const [queue, generation, connected, outage] = await Promise.all([
      countQueue(ctx),
      countTasks(ctx),
      databaseConnections(),
      findStorageOutage(ctx),
    ]);
    storageDown.set(outage ? 1 : 0);
    for (const state of ["due", "held", "waiting"] as const) scheduled.set({ state }, queue[state]);
    oldest.set(queue.oldestDueSeconds);
    for (const state of ["armed", "calling", "unclear"] as const) attempts.set({ state }, queue[state]);
    for (const state of ["waiting", "running"] as const) tasks.set({ state }, generation[state]);
    connections.reset();
    for (const { state, connections: open } of connected.byState) connections.set({ state }, open);
    connectionsMax.set(connected.max);
  };
};

const addProcessGauges = (registry: Registry): (() => Promise<void>) => {
  const gauge = <L extends string>(name: string, help: string, labelNames: readonly L[]) =>
    new Gauge({ name: `evertack_${name}`, help: `${help} (this process)`, labelNames, registers: [registry] });
  const streams = gauge("live_streams", "Open live streams", []);
  const pool = gauge("database_pool", "Connections of the pool: max, lent, and requests waiting for one", ["state"]);
  const engineDown = gauge("engine_down", "1 while the durable engine does not respond", []);
  return async () => {
    engineDown.set((await readEngine()).ok ? 0 : 1);
    streams.set(countLiveStreams());
    const usage = poolUsage();
    pool.set({ state: "max" }, usage.max);
    pool.set({ state: "lent" }, usage.inUse);
    pool.set({ state: "waiting" }, usage.waiting);
  };
};

// Labels hold only names and statuses from our code, never ids or user input, so their number is bounded.

const FAST = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const SLOW = [0.1, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120, 300];
const PROBLEM = "pinterest_problem_";

const createCounters = (registry: Registry) => {
  const registers = [registry];
  const counter = <L extends string>(name: string, help: string, labelNames: readonly L[]) =>
    new Counter({ name: `evertack_${name}`, help: `${help} (this process)`, labelNames, registers });
  const seconds = <L extends string>(name: string, help: string, labelNames: readonly L[], buckets: number[]) =>
    new Histogram({ name: `evertack_${name}_seconds`, help: `${help} (this process)`, labelNames, buckets, registers });
  return {
    requests: seconds("http_request", "Requests and server actions", ["method", "route", "status"], FAST),
    steps: seconds("step", "Steps of durable functions", ["job", "step"], SLOW),
    stepErrors: counter("step_errors_total", "Steps that ended in an error", ["job", "step", "error"]),
    lateness: seconds("publish_lateness", "From due to the call to Pinterest, first attempts", [], FAST),
    decisions: counter("publish_decisions_total", "Decisions after attempts", ["decision", "outcome"]),
    duplicates: counter("publish_duplicates_total", "Pins that may be published twice: Pinterest confirmed late", []),
    results: counter("generation_results_total", "Finished generation tasks by result", ["result"]),
    generation: seconds("generation", "From the start of a task to its draft", [], SLOW),
    slotWait: seconds("image_slot_wait", "How long an image waited for an image slot", [], SLOW),
    streams: counter("live_streams_ended_total", "Ended live streams by reason", ["end"]),
    problems: counter("provider_problems_total", "Problems reported by providers", ["provider", "kind"]),
  };
};

type Counters = ReturnType<typeof createCounters>;

const numberOf = (value: WideFields[keyof WideFields]): number => (typeof value === "number" ? value : 0);
const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "ACTION"]);

const countRequest = (to: Counters, fields: Readonly<WideFields>): void => {
  const method = METHODS.has(String(fields.method)) ? String(fields.method) : "other";
  const route = method === "ACTION" ? String(fields.path) : String(fields.route ?? "other");
  to.requests.observe({ method, route, status: String(fields.status) }, numberOf(fields.ms) / SECOND_MS);
};

const countStep = (to: Counters, fields: Readonly<WideFields>): void => {
  const labels = { job: String(fields.job), step: String(fields.step) };
  to.steps.observe(labels, numberOf(fields.ms) / SECOND_MS);
  if (fields.error) to.stepErrors.inc({ ...labels, error: String(fields.error) });
};

const countWork = (to: Counters, fields: Readonly<WideFields>): void => {
  if (fields.late_ms !== undefined) to.lateness.observe(Math.max(0, numberOf(fields.late_ms)) / SECOND_MS);
  if (fields.publish_decision)
    to.decisions.inc({ decision: String(fields.publish_decision), outcome: String(fields.outcome) });
  if (fields.duplicate_created) to.duplicates.inc();
  const { tasks_finished: finished, tasks_failed: failed, tasks_revoked: canceled } = fields;
  for (const [result, tasks] of Object.entries({ finished, failed, canceled })) {
    if (tasks !== undefined) to.results.inc({ result }, numberOf(tasks));
  }
  if (fields.slot_wait_ms !== undefined) to.slotWait.observe(numberOf(fields.slot_wait_ms) / SECOND_MS);
  if (fields.stream_end) to.streams.inc({ end: String(fields.stream_end) });
  if (fields.generation_ms !== undefined) to.generation.observe(numberOf(fields.generation_ms) / SECOND_MS);
};

const countProblems = (to: Counters, fields: Readonly<WideFields>): void => {
  for (const [name, times] of Object.entries(fields)) {
    if (!name.startsWith(PROBLEM)) continue;
    to.problems.inc({ provider: "pinterest", kind: name.slice(PROBLEM.length) }, numberOf(times));
  }
  if (fields.ai_problem) to.problems.inc({ provider: "ai", kind: String(fields.ai_problem) });
  if (fields.email_problem) to.problems.inc({ provider: "email", kind: "unavailable" });
  if (fields.jobs_error ?? fields.engine_problem ?? fields.verification_problem) {
    to.problems.inc({ provider: "engine", kind: "unavailable" });
  }
};

interface Metrics {
  /** @throws when the database does not respond */
  text(): Promise<string>;
  contentType: string;
  close(): void;
}

/** From every written wide event, so that log and metrics agree. */
const createMetrics = (options: { addDefaults: boolean }): Metrics => {
  const registry = new Registry();
  const counters = createCounters(registry);
  for (const result of ["finished", "failed", "canceled"]) counters.results.inc({ result }, 0);
  const readDatabase = addStateGauges(registry);
  const readProcess = addProcessGauges(registry);
  if (options.addDefaults) collectDefaultMetrics({ register: registry });
  const close = onWideEvent((fields) => {
    if (fields.request_id) countRequest(counters, fields);
    if (fields.step) countStep(counters, fields);
    countWork(counters, fields);
    countProblems(counters, fields);
  });
  const text = async () => {
    await Promise.all([readProcess(), readDatabase()]);
    return registry.metrics();
  };
  return { text, contentType: registry.contentType, close };
};

// Next bundles modules once per layer; a global keeps one registry per process.
const GLOBAL_KEY = Symbol.for("app.metrics");
const globalStore = globalThis as { [GLOBAL_KEY]?: Metrics };

export const metrics = (): Metrics => {
  globalStore[GLOBAL_KEY] ??= createMetrics({ addDefaults: true });
  return globalStore[GLOBAL_KEY];
};
