import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { becomes, delay } from "./bounded.ts";
import type { Fault, FaultContext } from "./fault.ts";

/** Too small for any image. */
const SIZE = "4k";
const COMMAND_MS = 10_000;
const FULL_MS = 1_500;
const mounted = new Set<string>();

const run = (command: string, ...args: string[]) => spawnSync(command, args, { timeout: COMMAND_MS, encoding: "utf8" });

const mount = (folder: string): string | undefined => {
  const done = run("mount", "-t", "tmpfs", "-o", `size=${SIZE},mode=0777`, "tmpfs", folder);
  if (done.status !== 0) return (done.stderr || done.error?.message || "mount failed").trim().split("\n")[0];
  mounted.add(folder);
  return undefined;
};

/** @throws if the folder stays mounted */
const unmount = (folder: string): void => {
  if (!mounted.has(folder)) return;
  const done = [run("umount", folder), run("umount", "-l", folder)].find(({ status }) => status === 0);
  if (!done) throw new Error(`${folder} cannot be unmounted.`);
  mounted.delete(folder);
};

// No mount may remain, however this process ends.
process.on("exit", () => {
  for (const folder of mounted) run("umount", "-l", folder);
});

/** Tries to mount on an unused folder. */
const unsupportedReason = async (): Promise<string | undefined> => {
  const folder = mkdtempSync(join(tmpdir(), "faults-mount-"));
  try {
    const refusal = mount(folder);
    if (refusal === undefined) unmount(folder);
    return refusal && `a file system may not be mounted here (${refusal})`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

const images = ({ stack }: FaultContext): string => join(stack.storageDir, "pins");

/** The disk for images is full for a while. */
export const diskFaults: readonly Fault[] = [
  {
    name: "disk-full",
    what: "the disk for images is full for a while",
    phase: "generation",
    needsImageFolder: true,
    unsupportedReason: unsupportedReason,
    arm: async (context) => {
      mkdirSync(images(context), { recursive: true });
      const refusal = mount(images(context));
      if (refusal !== undefined) throw new Error(`The disk could not be filled: ${refusal}`);
    },
    inject: async (context) => {
      const { openAi } = context.stack.proxies;
      const isDrawn = ({ path, status }: { path: string; status: number }) => /images/.test(path) && status === 200;
      const before = openAi.seen().filter(isDrawn).length;
      const rendered = () => openAi.seen().filter(isDrawn).length - before;
      if (!(await becomes(() => rendered() > 0, 45_000)))
        context.complain("no image was rendered while the disk was full");
      await delay(FULL_MS);
      context.injected(rendered());
    },
    heal: async (context) => unmount(images(context)),
  },
];
