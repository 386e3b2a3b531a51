"use client";

import { type KeyboardEvent, useRef } from "react";
import { useScreenKeys } from "#components/shell/screen-keys.ts";
import { SearchBox } from "#components/ui/search-box.tsx";

type SearchFieldProps = {
  label: string;
  placeholder: string;
  value: string;
  maxLength: number;
  onChange: (text: string) => void;
  /** Letters of the screen besides `/`, which leads here. */
  keys?: Readonly<Record<string, () => void>>;
};

/** Narrows a list of videos. `/` leads here, Escape empties it. */
export function SearchField({ keys, value, onChange, ...box }: SearchFieldProps) {
  const field = useRef<HTMLInputElement>(null);
  useScreenKeys({
    ...keys,
    "/": () => {
      field.current?.focus();
      field.current?.select();
    },
  });
  const press = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing || event.key !== "Escape" || value === "") return;
    event.preventDefault();
    onChange("");
  };
  return (
    <SearchBox {...box} fieldRef={field} aria-keyshortcuts="/" value={value} onChange={onChange} onKeyDown={press} />
  );
}
