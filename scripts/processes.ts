import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  fchmodSync,
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
 * The start time of a process as an opaque text; undefined if it is not running or a zombie. Process ids are reused, so
 * only both together identify a process.
 */
export function identityOf(pid: number): string | undefined {
  return process.platform === "linux" ? linuxIdentity(pid) : portableIdentity(pid);
}

/** Whether the process with this identity is still running. */
export function isRunning(pid: number, identity: string): boolean {
  return identityOf(pid) === identity;
}

/** Waits until the process has ended. @returns false if it is still running after `deadlineMs`. */
export async function waitForEnd(pid: number, identity: string, deadlineMs: number): Promise<boolean> {
  const deadline = performance.now() + deadlineMs;
  while (isRunning(pid, identity)) {
    if (performance.now() > deadline) return false;
    await delay(20);
  }
  return true;
}

/** Sends a signal; ignores a process that has just ended. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (!hasErrorCode(error, "ESRCH")) throw error;
  }
}

/** Whether an error has this system code, e.g. `ENOENT`. */
export function hasErrorCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}

function linuxIdentity(pid: number): string | undefined {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  } catch (error) {
    if (hasErrorCode(error, "ENOENT") || hasErrorCode(error, "ESRCH")) return undefined;
    throw error;
  }
  // The command name is in parentheses and may contain anything, so count fields from its end.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return fields[0] === "Z" || fields[0] === "X" ? undefined : fields[19];
}

function portableIdentity(pid: number): string | undefined {
  try {
    const [state, ...started] = execFileSync("ps", ["-o", "state=,lstart=", "-p", String(pid)], { encoding: "utf8" })
      .trim()
      .split(/\s+/);
    return state?.startsWith("Z") ? undefined : started.join(" ");
  } catch (error) {
    if (error instanceof Error && "status" in error && error.status === 1) return undefined;
    throw error;
  }
}

/** How a child ends: lower `order` first, by `signal`, killed after `graceMs`. */
export type Ending = { order: number; signal: NodeJS.Signals; graceMs: number };

/** A process that the reaper ends. */
export type WatchedProcess = Ending & { pid: number; identity: string };

let reaper: ChildProcess | undefined;

/**
 * Makes sure that a child does not outlive this process. A small reaper process holds the other end of a pipe; when the
 * pipe closes, even by kill -9, it ends the children in order.
 * @returns the child's identity
 */
export function endWithParent(pid: number, ending: Ending): string {
  const identity = identityOf(pid);
  if (identity === undefined) throw new Error(`Process ${pid} ended immediately.`);
  const watched: WatchedProcess = { ...ending, pid, identity };
  openReaper().stdin?.write(`${JSON.stringify(watched)}\n`);
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
  // Neither the reaper nor its pipe may keep this process running.
  started.unref();
  if (started.stdin instanceof Socket) started.stdin.unref();
  reaper = started;
  return started;
}

/** A long-running Node process. */
export type ChildSpec = {
  name: string;
  /** Arguments for Node, the script first. */
  args: string[];
  env: Record<string, string>;
  logFile: string;
  ending: Ending;
  /**
   * "message": the child sends a message over IPC once it is serving. Otherwise a probe to repeat until it returns
   * true.
   */
  ready: "message" | (() => Promise<boolean>);
  readyDeadlineMs?: number;
};

export type Child = {
  name: string;
  pid: number;
  identity: string;
  /**
   * Resolves once it is serving; rejects with the end of its log if it ends first or takes too long (then it is
   * killed). Handle it immediately, even if the child may be ended in the meantime.
   */
  ready: Promise<void>;
  /** Resolves when the process has ended, for whatever reason. */
  exited: Promise<string>;
  /** Ends it with its signal; kills it after the grace time. */
  end(): Promise<void>;
  /** kill -9 for it and its descendants. */
  kill(): Promise<void>;
};

/** The Node to run TypeScript with: the bundled one if available. */
export function nodeBinary(): string {
  const bundled = inRepository("node_modules", ".bin", "node");
  return existsSync(bundled) ? bundled : process.execPath;
}

/** Starts a child as {@link launchChild} does, and waits until it is serving. */
export async function startChild(spec: ChildSpec): Promise<Child> {
  const child = launchChild(spec);
  await child.ready;
  return child;
}

/**
 * Starts a child in its own session (Ctrl-C does not reach it), tied to this process, logging to its file.
 * @throws Error if the system can't start it
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
    spawned.once("error", (error) => resolve(`before it started: ${error.message}`));
  });
  if (spawned.pid === undefined) throw new Error(`${spec.name} could not be started.`);
  const message = new Promise<void>((resolve) => spawned.once("message", () => resolve()));
  const control = controlFor(spec, spawned.pid, exited);
  const ready = becomeReady(spec, control, message).finally(() => {
    spawned.unref();
    spawned.channel?.unref();
  });
  return { ...control, ready };
}

/** Next's types require NODE_ENV; for a child, the record decides. */
export function asProcessEnv(env: Record<string, string>): NodeJS.ProcessEnv {
  return env as NodeJS.ProcessEnv;
}

