import { copyFileSync, existsSync, statSync, truncateSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { type Child, type ChildSpec, launchChild } from "./child.ts";

/** Keeps children running: starts them, starts again what died, ends all in order. */
export type Supervisor = {
  /** Starts all at once; rejects when one does not become ready. */
  start(specs: ChildSpec[]): Promise<void>;
  end(): Promise<void>;
};

type Kept = { spec: ChildSpec; child: Child };

type Supervision = {
  running: Map<string, Kept>;
  isEnding: boolean;
  say(line: string): void;
  onChange(children: Child[]): void;
};

const firstPauseMs = 250;
const longestPauseMs = 10_000;
/** Who lived that long had a good start: the next pause is short again. */
const steadyMs = 30_000;
const logLimitBytes = 20 * 1024 * 1024;

/** @param say one line for the terminal; @param onChange called when a child came or went */
export function createSupervisor(say: (line: string) => void, onChange: (children: Child[]) => void): Supervisor {
  const supervision: Supervision = { running: new Map(), isEnding: false, say, onChange };
  const logKeeper = setInterval(() => {
    for (const { spec } of supervision.running.values()) trimLog(spec.logFile);
  }, 60_000);
  logKeeper.unref();
  return {
    start: async (specs) => {
      const started = await Promise.all(specs.map((spec) => launch(supervision, spec)));
      for (const kept of started) void keepRunning(supervision, kept);
    },
    end: () => {
      clearInterval(logKeeper);
      return endAll(supervision);
    },
  };
}

async function launch({ running, onChange }: Supervision, spec: ChildSpec): Promise<Kept> {
  const kept = { spec, child: launchChild(spec) };
  running.set(spec.name, kept);
  onChange([...running.values()].map(({ child }) => child));
  await kept.child.ready;
  return kept;
}

/** Never rejects: what goes wrong is said, and tried again. */
async function keepRunning(supervision: Supervision, first: Kept): Promise<void> {
  const { spec } = first;
  let pauseMs = firstPauseMs;
  for (let child = first.child; ; ) {
    const beganAt = performance.now();
    const how = await child.exited;
    if (supervision.isEnding) return;
    if (performance.now() - beganAt > steadyMs) pauseMs = firstPauseMs;
    supervision.say(`${spec.name} ended ${how}; starting it again (log: ${spec.logFile})`);
    const again = await relaunch(supervision, spec, pauseMs);
    if (!again) return;
    child = again;
    pauseMs = Math.min(pauseMs * 2, longestPauseMs);
  }
}

/** @returns undefined when everything ends meanwhile */
async function relaunch(supervision: Supervision, spec: ChildSpec, firstWaitMs: number): Promise<Child | undefined> {
  for (let pauseMs = firstWaitMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    await delay(pauseMs);
    if (supervision.isEnding) return undefined;
    try {
      const { child } = await launch(supervision, spec);
      supervision.say(`${spec.name} is back`);
      return child;
    } catch (error) {
      if (supervision.isEnding) return undefined;
      supervision.say(error instanceof Error ? error.message : String(error));
    }
  }
}

async function endAll(supervision: Supervision): Promise<void> {
  supervision.isEnding = true;
  const all = [...supervision.running.values()];
  const orders = new Set(all.map(({ spec }) => spec.ending.order));
  for (const order of [...orders].sort((a, b) => a - b)) {
    await Promise.all(all.filter(({ spec }) => spec.ending.order === order).map(({ child }) => child.end()));
  }
}

/** Children append to their log for as long as they live, so a big one is copied aside and emptied in place. */
function trimLog(file: string): void {
  if (!existsSync(file) || statSync(file).size < logLimitBytes) return;
  copyFileSync(file, `${file}.1`);
  truncateSync(file);
}
