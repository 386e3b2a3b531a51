import { measureSlowness } from "#scripts/machine-speed.ts";
import { type Child, type ChildSpec, isRunning, killGroup, startChild } from "#scripts/processes.ts";
import { within } from "./bounded.ts";

/** Measured once, at the start; other work on the machine can still double what a start takes. */
const READY_MS = Math.round(60_000 * 2 * measureSlowness());
const END_MS = 25_000;

/** The product's processes, which faults may end and restart. Every wait has a timeout. */
export interface Processes {
  start(name: string): Promise<void>;
  /** kill -9 for it and its descendants. */
  kill(name: string): Promise<void>;
  /** SIGTERM; killed after its grace time. */
  stop(name: string): Promise<void>;
  add(spec: ChildSpec): void;
  pid(name: string): number;
  isAlive(name: string): boolean;
  /** Processes that ended unexpectedly. */
  unexpectedExits(): readonly string[];
  /** Ends all, by force if needed. */
  close(): Promise<void>;
}

export function createProcesses(specs: readonly ChildSpec[]): Processes {
  const known = new Map(specs.map((spec) => [spec.name, { ...spec, readyDeadlineMs: READY_MS }]));
  const running = new Map<string, Child>();
  const expected = new Set<Child>();
  const unexpectedExits: string[] = [];
  let isClosing = false;

  const specOf = (name: string): ChildSpec => {
    const spec = known.get(name);
    if (!spec) throw new Error(`There is no process called ${name}.`);
    return spec;
  };
  const runningOf = (name: string): Child => {
    const child = running.get(name);
    if (!child) throw new Error(`${name} was never started.`);
    return child;
  };
  const watch = (child: Child) =>
    child.exited.then((how) => {
      if (!isClosing && !expected.has(child)) unexpectedExits.push(`${child.name} ended ${how} unexpectedly`);
    });
  const end = async (child: Child, work: () => Promise<void>): Promise<void> => {
    expected.add(child);
    try {
      await within(work(), END_MS, `${child.name} to end`);
    } finally {
      killGroup(child.pid);
    }
  };

  return {
    async start(name) {
      const child = await within(startChild(specOf(name)), READY_MS + END_MS, `${name} to start`);
      running.set(name, child);
      void watch(child);
    },
    kill: (name) => end(runningOf(name), runningOf(name).kill),
    stop: (name) => end(runningOf(name), runningOf(name).end),
    add: (spec) => known.set(spec.name, { ...spec, readyDeadlineMs: READY_MS }),
    pid: (name) => runningOf(name).pid,
    isAlive: (name) => {
      const child = running.get(name);
      return child !== undefined && isRunning(child.pid, child.identity);
    },
    unexpectedExits: () => unexpectedExits,
    async close() {
      isClosing = true;
      const inOrder = [...running.values()].sort((a, b) => specOf(a.name).ending.order - specOf(b.name).ending.order);
      for (const child of inOrder) {
        await end(child, child.end).catch(() => killGroup(child.pid));
      }
    },
  };
}
