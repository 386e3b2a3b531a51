const widthChars = 28;

/** Shows how far something is: one bar that moves on a terminal, a line per change elsewhere. */
export function createProgress(label: string): { show(done: number, total: number, note: string): void; end(): void } {
  const isTerminal = process.stdout.isTTY;
  let last = "";
  return {
    show: (done, total, note) => {
      const line = `${label.padEnd(12)} ${barOf(done, total)} ${done}/${total} ${note}`;
      if (line === last) return;
      last = line;
      process.stdout.write(isTerminal ? `\r\x1b[2K${line}` : `${line}\n`);
    },
    end: () => {
      if (isTerminal) process.stdout.write("\n");
    },
  };
}

function barOf(done: number, total: number): string {
  const filled = total === 0 ? 0 : Math.round((Math.min(done, total) / total) * widthChars);
  return `${"█".repeat(filled)}${"░".repeat(widthChars - filled)}`;
}

/** Rows under a heading, columns as wide as their widest cell. */
export function tableOf(heading: string[], rows: string[][]): string {
  const widths = heading.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => (row[column] ?? "").length)),
  );
  const lineOf = (row: string[]) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd();
  return [lineOf(heading), lineOf(widths.map((width) => "─".repeat(width))), ...rows.map(lineOf)].join("\n");
}

/** Shortened to fit a column. */
export function shorten(text: string, chars: number): string {
  return text.length <= chars ? text : `${text.slice(0, chars - 1)}…`;
}
