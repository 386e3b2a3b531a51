import "server-only";
import { randomUUID } from "node:crypto";
import { mkdir, open, readFile, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { assertStorageKey, type StoragePort } from "./port.ts";

/** New files are written here first; on the same file system as their places, so that the move is atomic. */
const DESK = ".incoming";

const isMissing = (thrown: unknown): boolean => thrown instanceof Error && "code" in thrown && thrown.code === "ENOENT";

const writeDurably = async (path: string, bytes: Uint8Array): Promise<void> => {
  const file = await open(path, "wx");
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
};

/** A rename survives a power cut only when its folder was synced too. */
const syncFolder = async (path: string): Promise<void> => {
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
};

const putFile = async (root: string, key: string, bytes: Uint8Array): Promise<void> => {
  const target = join(root, key);
  const draft = join(root, DESK, randomUUID());
  await mkdir(join(root, DESK), { recursive: true });
  await mkdir(dirname(target), { recursive: true });
  try {
    await writeDurably(draft, bytes);
    await rename(draft, target);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  await syncFolder(dirname(target));
};

/** Objects as files below one folder, which is made when first needed. @throws Error for a key of another shape. */
export const createFileStorage = (dir: string): StoragePort => ({
  put: async (key, bytes) => {
    assertStorageKey(key);
    await putFile(dir, key, bytes);
  },
  get: async (key) => {
    assertStorageKey(key);
    try {
      return new Uint8Array(await readFile(join(dir, key)));
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  },
  has: async (key) => {
    assertStorageKey(key);
    try {
      return (await stat(join(dir, key))).isFile();
    } catch (error) {
      if (isMissing(error)) return false;
      throw error;
    }
  },
  delete: async (key) => {
    assertStorageKey(key);
    await rm(join(dir, key), { force: true });
  },
});
