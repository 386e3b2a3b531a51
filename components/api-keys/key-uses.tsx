import { useState } from "react";
import { DataTable } from "#components/shared/data-table.tsx";
import { SelectField } from "#components/ui/select-field.tsx";
import { formatCount } from "#lib/core/text.ts";
import { formatDateTime } from "#lib/core/time.ts";
import type { KeyUseView } from "#lib/features/api-keys/schema.ts";

type KeyUsesProps = { uses: readonly KeyUseView[]; timeZone: string };

function UseTable({ uses, timeZone }: KeyUsesProps) {
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
            <th scope="col">Endpoint</th>
            <th scope="col" data-text="">
              Key or app
            </th>
            <th scope="col">Status</th>
            <th scope="col">Calls</th>
            <th scope="col" data-text="">
              Network
            </th>
            <th scope="col">Last call</th>
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

/** What was done with the user's keys and apps, the latest first; of several, one can be chosen. */
export function KeyUses({ uses, timeZone }: KeyUsesProps) {
  const [chosen, setChosen] = useState("");
  // By name, since an app has a new key each time it is connected.
  const names = [...new Set(uses.map(({ keyName }) => keyName))].toSorted((a, b) => a.localeCompare(b));
  // A name may be gone from a list that was loaded again.
  const name = names.includes(chosen) ? chosen : "";
  if (uses.length === 0) return <p className="mt-4 text-ui text-ink-3">No calls yet.</p>;
  return (
    <>
      {names.length > 1 && (
        <SelectField
          label="Key or app"
          fieldClassName="mt-4 max-w-80"
          value={name}
          onChange={({ target }) => setChosen(target.value)}
        >
          <option value="">All</option>
          {names.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </SelectField>
      )}
      <UseTable uses={name === "" ? uses : uses.filter(({ keyName }) => keyName === name)} timeZone={timeZone} />
    </>
  );
}
