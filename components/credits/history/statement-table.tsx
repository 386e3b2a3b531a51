import { formatCount } from "#lib/core/numbers.ts";
import { formatDateTime } from "#lib/core/time.ts";
import type { EntryWire } from "#lib/features/credits/schema.ts";

const SIGNED = new Intl.NumberFormat("en-US", { signDisplay: "exceptZero" });

/** With a minus as wide as the plus. */
const signed = (credits: number): string => SIGNED.format(credits).replace("-", "\u2212");

type StatementTableProps = { entries: readonly EntryWire[]; timeZone: string };

/** Entries as a bank statement has them: when, what, how much, and what was there afterwards. */
export function StatementTable({ entries, timeZone }: StatementTableProps) {
  return (
    <div className="card overflow-hidden">
      <table className="statement" aria-label="Credits">
        <thead>
          <tr>
            <th scope="col">When</th>
            <th scope="col">What</th>
            <th scope="col">Credits</th>
            <th scope="col">Balance</th>
          </tr>
        </thead>
        <tbody>
          {entries.map(({ id, created_at, kind, text, detail, credits, balance_after }) => (
            <tr key={id} data-kind={kind}>
              <td className="num">
                <time dateTime={created_at}>{formatDateTime(created_at, timeZone)}</time>
              </td>
              <td>
                {text}
                {detail !== null && <span className="statement-detail">{detail}</span>}
              </td>
              <td className="num" data-comes={credits > 0}>
                {signed(credits)}
              </td>
              <td className="num">
                <span className="statement-label" aria-hidden="true">
                  Balance{" "}
                </span>
                {formatCount(balance_after)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
