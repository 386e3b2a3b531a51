import type { Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import type { ActiveFault, Faults } from "../kit/faults.ts";
import type { RequestLog } from "../kit/request-log.ts";

/** A step of an SMTP conversation that faults can strike. */
export type SmtpStep = "CONNECT" | "RCPT" | "DATA";

/** How a step ends: taken (with the id of what was kept), refused with a code and text, or without any answer. */
export type SmtpOutcome = { kind: "taken"; id?: string } | { kind: "refused"; error: Error } | { kind: "silent" };

/** What a step is played with. */
export interface SmtpStage {
  faults: Faults;
  log: RequestLog;
}

const USUAL_TEXT = "Refused by a fault of the stand-in";

/**
 * Takes a step, or lets a fault strike it, and writes it into the log. `act` does what the step is for; it is not
 * called when the fault comes before.
 */
export async function playStep(
  { faults, log }: SmtpStage,
  step: SmtpStep,
  labels: Record<string, string>,
  socket: Socket | undefined,
  act: () => Promise<string | undefined>,
): Promise<SmtpOutcome> {
  const at = new Date().toISOString();
  const startedAtMs = performance.now();
  const fault = faults.take(`${step} /`, labels);
  const isActedOn = fault === undefined || fault.after === "creating" || isHarmless(fault);
  const created = isActedOn ? await act() : undefined;
  if (fault?.delayMs !== undefined) await delay(fault.delayMs);
  const outcome = outcomeOf(fault, created);
  log.record({
    at,
    method: step,
    path: "/",
    status: outcome.kind === "taken" ? 250 : outcome.kind === "silent" ? 0 : (fault?.status ?? 0),
    note: fault === undefined ? "" : `fault: ${nameOf(fault)}`,
    tookMs: Math.round(performance.now() - startedAtMs),
    cut: outcome.kind === "silent",
    labels,
    ...(fault !== undefined && { fault: nameOf(fault) }),
    ...(created !== undefined && { created }),
  });
  if (fault?.cut) socket?.destroy();
  return outcome;
}

function isHarmless(fault: ActiveFault): boolean {
  return !fault.cut && !fault.hang && fault.status === undefined;
}

function outcomeOf(fault: ActiveFault | undefined, id: string | undefined): SmtpOutcome {
  if (fault === undefined || isHarmless(fault)) return id === undefined ? { kind: "taken" } : { kind: "taken", id };
  if (fault.cut || fault.hang) return { kind: "silent" };
  const text = typeof fault.body === "string" ? fault.body : USUAL_TEXT;
  return { kind: "refused", error: Object.assign(new Error(text), { responseCode: fault.status }) };
}

function nameOf(fault: ActiveFault): string {
  if (fault.scenario !== undefined) return fault.scenario;
  if (fault.cut) return "cut";
  return fault.hang ? "hang" : String(fault.status ?? "slow");
}
