import "server-only";
import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { UploadedFile } from "#lib/core/images.ts";
import { HOUR_MS } from "#lib/core/time.ts";

export const SPOOL_PREFIX = "pin-upload-";
/** Longer than any upload takes. */
const STALE_MS = 6 * HOUR_MS;

let sweptAtMs = Number.NEGATIVE_INFINITY;

const ageMs = async (path: string): Promise<number> => {
  try {
    return Date.now() - (await stat(path)).mtimeMs;
  } catch (error) {
    if (error instanceof Error) return 0;
    throw error;
  }
};

/** Left by crashed processes. */
export const sweepSpools = async (): Promise<void> => {
  if (performance.now() - sweptAtMs < STALE_MS) return;
  sweptAtMs = performance.now();
  const names = (await readdir(tmpdir())).filter((name) => name.startsWith(SPOOL_PREFIX));
  for (const path of names.map((name) => join(tmpdir(), name))) {
    if ((await ageMs(path)) > STALE_MS) await rm(path, { recursive: true, force: true });
  }
};

/** Four of the largest uploads. */
export const SPOOL_BYTES_MAX = 4_000_000_000;
/** One of the largest uploads. */
export const SPOOL_BYTES_EACH = 1_000_000_000;

let spooledBytes = 0;
const spooledBy = new Map<string, number>();

const track = (owner: string, bytes: number): void => {
  spooledBytes += bytes;
  const own = (spooledBy.get(owner) ?? 0) + bytes;
  if (own > 0) spooledBy.set(owner, own);
  else spooledBy.delete(owner);
};

export interface Spool {
  dir: string;
  /** False when there is none left. */
  reserve(bytes: number): boolean;
  release(bytes: number): void;
  discard(): Promise<void>;
}

/** Space is counted as bytes arrive, not by the announced length. */
export const openSpool = async (owner: string): Promise<Spool> => {
  const dir = await mkdtemp(join(tmpdir(), SPOOL_PREFIX));
  let taken = 0;
  return {
    dir,
    reserve: (bytes) => {
      if (spooledBytes + bytes > SPOOL_BYTES_MAX) return false;
      if ((spooledBy.get(owner) ?? 0) + bytes > SPOOL_BYTES_EACH) return false;
      track(owner, bytes);
      taken += bytes;
      return true;
    },
    release: (bytes) => {
      track(owner, -bytes);
      taken -= bytes;
    },
    discard: async () => {
      await rm(dir, { recursive: true, force: true });
      track(owner, -taken);
      taken = 0;
    },
  };
};

export interface PartialUploadHandler {
  /** `fields` are the text fields received so far. */
  keep: (file: UploadedFile, fields: ReadonlyMap<string, string>) => Promise<void>;
  onError: (error: unknown) => void;
}

const underWay = new Set<{ owner: string; isOver: boolean }>();

/** Stops saving images of the owner's interrupted uploads, because the next upload needs the space. */
export const cancelRecovery = (owner: string): void => {
  for (const one of underWay) if (one.owner === owner) one.isOver = true;
};

interface InterruptedUpload {
  owner: string;
  spool: Spool;
  files: ReadonlyMap<string, UploadedFile>;
  fields: ReadonlyMap<string, string>;
}

/** Stops at the first failure. */
export const recoverFiles = async (
  recovery: PartialUploadHandler,
  { owner, spool, files, fields }: InterruptedUpload,
): Promise<void> => {
  const run = { owner, isOver: false };
  underWay.add(run);
  try {
    for (const file of files.values()) {
      if (run.isOver) return;
      await recovery.keep(file, fields);
      await rm(file.path);
      spool.release(file.bytes);
    }
  } catch (error) {
    recovery.onError(error);
  } finally {
    underWay.delete(run);
  }
};

/** How long to read the rest of a rejected body; clients may not see the response before they finish sending. */
const DRAIN_MS = 30_000;

type Reader = ReadableStreamDefaultReader<Uint8Array>;

const readOn = async (reader: Reader): Promise<void> => {
  while (!(await reader.read()).done);
};

export const drainBody = async (reader: Reader): Promise<void> => {
  const { promise: over, resolve: end } = Promise.withResolvers<"read" | "late">();
  const late = setTimeout(() => end("late"), DRAIN_MS);
  // Canceling also ends a pending read.
  const cut = over.then((why) => (why === "late" ? reader.cancel() : undefined));
  const ends = await Promise.allSettled([readOn(reader).finally(() => end("read")), cut]);
  clearTimeout(late);
  for (const one of ends) {
    // The client disconnected.
    if (one.status === "rejected" && !(one.reason instanceof Error)) throw one.reason;
  }
};
