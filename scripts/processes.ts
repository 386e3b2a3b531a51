import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  truncateSync,
} from "node:fs";
import { Socket } from "node:net";
import { dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { inRepository, repositoryRoot } from "./root.ts";

/**
 * When the process with this number began, as an opaque text; undefined when there is none or only its corpse.
 * Number and text together name one process for good, numbers alone are given out again.
 */
export function identityOf(pid: number): string | undefined {
  return process.platform === "linux" ? linuxIdentity(pid) : portableIdentity(pid);
}

/** Whether the process that had this identity still runs. */
export function isRunning(pid: number, identity: string): boolean {
  return identityOf(pid) === identity;
}

/** Waits until the process is gone. @returns false when it still runs after `deadlineMs`. */
export async function waitForEnd(pid: number, identity: string, deadlineMs: number): Promise<boolean> {
  const deadline = performance.now() + deadlineMs;
  while (isRunning(pid, identity)) {
    if (performance.now() > deadline) return false;
    await delay(20);
  }
  return true;
}

/** Sends a signal; a process that has just ended is no error. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (!isCode(error, "ESRCH")) throw error;
  }
}

/** Whether an error carries this system code, e.g. `ENOENT`. */
export function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}

function linuxIdentity(pid: number): string | undefined {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  } catch (error) {
    if (isCode(error, "ENOENT") || isCode(error, "ESRCH")) return undefined;
    throw error;
  }
  // The command's name stands in brackets and may hold anything, so fields count from its end.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return fields[0] === "Z" || fields[0] === "X" ? undefined : fields[19];
}

function portableIdentity(pid: number): string | undefined {
  try {
    const [state, ...begun] = execFileSync("ps", ["-o", "state=,lstart=", "-p", String(pid)], { encoding: "utf8" })
      .trim()
      .split(/\s+/);
    return state?.startsWith("Z") ? undefined : begun.join(" ");
  } catch (error) {
    if (error instanceof Error && "status" in error && error.status === 1) return undefined;
    throw error;
  }
}

/** How a child ends: lower `order` first, by `signal`, killed after `graceMs`. */
export type Ending = { order: number; signal: NodeJS.Signals; graceMs: number };

/** One process to end, as the reaper knows it. */
export type Ward = Ending & { pid: number; identity: string };

let reaper: ChildProcess | undefined;

/**
 * Promises that this child will not outlive us. A small reaper process holds the other end of a pipe; when the pipe
 * closes, by whatever death of ours (kill -9 too), it ends the children in their order.
 * @returns the child's identity
 */
export function tieToLife(pid: number, ending: Ending): string {
  const identity = identityOf(pid);
  if (identity === undefined) throw new Error(`Process ${pid} ended as soon as it began.`);
  const ward: Ward = { ...ending, pid, identity };
  openReaper().stdin?.write(`${JSON.stringify(ward)}\n`);
  return identity;
}

function openReaper(): ChildProcess {
  if (reaper && reaper.exitCode === null && reaper.signalCode === null) return reaper;
  const script = fileURLToPath(new URL("./reaper.ts", import.meta.url));
  const started = spawn(process.execPath, [script], {
    detached: true,
    stdio: ["pipe", "ignore", "inherit"],
    env: { NODE_ENV: "production" },
  });
  // Neither the process nor its pipe may keep us running: our end is what it waits for.
  started.unref();
  if (started.stdin instanceof Socket) started.stdin.unref();
  reaper = started;
  return started;
}

/** One long-running Node process. */
export type ChildSpec = {
  name: string;
  /** Arguments of the bundled Node, the script first. */
  args: string[];
  env: Record<string, string>;
  logFile: string;
  ending: Ending;
  /** "message": the child sends one over IPC when it serves. "probe": ask this until it answers true. */
  ready: "message" | (() => Promise<boolean>);
  readyDeadlineMs?: number;
};

export type Child = {
  name: string;
  pid: number;
  identity: string;
  /**
   * Resolves when it serves; rejects with the end of its log when it ends first or takes too long (killed then). To be
   * awaited at once, also by who may end it meanwhile.
   */
  ready: Promise<void>;
  /** Resolves when the process has ended, whatever the cause. */
  exited: Promise<string>;
  /** Ends it in its own way, killed after its grace time. */
  end(): Promise<void>;
  /** kill -9, for it and what it started. */
  kill(): Promise<void>;
};

