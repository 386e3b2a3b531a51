import "server-only";
import { Gauge, type Registry } from "prom-client";
import { databaseConnections, jobContext, poolUsage } from "#lib/composition.ts";
import { countTasks } from "#lib/features/generation/tasks.ts";
import { countQueue } from "#lib/features/publishing/queue.ts";
import { countLiveStreams } from "./live-response.ts";

/**
 * Figures that must hold over all processes, read from the database when they are asked for. Every process tells the
 * same, so a dashboard takes `max`, not `sum`. @returns how to read them anew.
 */
export const addStateGauges = (registry: Registry): (() => Promise<void>) => {
  const gauge = <L extends string>(name: string, help: string, labelNames: readonly L[]) =>
    new Gauge({ name: `evertack_${name}`, help: `${help} (database)`, labelNames, registers: [registry] });
  const scheduled = gauge("pins_scheduled", "Scheduled pins: due, held by their account, waiting", ["state"]);
  const oldest = gauge("pins_oldest_due_seconds", "How long the first of the due pins has been due", []);
  const attempts = gauge("publish_attempts_open", "Attempts not settled: armed, calling, unclear", ["state"]);
  const tasks = gauge("generation_tasks_open", "Pins being made: waiting, running", ["state"]);
  const connections = gauge("database_connections", "Connections of all processes by state", ["state"]);
  const connectionsMax = gauge("database_connections_max", "Connections that PostgreSQL allows", []);
  return async () => {
    const ctx = jobContext("metrics");
    const [queue, making, connected] = await Promise.all([countQueue(ctx), countTasks(ctx), databaseConnections()]);
    for (const state of ["due", "held", "waiting"] as const) scheduled.set({ state }, queue[state]);
    oldest.set(queue.oldestDueSeconds);
    for (const state of ["armed", "calling", "unclear"] as const) attempts.set({ state }, queue[state]);
    for (const state of ["waiting", "running"] as const) tasks.set({ state }, making[state]);
    connections.reset();
    for (const { state, connections: open } of connected.byState) connections.set({ state }, open);
    connectionsMax.set(connected.max);
  };
};

/** Figures of this process at the moment they are asked for. @returns how to read them anew. */
export const addProcessGauges = (registry: Registry): (() => void) => {
  const gauge = <L extends string>(name: string, help: string, labelNames: readonly L[]) =>
    new Gauge({ name: `evertack_${name}`, help: `${help} (this process)`, labelNames, registers: [registry] });
  const streams = gauge("live_streams", "Open live streams", []);
  const pool = gauge("database_pool", "Connections of the pool: max, lent, and who waits for one", ["state"]);
  return () => {
    streams.set(countLiveStreams());
    const usage = poolUsage();
    for (const state of ["max", "lent", "waiting"] as const) pool.set({ state }, usage[state]);
  };
};
