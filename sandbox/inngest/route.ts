import type { Tx } from "./database.ts";
import type { Engine } from "./engine.ts";
import { holds } from "./expression.ts";
import type { FunctionConfig } from "./function-config.ts";
import { startRun } from "./runs.ts";
import { isRecord, parseJson } from "./values.ts";

/** Starts a run of every function that a stored event triggers, once per function and event. */
export async function routeEvents(tx: Tx, engine: Engine, eventIds: readonly string[]): Promise<void> {
  const { rows } = await tx.query<{ id: string; name: string; body: string }>(
    "select id, name, body from event where id = any($1) order by id",
    [eventIds],
  );
  for (const row of rows) {
    const event = parseJson(row.body);
    const ts = isRecord(event) && typeof event.ts === "number" ? event.ts : 0;
    for (const fn of engine.registry.functions.values()) {
      if (isTriggered(fn, row.name, event)) await startRun(tx, engine, fn, row.id, Math.max(Date.now(), ts));
    }
  }
}

function isTriggered(fn: FunctionConfig, name: string, event: unknown): boolean {
  return fn.triggers.some((trigger) => {
    if (trigger.kind !== "event" || trigger.event !== name) return false;
    return trigger.expression === undefined || holds(trigger.expression, { event });
  });
}