/** The Node to run our TypeScript with: the bundled one where there is one. */
export function nodeBinary(): string {
  const bundled = inRepository("node_modules", ".bin", "node");
  return existsSync(bundled) ? bundled : process.execPath;
}

/** Starts a child, see {@link launchChild}, and waits until it serves. */
export async function startChild(spec: ChildSpec): Promise<Child> {
  const child = launchChild(spec);
  await child.ready;
  return child;
}

/**
 * Starts a child in a session of its own (a terminal's Ctrl-C does not reach it), tied to our life, writing to its log
 * file.
 * @throws Error when the system cannot start it
 */
function launchChild(spec: ChildSpec): Child {
  const log = openLog(spec.logFile);
  const spawned = spawn(nodeBinary(), spec.args, {
    cwd: repositoryRoot,
    detached: true,
    env: asProcessEnv(spec.env),
    stdio: spec.ready === "message" ? ["ignore", log, log, "ipc"] : ["ignore", log, log],
  });
  closeSync(log);
  const exited = new Promise<string>((resolve) => {
    spawned.once("exit", (code, name) => resolve(name ? `by ${name}` : `with code ${code}`));
    spawned.once("error", (error) => resolve(`before it began: ${error.message}`));
  });
  if (spawned.pid === undefined) throw new Error(`${spec.name} could not be started.`);
  const message = new Promise<void>((resolve) => spawned.once("message", () => resolve()));
  const control = controlOf(spec, spawned.pid, exited);
  const ready = becomeReady(spec, control, message).finally(() => {
    spawned.unref();
    spawned.channel?.unref();
  });
  return { ...control, ready };
}

/** Next narrows NODE_ENV to be always there; for a child it is what the record says. */
export function asProcessEnv(env: Record<string, string>): NodeJS.ProcessEnv {
  return env as NodeJS.ProcessEnv;
}

type Control = Omit<Child, "ready">;

function controlOf(spec: ChildSpec, pid: number, exited: Promise<string>): Control {
  const identity = tieToLife(pid, spec.ending);
  const kill = async () => {
    killGroup(pid);
    await exited;
  };
  const end = async () => {
    if (isRunning(pid, identity)) signal(pid, spec.ending.signal);
    if (!(await waitForEnd(pid, identity, spec.ending.graceMs))) await kill();
    killGroup(pid);
  };
  return { name: spec.name, pid, identity, exited, end, kill };
}

async function becomeReady(spec: ChildSpec, child: Control, message: Promise<void>): Promise<void> {
  const deadlineMs = spec.readyDeadlineMs ?? 60_000;
  const over = new AbortController();
  const late = after(deadlineMs, over.signal).then(() => `was not ready within ${deadlineMs / 1000} s`);
  const ended = child.exited.then((how) => `ended ${how}`);
  const serving = spec.ready === "message" ? message : probeUntilTrue(spec.ready, over.signal);
  const failure = await Promise.race([serving.then(() => undefined), ended, late]);
  over.abort();
  if (failure === undefined) return;
  await child.kill();
  throw new Error(`${spec.name} ${failure}. The end of ${spec.logFile}:\n${lastLines(spec.logFile, 25)}`);
}

async function probeUntilTrue(probe: () => Promise<boolean>, over: AbortSignal): Promise<void> {
  while (!over.aborted && !(await probe())) await after(100, over);
}

function after(ms: number, over: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    over.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/** kill -9 to the process and all that share its session. */
export function killGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch (error) {
    if (!isCode(error, "ESRCH")) throw error;
  }
}

const rotateBytes = 10 * 1024 * 1024;

/** Opens a log for appending; a big one from before is put aside as `.1`. */
export function openLog(file: string): number {
  mkdirSync(dirname(file), { recursive: true });
  if (existsSync(file) && statSync(file).size > rotateBytes) renameSync(file, `${file}.1`);
  return openSync(file, "a");
}

/** The last lines of a log, for an error's text. */
export function lastLines(file: string, count: number): string {
  return existsSync(file) ? readFileSync(file, "utf8").trimEnd().split("\n").slice(-count).join("\n") : "(no log)";
}

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
