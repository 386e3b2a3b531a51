"use client";

import { useEffect, useRef, useState } from "react";
import type { PostWire } from "#lib/features/pins/schema.ts";

/** What is worth a word, by the state a pin came to. */
const WORDS: Partial<Record<PostWire["status"], string>> = {
  published: "was published",
  failed: "could not be published",
};

/** Says how many pins a search found, once it has. */
export function FoundWords({ q, count }: { q: string; count: number | null }) {
  return (
    <p role="status" className="sr-only">
      {q !== "" && count !== null && `${count.toLocaleString("en")} ${count === 1 ? "pin" : "pins"} found.`}
    </p>
  );
}

/** Says what happened to the pins in view, for those who do not see the tacks move: politely, and only what changed. */
export function LiveWords({ posts, newCount }: { posts: readonly PostWire[]; newCount: number }) {
  const [words, setWords] = useState("");
  const seen = useRef(new Map<string, string>());

  useEffect(() => {
    const changed = posts.filter(({ id, status }) => (seen.current.get(id) ?? status) !== status);
    for (const { id, status } of posts) seen.current.set(id, status);
    const told = changed.flatMap(({ title, status }) => (WORDS[status] ? [`${title} ${WORDS[status]}.`] : []));
    if (told.length > 0) setWords(told.join(" "));
  }, [posts]);

  return (
    <p role="status" className="sr-only">
      {words}
      {newCount > 0 &&
        ` ${newCount} new ${newCount === 1 ? "pin" : "pins"}: refresh to see ${newCount === 1 ? "it" : "them"}.`}
    </p>
  );
}
