import { DataTable } from "#components/shared/data-table.tsx";
import { formatCount } from "#lib/core/text.ts";
import { formatDateTime } from "#lib/core/time.ts";
import type { KeyUseView } from "#lib/features/api-keys/schema.ts";

type KeyUsesProps = { uses: readonly KeyUseView[]; timeZone: string };

/** What was done with the user's keys, the latest first. */
export function KeyUses({ uses, timeZone }: KeyUsesProps) {
  if (uses.length === 0) return <p className="mt-4 text-ui text-ink-3">No calls yet.</p>;
  return (
    <section
      aria-label="Calls"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable by keyboard
      tabIndex={0}
      className="mt-4 max-h-[420px] overflow-auto rounded-card bg-surface shadow-card"
    >
      <DataTable>
        <thead>
          <tr>
            <th scope="col">Call</th>
            <th scope="col" data-text="">
              Key or app
            </th>
            <th scope="col">Status</th>
            <th scope="col">Calls</th>
            <th scope="col" data-text="">
              From
            </th>
            <th scope="col">Last</th>
          </tr>
        </thead>
        <tbody>
          {uses.map(({ id, keyName, call, status, network, calls, lastAt }) => (
            <tr key={id}>
              <th scope="row" className="min-w-44 font-mono">
                {call.replace("/api/v1", "")}
              </th>
              <td data-text="" className="min-w-32 wrap-anywhere">
                {keyName}
              </td>
              <td>{status}</td>
              <td>{formatCount(calls)}</td>
              <td data-text="" className="whitespace-nowrap">
                {network}
              </td>
              <td className="whitespace-nowrap">
                <time dateTime={lastAt}>{formatDateTime(lastAt, timeZone)}</time>
              </td>
            </tr>
          ))}
        </tbody>
      </DataTable>
    </section>
  );
}
