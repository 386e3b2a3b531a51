import "server-only";
import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { UploadedFile } from "#lib/core/images.ts";
import { HOUR_MS } from "#lib/core/time.ts";

/** Folders of uploads in the making, below the machine's place for such things. */
const SPOOL_PREFIX = "pin-upload-";
/** Longer than any upload takes. */
const FORGOTTEN_MS = 6 * HOUR_MS;

let sweptAtMs = Number.NEGATIVE_INFINITY;

const ageMs = async (path: string): Promise<number> => {
  try {
    return Date.now() - (await stat(path)).mtimeMs;
  } catch (error) {
    // Its upload ended meanwhile.
    if (error instanceof Error) return 0;
    throw error;
  }
};

/** Removes what uploads left on the disk whose process died; looks once in a while. */
export const sweepSpools = async (): Promise<void> => {
  if (performance.now() - sweptAtMs < FORGOTTEN_MS) return;
  sweptAtMs = performance.now();
  const names = (await readdir(tmpdir())).filter((name) => name.startsWith(SPOOL_PREFIX));
  for (const path of names.map((name) => join(tmpdir(), name))) {
    if ((await ageMs(path)) > FORGOTTEN_MS) await rm(path, { recursive: true, force: true });
  }
};

/** What the uploads of this process may have on the disk at a time: four of the largest. */
export const SPOOL_BYTES_MAX = 4_000_000_000;
/** What those of one user may have of it: one of the largest, so that nobody takes the room of all. */
export const SPOOL_BYTES_EACH = 1_000_000_000;

let spooledBytes = 0;
/** The same by user, of whoever has any. */
const spooledBy = new Map<string, number>();

const note = (owner: string, bytes: number): void => {
  spooledBytes += bytes;
  const own = (spooledBy.get(owner) ?? 0) + bytes;
  if (own > 0) spooledBy.set(owner, own);
  else spooledBy.delete(owner);
};

/** A folder for one upload. */
export interface Spool {
  dir: string;
  /** Takes room for bytes that came; false when there is none, and then nothing was taken. */
  take(bytes: number): boolean;
  /** Gives back room of what was taken and is removed already. */
  giveBack(bytes: number): void;
  /** Removes the folder, and gives the room back. */
  discard(): Promise<void>;
}

/**
 * Opens a folder for an upload in the making of that user. Counted is what really came: announcing much takes room from
 * nobody.
 */
export const openSpool = async (owner: string): Promise<Spool> => {
  const dir = await mkdtemp(join(tmpdir(), SPOOL_PREFIX));
  let taken = 0;
  return {
    dir,
    take: (bytes) => {
      if (spooledBytes + bytes > SPOOL_BYTES_MAX) return false;
      if ((spooledBy.get(owner) ?? 0) + bytes > SPOOL_BYTES_EACH) return false;
      note(owner, bytes);
      taken += bytes;
      return true;
    },
    giveBack: (bytes) => {
      note(owner, -bytes);
      taken -= bytes;
    },
    discard: async () => {
      await rm(dir, { recursive: true, force: true });
      note(owner, -taken);
      taken = 0;
    },
  };
};

/** What is done with files that came whole, before they go with an upload that broke off. */
export interface Salvage {
  /** Takes one of them; `fields` are the texts that had come. */
  keep: (file: UploadedFile, fields: ReadonlyMap<string, string>) => Promise<void>;
  /** Told why one could not be taken; the sender is told of the upload alone. */
  onError: (error: unknown) => void;
}

const underWay = new Set<{ owner: string; isOver: boolean }>();

/** Ends what is being salvaged for a user, after the file of just now: their next upload, which needs the room, is here. */
export const endSalvages = (owner: string): void => {
  for (const one of underWay) if (one.owner === owner) one.isOver = true;
};

interface Remains {
  owner: string;
  spool: Spool;
  files: ReadonlyMap<string, UploadedFile>;
  fields: ReadonlyMap<string, string>;
}

/** Salvages files one after the other, and gives back the room of each; after a failure no more are tried. */
export const salvageFiles = async (salvage: Salvage, { owner, spool, files, fields }: Remains): Promise<void> => {
  const run = { owner, isOver: false };
  underWay.add(run);
  try {
    for (const file of files.values()) {
      if (run.isOver) return;
      await salvage.keep(file, fields);
      await rm(file.path);
      spool.giveBack(file.bytes);
    }
  } catch (error) {
    salvage.onError(error);
  } finally {
    underWay.delete(run);
  }
};

/** Who answers before all was read waits so long for the rest, or the sender may never see the answer. */
const DRAIN_MS = 30_000;

type Reader = ReadableStreamDefaultReader<Uint8Array>;

const readOn = async (reader: Reader): Promise<void> => {
  while (!(await reader.read()).done);
};

/** Reads on without keeping anything, so that the sender, who sends on, comes to read the answer; for so long and no longer. */
export const drainBody = async (reader: Reader): Promise<void> => {
  const { promise: over, resolve: end } = Promise.withResolvers<"read" | "late">();
  const late = setTimeout(() => end("late"), DRAIN_MS);
  // What is waited for just then ends with it.
  const cut = over.then((why) => (why === "late" ? reader.cancel() : undefined));
  const ends = await Promise.allSettled([readOn(reader).finally(() => end("read")), cut]);
  clearTimeout(late);
  for (const one of ends) {
    // The sender went away: nobody reads an answer any more.
    if (one.status === "rejected" && !(one.reason instanceof Error)) throw one.reason;
  }
};
