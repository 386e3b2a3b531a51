import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { killGroup } from "./child.ts";
import { identityOf, isCode, isRunning, signal, waitForEnd } from "./pid.ts";

type Known = { name: string; pid: number; identity: string };

/** What runs from this checkout, as `.data/run.json` says. Ours alone: see {@link claimRun}. */
export type RunState = {
  supervisor: Known;
  url: string;
  children: Known[];
  env?: Record<string, string>;
  /** It was told to stop and drains. */
  isEnding?: boolean;
};

/** The claim on this checkout. `record` notes the children, `release` gives the claim back. */
export type Claim = {
  record(children: Known[]): void;
  /** Notes the app's settings, for commands that work on the running product. The file is its owner's alone to read. */
  announce(env: Record<string, string>): void;
  /** Notes that we are about to stop: whoever starts meanwhile waits for it. */
  ending(): void;
  release(): void;
};

const staleGraceMs = 20_000;
const drainDeadlineMs = 45_000;

/**
 * Claims the checkout for this process, after ending what a killed predecessor left behind. Numbers of processes are
 * given out again, so only those whose beginning matches too are ended.
 * @throws Error with one sentence when another instance runs
 */
export async function claimRun(file: string, url: string): Promise<Claim> {
  mkdirSync(dirname(file), { recursive: true });
  await endPredecessor(file);
  const supervisor = { name: "supervisor", pid: process.pid, identity: identityOf(process.pid) ?? "" };
  const state: RunState = { supervisor, url, children: [] };
  try {
    writeFileSync(file, JSON.stringify(state), { flag: "wx", mode: 0o600 });
  } catch (error) {
    if (isCode(error, "EEXIST")) throw new Error("Another start of this checkout was a moment faster.");
    throw error;
  }
  const update = (change: Partial<RunState>) => {
    Object.assign(state, change);
    writeFileSync(`${file}.new`, JSON.stringify(state), { mode: 0o600 });
    renameSync(`${file}.new`, file);
  };
  return {
    record: (children) => update({ children: children.map(({ name, pid, identity }) => ({ name, pid, identity })) }),
    announce: (env) => update({ env }),
    ending: () => update({ isEnding: true }),
    release: () => rmSync(file, { force: true }),
  };
}

async function endPredecessor(file: string): Promise<void> {
  const before = readState(file);
  if (!before) return;
  const { supervisor, url, children, isEnding } = before;
  const hasEnded = await waitForEnd(supervisor.pid, supervisor.identity, isEnding ? drainDeadlineMs : 0);
  if (!hasEnded) {
    throw new Error(`Evertack already runs from this folder (process ${supervisor.pid}, ${url}). Stop it first.`);
  }
  for (const child of children) {
    if (!isRunning(child.pid, child.identity)) continue;
    signal(child.pid, child.name === "postgres" ? "SIGINT" : "SIGTERM");
    if (!(await waitForEnd(child.pid, child.identity, staleGraceMs))) killGroup(child.pid);
  }
  rmSync(file, { force: true });
}

/** The state a run left or keeps, undefined when there is none (or half of one, after a full disk). */
export function readState(file: string): RunState | undefined {
  if (!existsSync(file)) return undefined;
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    rmSync(file);
    return undefined;
  }
}

/** The state of the instance that runs from this checkout now, undefined when none does. */
export function readRunning(file: string): RunState | undefined {
  const state = readState(file);
  return state && isRunning(state.supervisor.pid, state.supervisor.identity) ? state : undefined;
}
