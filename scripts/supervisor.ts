import { copyFileSync, existsSync, statSync, truncateSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { type Child, type ChildSpec, launchChild } from "./child.ts";

/** Keeps children running: starts them, starts again what died, ends all in order. */
export type Supervisor = {
  /** Starts all at once; rejects when one does not become ready. */
  start(specs: ChildSpec[]): Promise<void>;
  children(): Child[];
  end(): Promise<void>;
};

const firstPauseMs = 250;
const longestPauseMs = 10_000;
/** Who lived that long had a good start: the next pause is short again. */
const steadyMs = 30_000;
const logLimitBytes = 20 * 1024 * 1024;

/** @param say one line for the terminal; @param onChange called when a child came or went */
export function createSupervisor(say: (line: string) => void, onChange: (children: Child[]) => void): Supervisor {
  const running = new Map<string, { spec: ChildSpec; child: Child }>();
  let ending = false;
  const children = () => [...running.values()].map(({ child }) => child);

  const launch = async (spec: ChildSpec): Promise<Child> => {
    const child = launchChild(spec);
    running.set(spec.name, { spec, child });
    onChange(children());
    await child.ready;
    return child;
  };

  const watch = async (spec: ChildSpec, first: Child): Promise<void> => {
    let child = first;
    let pauseMs = firstPauseMs;
    for (;;) {
      const beganAt = performance.now();
      const how = await child.exited;
      if (ending) return;
      if (performance.now() - beganAt > steadyMs) pauseMs = firstPauseMs;
      say(`${spec.name} ended ${how}; starting it again (log: ${spec.logFile})`);
      child = await relaunch(spec, pauseMs);
      pauseMs = Math.min(pauseMs * 2, longestPauseMs);
    }
  };

  const relaunch = async (spec: ChildSpec, firstWaitMs: number): Promise<Child> => {
    for (let pauseMs = firstWaitMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
      await delay(pauseMs);
      if (ending) throw new Error("Everything ends.");
      try {
        const child = await launch(spec);
        if (!ending) say(`${spec.name} is back`);
        return child;
      } catch (error) {
        if (ending) throw error;
        say(error instanceof Error ? error.message : String(error));
      }
    }
  };

  const logKeeper = setInterval(() => {
    for (const { spec } of running.values()) trimLog(spec.logFile);
  }, 60_000);
  logKeeper.unref();

  return {
    children,
    start: async (specs) => {
      const started = await Promise.all(specs.map(async (spec) => ({ spec, child: await launch(spec) })));
      for (const { spec, child } of started) watch(spec, child).catch(ignoreWhen(() => ending));
    },
    end: async () => {
      ending = true;
      clearInterval(logKeeper);
      const all = [...running.values()];
      for (const order of [...new Set(all.map(({ spec }) => spec.ending.order))].sort()) {
        await Promise.all(all.filter(({ spec }) => spec.ending.order === order).map(({ child }) => child.end()));
      }
    },
  };
}

/** A relaunch that fails because everything ends is what was wanted; anything else is a fault of ours. */
function ignoreWhen(isEnding: () => boolean): (error: unknown) => void {
  return (error) => {
    if (!isEnding()) throw error;
  };
}

/** Children append to their log for as long as they live, so a big one is copied aside and emptied in place. */
function trimLog(file: string): void {
  if (!existsSync(file) || statSync(file).size < logLimitBytes) return;
  copyFileSync(file, `${file}.1`);
  truncateSync(file);
}
