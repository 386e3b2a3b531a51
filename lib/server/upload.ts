import "server-only";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { Busboy, type BusboyFileStream } from "@fastify/busboy";
import { AppError, toAppError } from "#lib/core/errors.ts";
import type { UploadedFile } from "#lib/core/images.ts";
import {
  cancelRecovery,
  drainBody,
  openSpool,
  type PartialUploadHandler,
  recoverFiles,
  type Spool,
  sweepSpools,
} from "./upload-files.ts";

/** Limits enforced while the body is received. */
export interface UploadRules {
  isFile: (name: string) => boolean;
  fileBytesMax: number;
  /** For parts with a smaller limit than the others. */
  smaller?: Readonly<Record<string, { bytesMax: number; tooLargeText: string }>>;
  filesMax: number;
  totalBytesMax: number;
  tooLargeText: string;
  /** Throws to refuse the body before it is received. */
  admit?: () => Promise<void>;
}

/** Files stay on disk until `discard`. */
export interface Upload {
  fields: Map<string, string>;
  files: Map<string, UploadedFile>;
  discard(): Promise<void>;
}

const FIELD_BYTES_MAX = 1_000_000;
/** Fields stay in memory; this fits a hundred pins with the longest texts. */
const FIELDS_BYTES_MAX = 2_000_000;
const IDLE_MS = 30_000;
const PART_NAME_MAX = 200;
const TEXTS_TOO_LARGE = `Text fields can't be larger than ${FIELDS_BYTES_MAX / 1_000_000} MB in total.`;
const NO_SPACE = "Too many files are being uploaded right now. Please try again in a minute.";

type Parser = InstanceType<typeof Busboy>;

/** Only the first call of `fail` counts. */
interface Arrival {
  parser: Parser;
  fault: AppError | null;
  wake: ((error: AppError) => void) | null;
  fail: (error: AppError) => void;
  /** The upload was interrupted; the received parts are valid. */
  isCut: boolean;
  cut: (error: AppError) => AppError;
  isRead: boolean;
  /** In order of arrival. */
  names: Set<string>;
  fields: Map<string, string>;
  files: Map<string, UploadedFile>;
  writes: Promise<void>[];
  stop: AbortController;
}

const invalid = (text: string, cause?: unknown): AppError => new AppError("invalid", { text, cause });

const openParser = (request: Request, rules: UploadRules): Parser => {
  const contentType = request.headers.get("content-type") ?? "";
  try {
    return new Busboy({
      headers: { "content-type": contentType },
      isPartAFile: (name) => name !== undefined && rules.isFile(name),
      limits: {
        fieldSize: FIELD_BYTES_MAX,
        fileSize: rules.fileBytesMax,
        files: rules.filesMax,
        parts: rules.filesMax * 3,
        headerPairs: 50,
        headerSize: 16_000,
      },
    });
  } catch (error) {
    throw invalid("The body must be multipart/form-data.", error);
  }
};

const spoolFile = async (arrival: Arrival, name: string, stream: BusboyFileStream, path: string): Promise<void> => {
  const digest = createHash("sha256");
  let bytes = 0;
  stream.on("data", (chunk: Buffer) => {
    digest.update(chunk);
    bytes += chunk.byteLength;
  });
  const file = createWriteStream(path, { flags: "wx", mode: 0o600 });
  const stop = new AbortController();
  const cut = () => stop.abort();
  arrival.stop.signal.addEventListener("abort", cut);
  let isWhole = false;
  // Complete files are always written to the end; the parser also ends truncated ones, hence the check.
  stream.once("end", () => {
    isWhole = arrival.fault === null;
    if (isWhole) arrival.stop.signal.removeEventListener("abort", cut);
  });
  await pipeline(stream, file, { signal: stop.signal });
  if (isWhole) arrival.files.set(name, { path, bytes, sha256: digest.digest("hex") });
};

const listen = (arrival: Arrival, rules: UploadRules, { dir }: Spool): void => {
  const { parser, names, fields, files, writes, fail } = arrival;
  const isNew = (name: string | undefined): name is string => {
    if (name === undefined || name.length > PART_NAME_MAX || names.has(name)) {
      fail(invalid("Each part of the body needs a unique name."));
      return false;
    }
    names.add(name);
    return true;
  };
  let fieldsBytes = 0;
  parser.on("field", (name, value, _, isCut) => {
    fieldsBytes += Buffer.byteLength(value);
    if (isCut) fail(new AppError("too_large"));
    else if (fieldsBytes > FIELDS_BYTES_MAX) fail(new AppError("too_large", { text: TEXTS_TOO_LARGE }));
    else if (isNew(name)) fields.set(name, value);
  });
  parser.on("file", (name, stream) => {
    stream.on("limit", () => fail(new AppError("too_large", { text: rules.tooLargeText })));
    // The writer and the parser report errors; this prevents an unhandled one on skipped parts.
    stream.on("error", () => {});
    if (arrival.fault || !isNew(name)) return stream.resume();
    const limit = rules.smaller?.[name];
    let bytes = 0;
    if (limit) {
      stream.on("data", (chunk: Buffer) => {
        bytes += chunk.byteLength;
        if (bytes > limit.bytesMax) fail(new AppError("too_large", { text: limit.tooLargeText }));
      });
    }
    const write = spoolFile(arrival, name, stream, join(dir, String(files.size + writes.length)));
    writes.push(write.catch((error: unknown) => fail(toAppError(error))));
  });
  parser.on("filesLimit", () => fail(invalid(`At most ${rules.filesMax} files can be uploaded at once.`)));
  parser.on("partsLimit", () => fail(invalid("The body has too many parts.")));
  parser.on("error", (error) => {
    const fault = invalid("The multipart body is incomplete or malformed.", error);
    (arrival.isRead ? arrival.cut : fail)(fault);
  });
};

