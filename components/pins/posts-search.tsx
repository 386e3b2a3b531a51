"use client";

import { type KeyboardEvent, type RefObject, useEffect, useEffectEvent, useRef, useState } from "react";
import { useScreenKeys } from "#components/shell/screen-keys.ts";
import { SearchBox } from "#components/ui/search-box.tsx";
import { SelectField } from "#components/ui/select-field.tsx";
import { SEARCH_MAX } from "#lib/core/search-words.ts";
import type { PostSort } from "#lib/features/pins/constants.ts";

/** A search waits until the hand rests for this long. */
const REST_MS = 250;

const SORTS: { value: PostSort; label: string }[] = [
  { value: "newest", label: "Newest first" },
  { value: "oldest", label: "Oldest first" },
  { value: "due", label: "Next to go out" },
  { value: "title", label: "Title, A to Z" },
];

type PostsSearchProps = {
  /** Lets the screen give the focus to the field. */
  fieldRef: RefObject<HTMLInputElement | null>;
  q: string;
  sort: PostSort;
  isDisabled: boolean;
  onSearch: (q: string) => void;
  onSort: (sort: PostSort) => void;
};

/** What is typed, and handed on once the hand rests; text that comes from elsewhere takes its place. */
const useTyped = (q: string, onSearch: (q: string) => void) => {
  const [text, setText] = useState(q);
  const told = useRef(q);
  const tell = useEffectEvent((next: string) => {
    if (next === told.current) return;
    told.current = next;
    onSearch(next);
  });
  useEffect(() => {
    const timer = setTimeout(() => tell(text.trim()), REST_MS);
    return () => clearTimeout(timer);
  }, [text]);
  useEffect(() => {
    if (q === told.current) return;
    told.current = q;
    setText(q);
  }, [q]);
  const enter = (next: string) => {
    setText(next);
    if (next.trim() === told.current) return;
    told.current = next.trim();
    onSearch(told.current);
  };
  return { text, setText, enter };
};

/** Finds pins by words of title and keyword, and puts them in order. `/` leads here, Escape empties it. */
export function PostsSearch({ fieldRef: field, q, sort, isDisabled, onSearch, onSort }: PostsSearchProps) {
  const { text, setText, enter } = useTyped(q, onSearch);
  useScreenKeys({
    "/": () => {
      field.current?.focus();
      field.current?.select();
    },
  });
  const press = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === "Enter") enter(text);
    if (event.key !== "Escape" || text === "") return;
    event.preventDefault();
    enter("");
  };
  return (
    <search className="posts-search">
      <SearchBox
        label="Search pins"
        placeholder="Titles and keywords"
        fieldRef={field}
        aria-keyshortcuts="/"
        maxLength={SEARCH_MAX}
        value={text}
        disabled={isDisabled}
        onChange={setText}
        onClear={() => enter("")}
        onKeyDown={press}
      />
      <SelectField
        label="Order"
        isLabelHidden
        value={sort}
        disabled={isDisabled}
        fieldClassName="posts-sort"
        onChange={(event) => onSort(event.target.value as PostSort)}
      >
        {SORTS.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </SelectField>
    </search>
  );
}
