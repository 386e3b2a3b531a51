import {
  closeSync,
  existsSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import type { MiddlewareHandler } from "hono";
import type { Clock, StandInEnv } from "./serve.ts";

/** An append-only file of JSON lines from which a stand-in rebuilds its state after a restart. */
export interface Journal<E> {
  /** What the file held when it was opened, oldest first; later appends are not added here. */
  readonly entries: readonly E[];
  /** Writes one entry. It is in the kernel's hands when this returns, so `kill -9` does not lose it. */
  append(entry: E): void;
  /** Puts these in the place of all that was written; a crash leaves either the old or the new file. */
  replace(entries: readonly E[]): void;
  /** Forgets everything, file and entries. */
  clear(): void;
  close(): void;
}

/**
 * Opens or creates the journal at `path`. A last line that a crash left unfinished is cut off.
 * @throws when a line before the last is damaged: that is no crash, and state would silently go missing.
 */
export function openJournal<E>(path: string): Journal<E> {
  mkdirSync(dirname(path), { recursive: true });
  const bytes = existsSync(path) ? readFileSync(path) : Buffer.alloc(0);
  const wholeBytes = bytes.lastIndexOf(0x0a) + 1;
  const entries = parseLines<E>(bytes.subarray(0, wholeBytes).toString("utf8"), path);
  let fd = openSync(path, "a");
  if (wholeBytes < bytes.length) ftruncateSync(fd, wholeBytes);
  let isOpen = true;
  return {
    entries,
    append(entry) {
      if (!isOpen) throw new Error(`The journal ${path} is closed`);
      writeFully(fd, Buffer.from(toLine(entry), "utf8"));
    },
    replace(next) {
      if (!isOpen) throw new Error(`The journal ${path} is closed`);
      replaceFile(path, next.map(toLine).join(""));
      closeSync(fd);
      fd = openSync(path, "a");
    },
    clear() {
      ftruncateSync(fd, 0);
      entries.length = 0;
    },
    close() {
      if (isOpen) closeSync(fd);
      isOpen = false;
    },
  };
}

/** Writes a whole file; a crash leaves either the old or the new one. */
export function replaceFile(path: string, text: string): void {
  writeFileSync(`${path}.part`, text);
  renameSync(`${path}.part`, path);
}

function toLine(entry: unknown): string {
  return `${JSON.stringify(entry)}\n`;
}

function parseLines<E>(text: string, path: string): E[] {
  return text
    .split("\n")
    .slice(0, -1)
    .map((line, index) => {
      try {
        // The stand-in wrote the line itself, with the same type.
        return JSON.parse(line) as E;
      } catch (cause) {
        throw new Error(`Line ${index + 1} of ${path} is damaged; delete the file to start afresh`, { cause });
      }
    });
}

function writeFully(fd: number, bytes: Buffer): void {
  let written = 0;
  while (written < bytes.length) written += writeSync(fd, bytes, written);
}

/** One request, when its answer was sent or cut. Bodies and credentials are never kept. */
export interface LoggedRequest {
  /** Counts up from 1, also over restarts, until the log is emptied. */
  seq: number;
  /** ISO 8601 by the stand-in's clock, when the request arrived. */
  at: string;
  method: string;
  path: string;
  /** Sent to the client; 0 when the connection was cut. */
  status: number;
  /** Milliseconds from arrival to the answer or the cut, in real time. */
  tookMs: number;
  /** The connection ended without a whole answer. */
  cut: boolean;
  /** What the request carries that faults can be aimed at, for instance account, board, title, link. */
  labels?: Record<string, string>;
  /** The fault that struck it. */
  fault?: string | undefined;
  /** The status of the true answer, when it was acted on and a fault then answered otherwise. */
  acted?: number | undefined;
  /** Id of what the request created, whether or not the client was told. */
  created?: string | undefined;
}

/** The last requests of a stand-in, for assertions and for people. */
export interface RequestLog {
  record(request: Omit<LoggedRequest, "seq">): void;
  /** Oldest first. */
  list(): LoggedRequest[];
  clear(): void;
}

const KEPT_REQUESTS = 20_000;

/** A log that keeps the last `capacity` requests, also over restarts. */
export function createRequestLog(journal: Journal<LoggedRequest>, capacity: number = KEPT_REQUESTS): RequestLog {
  let requests = [...journal.entries];
  let seq = requests.at(-1)?.seq ?? 0;
  const trim = () => {
    if (requests.length < capacity * 2) return;
    requests = requests.slice(-capacity);
    journal.replace(requests);
  };
  trim();
  return {
    record(request) {
      seq += 1;
      const numbered = { seq, ...request };
      journal.append(numbered);
      requests.push(numbered);
      trim();
    },
    list: () => requests.slice(-capacity),
    clear() {
      journal.clear();
      requests = [];
      seq = 0;
    },
  };
}

/** Records every request but those for `/__control`, `/__look` and other pages of the stand-in itself. */
export function logRequests({ log, clock }: { log: RequestLog; clock: Clock }): MiddlewareHandler<StandInEnv> {
  return async (c, next) => {
    const at = clock.now().toISOString();
    const startedAtMs = performance.now();
    await next();
    if (c.req.path.startsWith("/__")) return;
    const isCut = c.get("isCut") === true || c.env.outgoing.destroyed;
    log.record({
      at,
      method: c.req.method,
      path: c.req.path,
      status: isCut ? 0 : c.res.status,
      tookMs: Math.round(performance.now() - startedAtMs),
      cut: isCut,
      labels: c.get("labels") ?? {},
      fault: c.get("fault"),
      acted: c.get("acted"),
      created: c.get("created"),
    });
  };
}