const openArrival = (request: Request, rules: UploadRules, spool: Spool): Arrival => {
  const arrival: Arrival = {
    parser: openParser(request, rules),
    fault: null,
    wake: null,
    fail: (error) => {
      arrival.fault ??= error;
      arrival.wake?.(arrival.fault);
    },
    isCut: false,
    cut: (error) => {
      arrival.isCut ||= arrival.fault === null;
      arrival.fail(error);
      return error;
    },
    isRead: false,
    names: new Set(),
    fields: new Map(),
    files: new Map(),
    writes: [],
    stop: new AbortController(),
  };
  listen(arrival, rules, spool);
  return arrival;
};

/** `Promise.race` with a long-lived promise would retain every chunk in memory. */
const unlessFailed = <T>(arrival: Arrival, wait: Promise<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    arrival.wake = reject;
    wait.then(resolve, reject);
    if (arrival.fault) reject(arrival.fault);
  });

type Reader = ReadableStreamDefaultReader<Uint8Array>;

const readNext = async (reader: Reader, arrival: Arrival) => {
  const cut = (cause?: unknown) => arrival.cut(invalid("The upload was interrupted.", cause));
  const idle = setTimeout(cut, IDLE_MS);
  const read = reader.read().catch((error: unknown) => {
    throw cut(error);
  });
  try {
    return await unlessFailed(arrival, read);
  } finally {
    clearTimeout(idle);
  }
};

const feed = async (reader: Reader, arrival: Arrival, spool: Spool, max: number): Promise<void> => {
  const { parser } = arrival;
  let total = 0;
  for (;;) {
    const { done, value } = await readNext(reader, arrival);
    if (done) break;
    total += value.byteLength;
    if (total > max)
      throw new AppError("too_large", { text: `At most ${max / 1_000_000} MB can be uploaded at once.` });
    if (!spool.reserve(value.byteLength)) throw new AppError("too_many", { text: NO_SPACE, retryAfterSeconds: 60 });
    if (!parser.write(value)) await unlessFailed(arrival, once(parser, "drain"));
  }
  arrival.isRead = true;
  const finished = once(parser, "finish");
  parser.end();
  await unlessFailed(arrival, finished);
  await unlessFailed(arrival, Promise.all(arrival.writes));
};

/** Concurrent writes finish in any order. */
const filesInOrder = ({ names, files }: Arrival): Map<string, UploadedFile> =>
  new Map(
    [...names].flatMap((name) => {
      const file = files.get(name);
      return file ? [[name, file] as const] : [];
    }),
  );

/** So that no stream waits for missing data forever. */
const abandon = async (arrival: Arrival, error: unknown): Promise<void> => {
  arrival.fail(toAppError(error));
  arrival.stop.abort();
  arrival.parser.destroy();
  await Promise.all(arrival.writes);
};

/**
 * On failure all files are removed, but `recovery` gets the complete ones of an interrupted upload first.
 * @throws AppError what `admit` throws; `too_large`; `invalid` for malformed or interrupted bodies; `too_many` when disk space runs out
 */
export const receiveUpload = async (
  request: Request,
  rules: UploadRules,
  owner: string,
  recovery?: PartialUploadHandler,
): Promise<Upload> => {
  await sweepSpools();
  if (recovery) cancelRecovery(owner);
  const spool = await openSpool(owner);
  const reader = request.body?.getReader();
  let arrival: Arrival | undefined;
  try {
    if (!reader) throw invalid("The body must be multipart/form-data.");
    await rules.admit?.();
    arrival = openArrival(request, rules, spool);
    await feed(reader, arrival, spool, rules.totalBytesMax);
    return { fields: arrival.fields, files: filesInOrder(arrival), discard: spool.discard };
  } catch (error) {
    if (arrival) await abandon(arrival, error);
    const tidy = async () => {
      if (arrival?.isCut && recovery) {
        await recoverFiles(recovery, { owner, spool, fields: arrival.fields, files: filesInOrder(arrival) });
      }
      await spool.discard();
    };
    await Promise.all([tidy(), reader && drainBody(reader)]);
    throw error instanceof AppError ? error : invalid("The upload was interrupted.", error);
  }
};
