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
  drainBody,
  endSalvages,
  openSpool,
  type Salvage,
  type Spool,
  salvageFiles,
  sweepSpools,
} from "./upload-files.ts";

/** What an upload may be: more is refused while it arrives. */
export interface UploadRules {
  /** Which parts are files; all others are texts, whatever the sender calls them. */
  isFile: (name: string) => boolean;
  fileBytesMax: number;
  filesMax: number;
  totalBytesMax: number;
  /** What is said about a file that is too large. */
  tooLargeText: string;
}

/** What came: texts and files by the names of their parts. Files lie on the disk until `discard`. */
export interface Upload {
  fields: Map<string, string>;
  files: Map<string, UploadedFile>;
  discard(): Promise<void>;
}

const FIELD_BYTES_MAX = 1_000_000;
/** Texts stay in memory: of all together not much more than a hundred pins of the longest words need. */
const FIELDS_BYTES_MAX = 2_000_000;
/** A sender of whom nothing comes for so long is gone, and holds room that others need. */
const IDLE_MS = 30_000;
const PART_NAME_MAX = 200;
const TEXTS_TOO_LARGE = `The texts may have at most ${FIELDS_BYTES_MAX / 1_000_000} MB together.`;
const NO_ROOM = "So many images are being sent just now that there is no room for more. Please try again in a minute.";

type Parser = InstanceType<typeof Busboy>;

/** An upload in the making; `fail` is called with whatever is wrong with it, of which the first counts. */
interface Arrival {
  parser: Parser;
  fault: AppError | null;
  /** Who waits for it just now. */
  wake: ((error: AppError) => void) | null;
  fail: (error: AppError) => void;
  /** It broke off: nothing is wrong with what came. */
  isCut: boolean;
  /** Fails because no more comes. @returns the error. */
  cut: (error: AppError) => AppError;
  /** All that the sender sent was read. */
  isRead: boolean;
  /** Names of all parts that came, in their order. */
  names: Set<string>;
  fields: Map<string, string>;
  files: Map<string, UploadedFile>;
  writes: Promise<void>[];
  /** Ends the writing of files that will not come whole. */
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
  // What came whole is written to its end, whatever becomes of the rest; the parser ends half a file as well.
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
      fail(invalid("Each part of the body needs a name of its own."));
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
    // Told by whoever writes it, and by the parser; of a part that nobody reads nobody else would catch it.
    stream.on("error", () => {});
    if (arrival.fault || !isNew(name)) return stream.resume();
    const write = spoolFile(arrival, name, stream, join(dir, String(files.size + writes.length)));
    writes.push(write.catch((error: unknown) => fail(toAppError(error))));
  });
  parser.on("filesLimit", () => fail(invalid(`At most ${rules.filesMax} files can be sent at once.`)));
  parser.on("partsLimit", () => fail(invalid("The body has too many parts.")));
  parser.on("error", (error) => {
    const fault = invalid("The multipart body is not complete or not well formed.", error);
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

/**
 * Waits for something, or fails with the arrival. Racing one promise that lives as long as the arrival would keep what
 * every race came to until then: the whole body, in memory.
 */
const unlessFailed = <T>(arrival: Arrival, wait: Promise<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    arrival.wake = reject;
    wait.then(resolve, reject);
    if (arrival.fault) reject(arrival.fault);
  });

type Reader = ReadableStreamDefaultReader<Uint8Array>;

const readNext = async (reader: Reader, arrival: Arrival) => {
  const cut = (cause?: unknown) => arrival.cut(invalid("The body broke off.", cause));
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

/** Feeds the parser as fast as the disk takes it. */
const feed = async (reader: Reader, arrival: Arrival, spool: Spool, max: number): Promise<void> => {
  const { parser } = arrival;
  let total = 0;
  for (;;) {
    const { done, value } = await readNext(reader, arrival);
    if (done) break;
    total += value.byteLength;
    if (total > max) throw new AppError("too_large", { text: `At most ${max / 1_000_000} MB can be sent at once.` });
    if (!spool.take(value.byteLength)) throw new AppError("too_many", { text: NO_ROOM, retryAfterSeconds: 60 });
    if (!parser.write(value)) await unlessFailed(arrival, once(parser, "drain"));
  }
  arrival.isRead = true;
  const finished = once(parser, "finish");
  parser.end();
  await unlessFailed(arrival, finished);
  await unlessFailed(arrival, Promise.all(arrival.writes));
};

/** The files that came whole, in the order of their parts: small ones are written side by side and end in any order. */
const filesInOrder = ({ names, files }: Arrival): Map<string, UploadedFile> =>
  new Map(
    [...names].flatMap((name) => {
      const file = files.get(name);
      return file ? [[name, file] as const] : [];
    }),
  );

/** Leaves nothing open: a part whose rest never comes would be waited for as long as the process lives. */
const abandon = async (arrival: Arrival, error: unknown): Promise<void> => {
  arrival.fail(toAppError(error));
  arrival.stop.abort();
  arrival.parser.destroy();
  await Promise.all(arrival.writes);
};

/**
 * Receives a multipart body: files go to the disk as they come, texts are kept.
 * @throws AppError `too_large` for a file, a text, all texts or a body over its limit, as soon as it is; `invalid` for what is no
 * multipart body, ends early, stands still, or names two parts alike; `too_many` when the uploads of this process, or of
 * this user (`owner`), have no room left on the disk. Nothing stays there then; `salvage` is given what came whole of
 * one that ends early or stands still, until the same user's next upload begins.
 */
export const receiveUpload = async (
  request: Request,
  rules: UploadRules,
  owner: string,
  salvage?: Salvage,
): Promise<Upload> => {
  await sweepSpools();
  if (salvage) endSalvages(owner);
  const spool = await openSpool(owner);
  const reader = request.body?.getReader();
  let arrival: Arrival | undefined;
  try {
    if (!reader) throw invalid("The body must be multipart/form-data.");
    arrival = openArrival(request, rules, spool);
    await feed(reader, arrival, spool, rules.totalBytesMax);
    return { fields: arrival.fields, files: filesInOrder(arrival), discard: spool.discard };
  } catch (error) {
    if (arrival) await abandon(arrival, error);
    const tidy = async () => {
      if (arrival?.isCut && salvage) {
        await salvageFiles(salvage, { owner, spool, fields: arrival.fields, files: filesInOrder(arrival) });
      }
      await spool.discard();
    };
    await Promise.all([tidy(), reader && drainBody(reader)]);
    throw error instanceof AppError ? error : invalid("The body broke off.", error);
  }
};
