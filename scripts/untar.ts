import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join, normalize } from "node:path";

const blockBytes = 512;
const regularFile = new Set(["0", "\0"]);
const folder = "5";

type Entry = { path: string; type: string; content: Buffer };

function* readEntries(archive: Buffer): Generator<Entry> {
  let offset = 0;
  while (offset + blockBytes <= archive.length) {
    const header = archive.subarray(offset, offset + blockBytes);
    const path = textField(header, 0, 100);
    if (path === "") return;
    const size = Number.parseInt(textField(header, 124, 12), 8);
    const start = offset + blockBytes;
    yield { path, type: String.fromCharCode(header[156] ?? 0), content: archive.subarray(start, start + size) };
    offset = start + Math.ceil(size / blockBytes) * blockBytes;
  }
}

function textField(header: Buffer, start: number, length: number): string {
  const field = header.subarray(start, start + length);
  const end = field.indexOf(0);
  return field.toString("latin1", 0, end === -1 ? length : end);
}

/**
 * Extracts an uncompressed tar archive below `target`. Supports plain ustar with short names, as in the browser
 * package; any other entry is an error.
 */
export async function untar(archive: Buffer, target: string): Promise<void> {
  for (const entry of readEntries(archive)) {
    const path = normalize(entry.path);
    if (path.startsWith("..") || path.startsWith("/"))
      throw new Error(`Archive entry is outside its folder: ${entry.path}`);
    if (entry.type === folder) continue;
    if (!regularFile.has(entry.type)) throw new Error(`Unknown archive entry type ${entry.type}: ${entry.path}`);
    const file = join(target, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, entry.content, { mode: 0o755 });
  }
}
