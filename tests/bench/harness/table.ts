/** Formats aligned columns, numbers to the right. */
export function tableText(rows: readonly (readonly (string | number)[])[]): string {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, String(cell).length);
  }
  const pad = (cell: string | number, column: number) =>
    typeof cell === "number" ? String(cell).padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0);
  return rows.map((row) => row.map(pad).join("  ").trimEnd()).join("\n");
}
