import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";

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
