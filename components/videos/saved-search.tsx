"use client";

import { useEffect, useEffectEvent, useState } from "react";
import { SelectField } from "#components/ui/select-field.tsx";
import type { SavedList, SavedQuery } from "#components/videos/saved-query.ts";
import { SearchField } from "#components/videos/search-field.tsx";

/** A search waits until the hand rests for this long. */
const REST_MS = 250;
const SEARCH_MAX = 100;

type SavedSearchProps = {
  query: SavedQuery;
  list: SavedList | null;
  isStale: boolean;
  onNarrow: (part: Partial<SavedQuery>) => void;
};

/** Search, hashtag, and what they find (R-SAV-04, R-SAV-05, R-SAV-07). */
export function SavedSearch({ query, list, isStale, onNarrow }: SavedSearchProps) {
  const [text, setText] = useState(query.q);
  const [told, setTold] = useState(query.q);
  // Cleared from elsewhere.
  if (query.q !== told) {
    setTold(query.q);
    if (text.trim() !== query.q) setText(query.q);
  }
  const tell = useEffectEvent((q: string) => {
    if (q !== query.q) onNarrow({ q });
  });
  useEffect(() => {
    const timer = setTimeout(() => tell(text.trim()), REST_MS);
    return () => clearTimeout(timer);
  }, [text]);

  const hashtags = list?.hashtags ?? [];
  const chosen = hashtags.find(({ hashtag }) => hashtag.toLowerCase() === query.hashtag.toLowerCase());
  const counts = list?.counts;
  return (
    <search className="posts-search saved-search">
      <SearchField
        label="Search saved videos"
        placeholder="Title or author"
        value={text}
        maxLength={SEARCH_MAX}
        onChange={setText}
      />
      <SelectField
        label="Hashtag"
        isLabelHidden
        value={chosen?.hashtag ?? query.hashtag}
        fieldClassName="saved-hashtag"
        onChange={(event) => onNarrow({ hashtag: event.target.value })}
      >
        <option value="">All Hashtags</option>
        {query.hashtag !== "" && !chosen && <option value={query.hashtag}>#{query.hashtag}</option>}
        {hashtags.map(({ hashtag }) => (
          <option key={hashtag} value={hashtag}>
            #{hashtag}
          </option>
        ))}
      </SelectField>
      <p className="saved-counts num" role="status">
        {counts && !isStale && (
          <>
            <b>
              {counts.found.toLocaleString("en")} of {counts.total.toLocaleString("en")} videos
            </b>
            <span>{counts.views.toLocaleString("en")} total views</span>
          </>
        )}
      </p>
    </search>
  );
}
