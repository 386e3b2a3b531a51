import { join } from "node:path";
import { type Clock, createClock } from "./clock.ts";
import { createFaults, type FaultEvent, type FaultScenarios, type Faults, foldFaults } from "./faults.ts";
import { type Journal, openJournal } from "./journal.ts";
import { createRequestLog, type LoggedRequest, type RequestLog } from "./request-log.ts";
import { createSettings, type SettingDefinitions, type Settings, type SettingValue } from "./settings.ts";

/** What a stand-in can be told while it runs. It outlives a restart. */
export interface ControlState<D extends SettingDefinitions> {
  faults: Faults;
  settings: Settings<D>;
  clock: Clock;
  log: RequestLog;
  close(): void;
}

type ControlEvent =
  | FaultEvent
  | { kind: "settings"; values: Record<string, SettingValue> }
  | { kind: "clock"; offsetMs: number };

/** Opens `control.jsonl` (faults, settings, clock) and `log.jsonl` (requests) in `dataDir`. */
export function openControlState<D extends SettingDefinitions>(
  dataDir: string,
  { scenarios, settings }: { scenarios: FaultScenarios; settings: D },
): ControlState<D> {
  const journal = openJournal<ControlEvent>(join(dataDir, "control.jsonl"));
  const log = openJournal<LoggedRequest>(join(dataDir, "log.jsonl"));
  const saved = compact(journal);
  const clock = createClock(saved.offsetMs, (offsetMs) => journal.append({ kind: "clock", offsetMs }));
  return {
    faults: createFaults(scenarios, { initial: saved.faults, record: (event) => journal.append(event) }),
    settings: createSettings(settings, saved.values, (values) => journal.append({ kind: "settings", values })),
    clock,
    log: createRequestLog(log),
    close() {
      journal.close();
      log.close();
    },
  };
}

/** Reads what was saved, and writes it down anew without its past. */
function compact(journal: Journal<ControlEvent>) {
  const { entries } = journal;
  const faults = foldFaults(entries.filter(isFaultEvent));
  const values = entries.findLast((event) => event.kind === "settings")?.values ?? {};
  const offsetMs = entries.findLast((event) => event.kind === "clock")?.offsetMs ?? 0;
  journal.replace([
    { kind: "settings", values },
    { kind: "clock", offsetMs },
    ...faults.map((fault): ControlEvent => ({ kind: "fault", fault })),
  ]);
  return { faults, values, offsetMs };
}

function isFaultEvent(event: ControlEvent): event is FaultEvent {
  return event.kind !== "settings" && event.kind !== "clock";
}
