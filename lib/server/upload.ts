import "server-only";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { Busboy, type BusboyFileStream } from "@fastify/busboy";
import { AppError, toAppError } from "#lib/core/errors.ts";
import type { UploadedFile } from "#lib/core/uploaded-file.ts";
import { openSpool, type Spool, sweepSpools } from "./upload-spools.ts";

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
/** Who answers before all was read waits so long for the rest, or the sender may never see the answer. */
const DRAIN_MS = 30_000;
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
  await pipeline(stream, file, { signal: arrival.stop.signal });
  arrival.files.set(name, { path, bytes, sha256: digest.digest("hex") });
};

const listen = (arrival: Arrival, rules: UploadRules, { dir }: Spool): void => {
  const { parser, fields, files, writes, fail } = arrival;
  const names = new Set<string>();
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
  parser.on("error", (error) => fail(invalid("The multipart body is not complete or not well formed.", error)));
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

type Into = { spool: Spool; max: number };
type Reader = ReadableStreamDefaultReader<Uint8Array>;

const readNext = async (reader: Reader, arrival: Arrival) => {
  const idle = setTimeout(() => arrival.fail(invalid("The body broke off.")), IDLE_MS);
  try {
    return await unlessFailed(arrival, reader.read());
  } finally {
    clearTimeout(idle);
  }
};

/** Feeds the parser as fast as the disk takes it. */
const feed = async (reader: Reader, arrival: Arrival, into: Into): Promise<void> => {
  const { parser } = arrival;
  const { spool, max } = into;
  let total = 0;
  for (;;) {
    const { done, value } = await readNext(reader, arrival);
    if (done) break;
    total += value.byteLength;
    if (total > max) throw new AppError("too_large", { text: `At most ${max / 1_000_000} MB can be sent at once.` });
    if (!spool.take(value.byteLength)) throw new AppError("too_many", { text: NO_ROOM, retryAfterSeconds: 60 });
    if (!parser.write(value)) await unlessFailed(arrival, once(parser, "drain"));
  }
  const finished = once(parser, "finish");
  parser.end();
  await unlessFailed(arrival, finished);
  await unlessFailed(arrival, Promise.all(arrival.writes));
};

/** Leaves nothing open: a part whose rest never comes would be waited for as long as the process lives. */
const abandon = async (arrival: Arrival, error: unknown): Promise<void> => {
  arrival.fail(toAppError(error));
  arrival.stop.abort();
  arrival.parser.destroy();
  await Promise.all(arrival.writes);
};

const receive = async (reader: Reader, arrival: Arrival, into: Into): Promise<Upload> => {
  try {
    await feed(reader, arrival, into);
  } catch (error) {
    await abandon(arrival, error);
    throw error;
  }
  return { fields: arrival.fields, files: arrival.files, discard: into.spool.discard };
};

const readOn = async (reader: Reader): Promise<void> => {
  while (!(await reader.read()).done);
};

/** Reads on without keeping anything, so that the sender, who sends on, comes to read the answer; for so long and no longer. */
const drain = async (reader: Reader): Promise<void> => {
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

/**
 * Receives a multipart body: files go to the disk as they come, texts are kept.
 * @throws AppError `too_large` for a file, a text, all texts or a body over its limit, as soon as it is; `invalid` for what is no
 * multipart body, ends early, stands still, or names two parts alike; `too_many` when the uploads of this process, or of
 * this user (`owner`), have no room left on the disk. Nothing stays there then.
 */
export const receiveUpload = async (request: Request, rules: UploadRules, owner: string): Promise<Upload> => {
  await sweepSpools();
  const spool = await openSpool(owner);
  const { discard } = spool;
  const reader = request.body?.getReader();
  try {
    if (!reader) throw invalid("The body must be multipart/form-data.");
    const arrival = openArrival(request, rules, spool);
    return await receive(reader, arrival, { spool, max: rules.totalBytesMax });
  } catch (error) {
    await Promise.all([discard(), reader && drain(reader)]);
    throw error instanceof AppError ? error : invalid("The body broke off.", error);
  }
};
