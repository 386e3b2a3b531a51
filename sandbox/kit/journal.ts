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
      writeFileSync(`${path}.part`, next.map(toLine).join(""));
      renameSync(`${path}.part`, path);
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

function toLine(entry: unknown): string {
  return `${JSON.stringify(entry)}\n`;
}

function parseLines<E>(text: string, path: string): E[] {
  return text
    .split("\n")
    .slice(0, -1)
    .map((line, index) => {
      try {
        return trustOwnLine<E>(JSON.parse(line));
      } catch (cause) {
        throw new Error(`Line ${index + 1} of ${path} is damaged; delete the file to start afresh`, { cause });
      }
    });
}

function writeFully(fd: number, bytes: Buffer): void {
  let written = 0;
  while (written < bytes.length) written += writeSync(fd, bytes, written);
}

/** The stand-in wrote the line itself with the same type, so it is not checked again. */
function trustOwnLine<E>(value: unknown): E {
  return value as E;
}
