import type { ReactNode } from "react";

type Cell = string | number;

type ScrolledTableProps = {
  caption: string;
  /** Shown instead of rows when there are none. */
  empty: string;
  head: readonly string[];
  /** The first cell names its row; numbers stand at the right. */
  rows: readonly (readonly [key: string, ...cells: Cell[]])[];
  children?: ReactNode;
};

/** A table of figures that scrolls under its head at a height of 24rem (R-VAN-04). */
export function ScrolledTable({ caption, empty, head, rows, children }: ScrolledTableProps) {
  return (
    <div className="card figures">
      <h2 className="title-3">{caption}</h2>
      {children}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard */}
      <section className="figures-scroll" aria-label={caption} tabIndex={0}>
        <table className="figures-table num">
          <caption className="sr-only">{caption}</caption>
          <thead>
            <tr>
              {head.map((word) => (
                <th key={word} scope="col">
                  {word}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(([name, ...cells]) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                {cells.map((cell, at) => (
                  <td key={head[at + 1]}>{typeof cell === "number" ? cell.toLocaleString("en") : cell}</td>
                ))}
              </tr>
            ))}
            {rows.length === 0 && (
              <tr>
                <td colSpan={head.length}>{empty}</td>
              </tr>
            )}
          </tbody>
        </table>
      </section>
    </div>
  );
}
