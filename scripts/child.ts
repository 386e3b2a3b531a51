import { spawn } from "node:child_process";
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, renameSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { type Ending, tieToLife } from "./lifeline.ts";
import { isCode, isRunning, signal, waitForEnd } from "./pid.ts";
import { inRepository, repositoryRoot } from "./root.ts";

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
export function launchChild(spec: ChildSpec): Child {
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
