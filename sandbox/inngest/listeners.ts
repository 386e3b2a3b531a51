import type { Engine } from "./engine.ts";
import { FUNCTION_CANCELLED, FUNCTION_FINISHED } from "./names.ts";

/** Whether some function starts or is cancelled by the ends of others; only then every end is worth an event. */
export function isHeard({ registry }: Engine): boolean {
  const names = [FUNCTION_FINISHED, FUNCTION_CANCELLED];
  return [...registry.functions.values()].some(
    (fn) =>
      fn.triggers.some((trigger) => trigger.kind === "event" && names.includes(trigger.event)) ||
      fn.cancels.some((rule) => names.includes(rule.event)),
  );
}
