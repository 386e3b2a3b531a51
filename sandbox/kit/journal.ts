import {
  closeSync,
  existsSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import type { MiddlewareHandler } from "hono";
import type { Clock, StandInEnv } from "./serve.ts";

/** An append-only file of JSON lines from which a stand-in rebuilds its state after a restart. */
export interface Journal<E> {
  /** The entries when the file was opened, oldest first. Later appends are not added here. */
  readonly entries: readonly E[];
  /** Writes one entry. The kernel has it when this returns, so `kill -9` does not lose it. */
  append(entry: E): void;
  /** Replaces all entries. A crash leaves either the old or the new file. */
  replace(entries: readonly E[]): void;
  clear(): void;
  close(): void;
}

/** It records calls and emails, so only the owner may read it. */
const MODE = 0o600;

/**
 * Opens or creates the journal at `path`. A last line left incomplete by a crash is dropped.
 * @throws if an earlier line is damaged: no crash does that, and state would silently go missing.
 */
export function openJournal<E>(path: string): Journal<E> {
  mkdirSync(dirname(path), { recursive: true });
  const bytes = existsSync(path) ? readFileSync(path) : Buffer.alloc(0);
  const wholeBytes = bytes.lastIndexOf(0x0a) + 1;
  const entries = parseLines<E>(bytes.subarray(0, wholeBytes).toString("utf8"), path);
  let fd = openSync(path, "a", MODE);
  if (wholeBytes < bytes.length) ftruncateSync(fd, wholeBytes);
  let isOpen = true;
  return {
    entries,
    append(entry) {
      if (!isOpen) throw new Error(`The journal ${path} is closed`);
      writeFileSync(fd, toLine(entry));
    },
    replace(next) {
      if (!isOpen) throw new Error(`The journal ${path} is closed`);
      writeFileAtomically(path, next.map(toLine).join(""));
      closeSync(fd);
      fd = openSync(path, "a", MODE);
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

/** Writes a whole file. A crash leaves either the old or the new one. */
export function writeFileAtomically(path: string, text: string): void {
  writeFileSync(`${path}.part`, text, { mode: MODE });
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
        // Written by this stand-in, with the same type.
        return JSON.parse(line) as E;
      } catch (cause) {
        throw new Error(`Line ${index + 1} of ${path} is damaged; delete the file to start afresh`, { cause });
      }
    });
}

/** State with its journal. It changes only through `append`. */
export interface Store<S, E> {
  readonly state: S;
  /** Writes the entry to the journal, then applies it. */
  append(entry: E): void;
  /** Restores the initial state and clears the journal. */
  reset(): void;
}

/** Rebuilds the state from the journal. */
export function createStore<S, E>(
  journal: Journal<E>,
  initial: () => S,
  apply: (state: S, entry: E) => void,
): Store<S, E> {
  let state = initial();
  for (const entry of journal.entries) apply(state, entry);
  return {
    get state() {
      return state;
    },
    append(entry) {
      journal.append(entry);
      apply(state, entry);
    },
    reset() {
      journal.clear();
      state = initial();
    },
  };
}

/** One request, logged when its response was sent or cut. Bodies and credentials are never stored. */
export interface LoggedRequest {
  /** Counts up from 1, across restarts, until the log is cleared. */
  seq: number;
  /** ISO 8601 by the stand-in's clock, on arrival. */
  at: string;
  method: string;
  path: string;
  /** Status sent to the client; 0 if the connection was cut. */
  status: number;
  /** Real milliseconds from arrival to the response or the cut. */
  tookMs: number;
  /** The connection ended without a complete response. */
  cut: boolean;
  /** Labels that faults can match, for instance account, board, title, link. */
  labels?: Record<string, string>;
  fault?: string | undefined;
  /** The real status, if the request was handled and a fault then replaced the response. */
  acted?: number | undefined;
  /** Id of what the request created, even if the client never learned it. */
  created?: string | undefined;
}

/** The latest requests of a stand-in, for assertions and for people. */
export interface RequestLog {
  record(request: Omit<LoggedRequest, "seq">): void;
  list(): LoggedRequest[];
  clear(): void;
}

const MAX_LOGGED_REQUESTS = 20_000;

/** Creates a log of the last `capacity` requests; it survives restarts. */
export function createRequestLog(journal: Journal<LoggedRequest>, capacity: number = MAX_LOGGED_REQUESTS): RequestLog {
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

/** Logs every request except those for `/__control`, `/__ui` and other pages of the stand-in. */
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
