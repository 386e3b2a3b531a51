"use client";

import Search from "lucide-react/icons/search";
import X from "lucide-react/icons/x";
import { type KeyboardEvent, useId, useRef } from "react";
import { useScreenKeys } from "#components/shell/screen-keys.ts";

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
export function SearchField({ label, placeholder, value, maxLength, onChange, keys }: SearchFieldProps) {
  const id = useId();
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
    <div className="posts-search-field">
      <Search aria-hidden="true" size={17} />
      <label htmlFor={id} className="sr-only">
        {label}
      </label>
      <input
        ref={field}
        id={id}
        type="search"
        className="input"
        placeholder={placeholder}
        aria-keyshortcuts="/"
        autoComplete="off"
        maxLength={maxLength}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={press}
      />
      {value !== "" && (
        <button
          type="button"
          aria-label="Clear search"
          onClick={() => {
            onChange("");
            field.current?.focus();
          }}
        >
          <X aria-hidden="true" size={17} />
        </button>
      )}
    </div>
  );
}
