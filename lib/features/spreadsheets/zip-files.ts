import "server-only";
import { extname } from "node:path";
import type { Readable } from "node:stream";
import { type Entry, fromBufferPromise, openPromise, type ZipFile } from "yauzl";
import { RATIO_MAX } from "./constants.ts";

export interface ZipLimits {
  /** Of all entries, with folders and files that are left out. */
  entriesMax: number;
  filesMax: number;
  /** Per file and in total, in bytes after inflating. */
  fileBytesMax: number;
  totalBytesMax: number;
  /** Other files are left out, so they don't count. All files without it. */
  isWanted?: (name: string) => boolean;
}

type ZipProblem =
  | ("broken" | "encrypted" | "bomb" | "bad_path")
  | ("too_many_entries" | "too_many_files" | "file_too_large");

export class ZipRefusal extends Error {
  readonly problem: ZipProblem;

  constructor(problem: ZipProblem, cause?: unknown) {
    super(problem, { cause });
    this.problem = problem;
  }
}

/** Small files may shrink more than real data does. */
const RATIO_FREE_BYTES = 1_000_000;

/** yauzl refuses absolute paths, `..`, and backslashes; these are also unusual. */
const isOddName = (name: string): boolean => /[\p{Cc}\\]/u.test(name) || name.length > 500;

const isFolder = ({ fileName }: Entry): boolean => fileName.endsWith("/");

const checkFiles = (files: readonly Entry[], limits: ZipLimits, packedBytes: number): void => {
  if (files.length > limits.filesMax) throw new ZipRefusal("too_many_files");
  let total = 0;
  for (const entry of files) {
    if (entry.isEncrypted()) throw new ZipRefusal("encrypted");
    if (!entry.canDecodeFileData()) throw new ZipRefusal("broken");
    total += entry.uncompressedSize;
    const { uncompressedSize, compressedSize } = entry;
    const isBomb = uncompressedSize > RATIO_FREE_BYTES && uncompressedSize > compressedSize * RATIO_MAX;
    if (isBomb || compressedSize > packedBytes) throw new ZipRefusal("bomb");
    if (uncompressedSize > limits.fileBytesMax) throw new ZipRefusal("file_too_large");
  }
  // Parts that overlap in the file would inflate the same bytes many times.
  if (total > limits.totalBytesMax || total > Math.max(RATIO_FREE_BYTES, packedBytes) * RATIO_MAX) {
    throw new ZipRefusal("bomb");
  }
};

const problemOf = (error: unknown): ZipRefusal => {
  if (error instanceof ZipRefusal) return error;
  const message = error instanceof Error ? error.message : "";
  const isPath = /^(absolute path|invalid relative path|invalid characters in fileName)/.test(message);
  return new ZipRefusal(isPath ? "bad_path" : "broken", error);
};

export interface OpenedZip {
  /** The wanted files without folders, whose declared sizes are within the limits. */
  files: Entry[];
  /** yauzl fails the stream when a file inflates to more or less than it declares. */
  read(entry: Entry): Promise<Readable>;
  close(): void;
}

const listFiles = async (zip: ZipFile, { entriesMax, isWanted = () => true }: ZipLimits): Promise<Entry[]> => {
  if (zip.entryCount > entriesMax) throw new ZipRefusal("too_many_entries");
  const files: Entry[] = [];
  for await (const entry of zip.eachEntry()) {
    if (isOddName(entry.fileName)) throw new ZipRefusal("bad_path");
    if (!isFolder(entry) && isWanted(entry.fileName)) files.push(entry);
  }
  return files;
};

/** Reads the list of files and checks it before anything is inflated. @throws ZipRefusal */
export const openZip = async (from: string | Buffer, limits: ZipLimits): Promise<OpenedZip> => {
  const options = { lazyEntries: true, autoClose: false, validateEntrySizes: true, strictFileNames: true } as const;
  let zip: ZipFile | null = null;
  try {
    zip = typeof from === "string" ? await openPromise(from, options) : await fromBufferPromise(from, options);
    const opened = zip;
    const files = await listFiles(opened, limits);
    checkFiles(files, limits, opened.fileSize);
    return {
      files,
      read: async (entry) => {
        try {
          return await opened.openReadStreamPromise(entry);
        } catch (error) {
          throw problemOf(error);
        }
      },
      close: () => opened.close(),
    };
  } catch (error) {
    zip?.close();
    throw problemOf(error);
  }
};

/** Reads one file into memory. @throws ZipRefusal */
export const readZipFile = async (zip: OpenedZip, entry: Entry): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of await zip.read(entry)) chunks.push(chunk);
  } catch (error) {
    throw problemOf(error);
  }
  return Buffer.concat(chunks);
};

const IMAGE_NAMES = new Set([".jpg", ".jpeg", ".png", ".gif", ".webp", ".heic", ".svg"]);

/** Images by their names; not what macOS adds. */
export const isImageName = (name: string): boolean =>
  IMAGE_NAMES.has(extname(name).toLowerCase()) && !/(^|\/)(__MACOSX\/|\._)/.test(name);
