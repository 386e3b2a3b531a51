import "server-only";
import { readFile } from "node:fs/promises";
import { parentPort, workerData } from "node:worker_threads";
import { toXlsxText } from "#lib/core/text.ts";
import { decodeText, kindOf, readText, type SheetReading } from "./engine/reading.ts";

export type ThreadTask =
  | { kind: "read"; path: string }
  | { kind: "xlsx"; table: readonly (readonly (string | number | null)[])[] }
  | { kind: "zip"; files: Readonly<Record<string, string>> };

// The thread that reads or writes one file, started by `sheet-thread.ts`. It loads only the libraries that it needs.

const read = async (path: string): Promise<SheetReading> => {
  const bytes = await readFile(path);
  const kind = kindOf(bytes);
  if (kind === "old_excel") return { kind: "refused", fault: "old_excel" };
  if (kind === "text") return readText(decodeText(bytes));
  const { readWorkbook } = await import("./workbooks.ts");
  return readWorkbook(bytes);
};

const writeXlsx = async (table: readonly (readonly (string | number | null)[])[]): Promise<Uint8Array> => {
  const { default: writeSheet } = await import("write-excel-file/node");
  const rows = table.map((cells, row) =>
    cells.map((cell) => {
      if (typeof cell === "number") return { value: cell, type: Number };
      const style = row === 0 ? { fontWeight: "bold" as const } : {};
      return cell === null || cell === "" ? null : { value: toXlsxText(cell), type: String, ...style };
    }),
  );
  return writeSheet(rows, { sheet: "Pins" }).toBuffer();
};

const writeZip = async (files: Readonly<Record<string, string>>): Promise<Uint8Array> => {
  const { strToU8, zipSync } = await import("fflate");
  return zipSync(Object.fromEntries(Object.entries(files).map(([name, text]) => [name, strToU8(text)])));
};

const work = (task: ThreadTask): Promise<unknown> => {
  if (task.kind === "read") return read(task.path);
  return task.kind === "xlsx" ? writeXlsx(task.table) : writeZip(task.files);
};

parentPort?.postMessage(await work(workerData));
