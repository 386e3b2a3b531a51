import "server-only";
import { rm } from "node:fs/promises";
import type { UploadedFile } from "#lib/core/uploaded-file.ts";
import type { Spool } from "./upload-spools.ts";

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
