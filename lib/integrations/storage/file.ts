import "server-only";
import { randomUUID } from "node:crypto";
import { copyFile, mkdir, open, readFile, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { assertStorageKey, type ByteRange, type StoragePort, type StoredObject } from "./port.ts";

/** New files are written here first. On the same file system, so that the rename is atomic. */
const INCOMING_DIR = ".incoming";

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

const copyDurably = async (path: string, source: string): Promise<void> => {
  await copyFile(source, path);
  const file = await open(path, "r+");
  try {
    await file.sync();
  } finally {
    await file.close();
  }
};

/** A rename survives a power failure only when its folder is synced too. */
const syncFolder = async (path: string): Promise<void> => {
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
};

const replaceFile = async (root: string, key: string, write: (draft: string) => Promise<void>): Promise<void> => {
  const target = join(root, key);
  const draft = join(root, INCOMING_DIR, randomUUID());
  await mkdir(join(root, INCOMING_DIR), { recursive: true });
  await mkdir(dirname(target), { recursive: true });
  try {
    await write(draft);
    await rename(draft, target);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  await syncFolder(dirname(target));
};

const openFile = async (path: string, range?: ByteRange): Promise<StoredObject | null> => {
  try {
    const file = await open(path, "r");
    const { size } = await file.stat();
    return { body: file.createReadStream(range ?? {}), bytes: size };
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
};

/** Stores objects as files in one folder, which is created on demand. Methods throw for an invalid key. */
export const createFileStorage = (dir: string): StoragePort => ({
  put: async (key, bytes) => {
    assertStorageKey(key);
    await replaceFile(dir, key, (draft) => writeDurably(draft, bytes));
  },
  putFile: async (key, path) => {
    assertStorageKey(key);
    await replaceFile(dir, key, (draft) => copyDurably(draft, path));
  },
  open: async (key, range) => {
    assertStorageKey(key);
    return openFile(join(dir, key), range);
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