type Control = Omit<Child, "ready">;

function controlFor(spec: ChildSpec, pid: number, exited: Promise<string>): Control {
  const identity = endWithParent(pid, spec.ending);
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

/** kill -9 for the process and its whole session. */
export function killGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch (error) {
    if (!hasErrorCode(error, "ESRCH")) throw error;
  }
}

const rotateBytes = 10 * 1024 * 1024;

/** Only the owner may read it; an older version's log is changed too. */
const logMode = 0o600;

/** Opens a log for appending; rotates a large one to `.1`. */
export function openLog(file: string): number {
  mkdirSync(dirname(file), { recursive: true });
  if (existsSync(file) && statSync(file).size > rotateBytes) renameSync(file, `${file}.1`);
  const log = openSync(file, "a", logMode);
  fchmodSync(log, logMode);
  if (existsSync(`${file}.1`)) chmodSync(`${file}.1`, logMode);
  return log;
}

/** The last lines of a log, for error messages. */
export function lastLines(file: string, count: number): string {
  return existsSync(file) ? readFileSync(file, "utf8").trimEnd().split("\n").slice(-count).join("\n") : "(no log)";
}

/** Starts children, restarts those that die, and ends all of them in order. */
export type Supervisor = {
  /** Starts all children; rejects if one does not become ready. */
  start(specs: ChildSpec[]): Promise<void>;
  end(): Promise<void>;
};

type RunningChild = { spec: ChildSpec; child: Child };

type Supervision = {
  running: Map<string, RunningChild>;
  isEnding: boolean;
  log(line: string): void;
  onChange(children: Child[]): void;
};

const minPauseMs = 250;
const maxPauseMs = 10_000;
/** After this long, a child counts as stable, and the next restart is fast again. */
const stableMs = 30_000;
const logLimitBytes = 20 * 1024 * 1024;

/** @param log prints a line; @param onChange called when a child starts or ends */
export function createSupervisor(log: (line: string) => void, onChange: (children: Child[]) => void): Supervisor {
  const supervision: Supervision = { running: new Map(), isEnding: false, log, onChange };
  const logTrimmer = setInterval(() => {
    for (const { spec } of supervision.running.values()) trimLog(spec.logFile);
  }, 60_000);
  logTrimmer.unref();
  return {
    start: async (specs) => {
      const started = await Promise.all(specs.map((spec) => launch(supervision, spec)));
      for (const supervised of started) void keepRunning(supervision, supervised);
    },
    end: () => {
      clearInterval(logTrimmer);
      return endAll(supervision);
    },
  };
}

async function launch({ running, onChange }: Supervision, spec: ChildSpec): Promise<RunningChild> {
  const supervised = { spec, child: launchChild(spec) };
  running.set(spec.name, supervised);
  onChange([...running.values()].map(({ child }) => child));
  await supervised.child.ready;
  return supervised;
}

/** Never rejects: errors are printed and retried. */
async function keepRunning(supervision: Supervision, first: RunningChild): Promise<void> {
  const { spec } = first;
  let pauseMs = minPauseMs;
  for (let child = first.child; ; ) {
    const startedAt = performance.now();
    const how = await child.exited;
    if (supervision.isEnding) return;
    if (performance.now() - startedAt > stableMs) pauseMs = minPauseMs;
    supervision.log(`${spec.name} ended ${how}; restarting it (log: ${spec.logFile})`);
    const again = await relaunch(supervision, spec, pauseMs);
    if (!again) return;
    child = again;
    pauseMs = Math.min(pauseMs * 2, maxPauseMs);
  }
}

/** Returns undefined if everything is ending. */
async function relaunch(supervision: Supervision, spec: ChildSpec, firstWaitMs: number): Promise<Child | undefined> {
  for (let pauseMs = firstWaitMs; ; pauseMs = Math.min(pauseMs * 2, maxPauseMs)) {
    await delay(pauseMs);
    if (supervision.isEnding) return undefined;
    try {
      const { child } = await launch(supervision, spec);
      supervision.log(`${spec.name} is running again`);
      return child;
    } catch (error) {
      if (supervision.isEnding) return undefined;
      supervision.log(error instanceof Error ? error.message : String(error));
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

/** Children keep their log open, so a large one is copied and truncated in place. */
export function trimLog(file: string): void {
  if (!existsSync(file) || statSync(file).size < logLimitBytes) return;
  copyFileSync(file, `${file}.1`);
  chmodSync(`${file}.1`, logMode);
  truncateSync(file);
}
