"use client";

import { useState } from "react";
import { SearchBox } from "#components/ui/search-box.tsx";

/** A field to search with: with a text in it, it has a button that empties it. */
export function Search() {
  const [text, setText] = useState("balcony");
  return <SearchBox label="Find a pin" placeholder="Titles and keywords" value={text} onChange={setText} />;
}
