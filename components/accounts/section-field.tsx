"use client";

import type { ReactNode } from "react";
import { Button } from "#components/ui/button.tsx";
import { FieldNote } from "#components/ui/field.tsx";
import { SelectField } from "#components/ui/select-field.tsx";
import { api } from "#lib/client/api.ts";
import { queryKeys } from "#lib/client/query-keys.ts";
import { useApiQuery } from "#lib/client/use-api-query.ts";
import { TEXTS } from "#lib/features/accounts/constants.ts";
import type { SectionsWire, SectionWire } from "#lib/features/accounts/schema.ts";
import type { Place } from "#lib/features/pins/schema.ts";

export interface Sections {
  /** Null until they are known. */
  items: readonly SectionWire[] | null;
  hasFailed: boolean;
  reload: () => void;
}

/** Reads the sections of a board; null reads nothing. */
export const useSections = (accountId: string | null, boardId: string | null): Sections => {
  const { data, error, reload } = useApiQuery(
    accountId && boardId ? queryKeys.sections(accountId, boardId) : null,
    (signal) => api.get<SectionsWire>(`/api/users/pinterest/boards/${accountId}/${boardId}/sections/`, signal),
  );
  return { items: data?.items ?? null, hasFailed: error !== null, reload };
};

/** A section's name; null outside of sections and while the names are unknown. */
export const sectionNameOf = ({ items }: Sections, sectionId: string | null): string | null => {
  if (sectionId === null || items === null) return null;
  return items.find(({ id }) => id === sectionId)?.name ?? "Deleted section";
};

type SectionOptionsProps = { items: NonNullable<Sections["items"]>; value: Place["boardSectionId"] };

/** The options of a select of sections; a chosen one that was deleted on Pinterest stays visible. */
export function SectionOptions({ items, value }: SectionOptionsProps) {
  const isKnown = value === null || items.some(({ id }) => id === value);
  return (
    <>
      <option value="">No section</option>
      {!isKnown && <option value={value ?? ""}>Deleted section</option>}
      {items.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </>
  );
}

type SectionFieldProps = {
  accountId: string | null;
  /** The chosen board; null shows nothing. */
  boardId: string | null;
  value: Place["boardSectionId"];
  onChange: (sectionId: string | null) => void;
  label?: ReactNode;
  error?: string;
  isDisabled?: boolean;
};

/** A select of the chosen board's sections; nothing for a board that has none. */
export function SectionField({ accountId, boardId, value, onChange, label, error, isDisabled }: SectionFieldProps) {
  const { items, hasFailed, reload } = useSections(accountId, boardId);
  if (boardId !== null && hasFailed) {
    return (
      <div className="grid justify-items-start gap-1.5">
        <FieldNote isError>{TEXTS.sectionsFailed}</FieldNote>
        <Button size="sm" onClick={reload}>
          Try again
        </Button>
      </div>
    );
  }
  if (!items || (items.length === 0 && value === null)) return null;
  return (
    <SelectField
      label={label ?? "Section"}
      value={value ?? ""}
      disabled={isDisabled}
      error={error}
      onChange={({ target }) => onChange(target.value || null)}
    >
      <SectionOptions items={items} value={value} />
    </SelectField>
  );
}
