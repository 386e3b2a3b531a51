import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { becomes, delay } from "./bounded.ts";
import type { Fault, Scene } from "./fault.ts";

/** Too little for any picture. */
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

/** @throws when the folder stays mounted */
const unmount = (folder: string): void => {
  if (!mounted.has(folder)) return;
  const done = [run("umount", folder), run("umount", "-l", folder)].find(({ status }) => status === 0);
  if (!done) throw new Error(`${folder} cannot be unmounted.`);
  mounted.delete(folder);
};

// Whatever ends this process: no file system of its may stay behind.
process.on("exit", () => {
  for (const folder of mounted) run("umount", "-l", folder);
});

/** Tries it on a folder that nobody uses. */
const whyNot = async (): Promise<string | undefined> => {
  const folder = mkdtempSync(join(tmpdir(), "faults-mount-"));
  try {
    const refusal = mount(folder);
    if (refusal === undefined) unmount(folder);
    return refusal && `a file system may not be mounted here (${refusal})`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

const pictures = ({ world }: Scene): string => join(world.storageDir, "pins");

/** The disk that pictures are kept on is full for a while. */
export const diskFaults: readonly Fault[] = [
  {
    name: "disk-full",
    what: "the disk of the pictures is full for a while",
    phase: "making",
    unable: whyNot,
    arm: async (scene) => {
      mkdirSync(pictures(scene), { recursive: true });
      const refusal = mount(pictures(scene));
      if (refusal !== undefined) throw new Error(`The disk could not be filled: ${refusal}`);
    },
    strike: async (scene) => {
      const { openAi } = scene.world.proxies;
      const isDrawn = ({ path, status }: { path: string; status: number }) => /images/.test(path) && status === 200;
      const before = openAi.seen().filter(isDrawn).length;
      const drawn = () => openAi.seen().filter(isDrawn).length - before;
      if (!(await becomes(() => drawn() > 0, 45_000))) scene.complain("no picture was drawn while the disk was full");
      await delay(FULL_MS);
      scene.injected(drawn());
    },
    heal: async (scene) => unmount(pictures(scene)),
  },
];
