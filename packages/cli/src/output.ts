/** What people read goes to stdout as tables, or as JSON for programs; progress goes to stderr. */
export interface Output {
  show(line: string): void;
  /** `tables` for people, `data` for programs. */
  result(data: unknown, ...tables: (readonly Record<string, unknown>[])[]): void;
  progress(label: string, done: number, total: number): void;
}

const CELL_MAX = 48;

const cellOf = (value: unknown): string => {
  const text = value === null || value === undefined ? "" : String(value).replace(/\s+/g, " ");
  // Titles come from elsewhere: no control characters in a terminal.
  const clean = text.replace(/\p{Cc}/gu, "");
  return clean.length > CELL_MAX ? `${clean.slice(0, CELL_MAX - 1)}…` : clean;
};

export const tableOf = (rows: readonly Record<string, unknown>[]): string => {
  const names = Object.keys(rows[0] ?? {});
  const cells = [names.map((name) => name.toUpperCase()), ...rows.map((row) => names.map((name) => cellOf(row[name])))];
  const widths = names.map((_, at) => Math.max(...cells.map((line) => line[at]?.length ?? 0)));
  return cells
    .map((line) =>
      line
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
};

interface Streams {
  out: { write(text: string): unknown };
  err: { write(text: string): unknown; isTTY?: boolean };
}

export const createOutput = ({ out, err }: Streams, isJson: boolean): Output => {
  let last = "";
  let isLineOpen = false;
  return {
    show: (line) => {
      err.write(`${isLineOpen ? "\n" : ""}${line}\n`);
      isLineOpen = false;
    },
    result: (data, ...tables) => {
      const texts = tables.filter((rows) => rows.length > 0).map((rows) => `${tableOf(rows)}\n`);
      if (isJson) out.write(`${JSON.stringify(data, null, 2)}\n`);
      else out.write(texts.join("\n") || "Nothing found.\n");
    },
    progress: (label, done, total) => {
      const line = `${label}: ${done} of ${total}`;
      if (isJson || line === last) return;
      last = line;
      isLineOpen = err.isTTY === true && done < total;
      err.write(err.isTTY ? `\r${line}${isLineOpen ? "" : "\n"}` : `${line}\n`);
    },
  };
};
