import { useState } from "react";
import { Button } from "#components/ui/button.tsx";
import { SelectField } from "#components/ui/select-field.tsx";
import { FIELD_LABELS, FIELDS, type Field, FORMAT_LABELS } from "#lib/features/spreadsheets/constants.ts";
import type { Mapping } from "#lib/features/spreadsheets/engine/formats.ts";
import type { ImportWire } from "#lib/features/spreadsheets/schema.ts";

const NONE = "";

const columnName = (headers: readonly string[], column: number): string => headers[column] || `Column ${column + 1}`;

/** A cell of the first rows, so that a column can be told by its content. */
const sampleOf = ({ samples }: ImportWire, column: number | undefined): string | undefined => {
  const sample = column === undefined ? undefined : samples.map((cells) => cells[column]).find(Boolean);
  return sample ? `For example: ${sample}` : undefined;
};

type ColumnsPanelProps = { open: ImportWire; isBusy: boolean; onSave: (mapping: Mapping) => void };

/** What each column means. The choice is remembered for the account. */
export function ColumnsPanel({ open, isBusy, onSave }: ColumnsPanelProps) {
  const [mapping, setMapping] = useState<Mapping>(open.mapping);
  const choose = (field: Field, value: string) => {
    const column = value === NONE ? undefined : Number(value);
    // A column has one meaning, so choosing it takes it from another field.
    const others = Object.entries(mapping).filter(([name, taken]) => name !== field && taken !== column);
    setMapping(Object.fromEntries(column === undefined ? others : [...others, [field, column]]));
  };
  const format = FORMAT_LABELS[open.format];
  return (
    <details className="rounded-card bg-surface p-4 shadow-card" open={Object.keys(open.mapping).length < 3}>
      <summary className="min-h-(--target-min) cursor-pointer content-center text-sm font-[550] text-ink">
        Columns
        <span className="font-normal text-ink-3">
          {format
            ? `: this looks like ${format}`
            : `: ${Object.keys(open.mapping).length} of ${open.headers.length} used`}
        </span>
      </summary>
      <div className="mt-3 grid grid-cols-1 gap-4 sm:grid-cols-2 xl:grid-cols-3">
        {FIELDS.map((field) => (
          <SelectField
            key={field}
            label={FIELD_LABELS[field]}
            hint={sampleOf(open, mapping[field])}
            value={mapping[field] ?? NONE}
            onChange={(event) => choose(field, event.target.value)}
          >
            <option value={NONE}>Not in this sheet</option>
            {open.headers.map((_, column) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: columns are told apart by their position
              <option key={column} value={column}>
                {columnName(open.headers, column)}
              </option>
            ))}
          </SelectField>
        ))}
      </div>
      <div className="mt-4 flex justify-end">
        <Button isBusy={isBusy} onClick={() => onSave(mapping)}>
          Use these columns
        </Button>
      </div>
    </details>
  );
}
