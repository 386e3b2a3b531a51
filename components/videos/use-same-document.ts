"use client";

import { usePathname, useRouter } from "next/navigation";
import { useEffect, useState } from "react";
import { inSameDocument, isVideoPage } from "#lib/core/video-pages.ts";

/** A plain press: not one that opens a window, a tab or a menu. */
const isPlain = (event: MouseEvent): boolean =>
  event.button === 0 && !event.defaultPrevented && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;

/** The page of videos that a press leads to, with its query; null: another page, or another window. */
const videoPageOf = ({ target }: MouseEvent): string | null => {
  const link = target instanceof Element ? target.closest<HTMLAnchorElement>("a[href]") : null;
  if (link?.target !== "" || link.origin !== location.origin || !isVideoPage(link.pathname)) return null;
  return link.pathname + link.search;
};

/**
 * Whether the document was loaded for one of these pages, as it says itself; null where a browser hides that. The
 * address does not tell: going back from a page that was reloaded stays within that page's document.
 */
const isDocumentTheirs = (): boolean | null => {
  const name = performance.getEntriesByType("navigation")[0]?.name;
  return name !== undefined && URL.canParse(name) ? isVideoPage(new URL(name).pathname) : null;
};

/**
 * Leads back to the pages of videos within the document that was loaded for one of them, so that what was read there is
 * still in memory. Any other document has to give way to one of theirs (decision 0016): one in which going back came to
 * such a page is loaded anew. Called above all screens.
 */
export const useSameDocument = (): void => {
  const router = useRouter();
  const path = usePathname();
  const isHere = isVideoPage(path);
  const [isTheirs] = useState(() => (typeof window === "undefined" ? isHere : (isDocumentTheirs() ?? isHere)));
  const isElsewhere = isTheirs && !isHere;
  const isMisplaced = isHere && !isTheirs;
  // Going back asks for the content with the address it goes to, so that the gate sees nothing amiss.
  useEffect(() => {
    if (isMisplaced) location.reload();
  }, [isMisplaced]);
  useEffect(() => {
    if (!isElsewhere) return;
    const lead = (event: MouseEvent) => {
      const page = isPlain(event) ? videoPageOf(event) : null;
      if (page === null) return;
      event.preventDefault();
      router.push(inSameDocument(page));
    };
    document.addEventListener("click", lead, { capture: true });
    return () => document.removeEventListener("click", lead, { capture: true });
  }, [isElsewhere, router]);
};
