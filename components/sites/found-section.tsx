"use client";

import Bell from "lucide-react/icons/bell";
import { useState } from "react";
import { EmptyState } from "#components/shared/empty-state.tsx";
import { Button } from "#components/ui/button.tsx";
import { Checkbox } from "#components/ui/checkbox.tsx";
import { SearchBox } from "#components/ui/search-box.tsx";
import { showToast } from "#components/ui/toaster.tsx";
import { SEARCH_MAX } from "#lib/features/sites/constants.ts";
import { PagesTable } from "./pages-table.tsx";
import { foundText, type PageRow } from "./site-texts.ts";
import type { SelectedPages } from "./use-selected-pages.ts";
import type { FoundSite, SiteWork } from "./use-site-work.ts";

const matches = ({ title, url }: PageRow, search: string): boolean => {
  const text = `${title} ${url}`.toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
};

type FoundSectionProps = { found: FoundSite; work: SiteWork; selection: SelectedPages };

/** The pages of the site that was read, to filter and to select. */
export function FoundSection({ found, work, selection }: FoundSectionProps) {
  const { site, text } = found;
  const [search, setSearch] = useState(found.search);
  const [isUnpinnedOnly, setUnpinnedOnly] = useState(false);
  const shown = site.pages.filter((page) => matches(page, search) && (!isUnpinnedOnly || page.pins === 0));
  const isWatched = work.watches.watches.some(({ address }) => address === site.address);
  // Beyond the listed pages, only the server can search.
  const canSearchAll = site.pages.length < site.total || found.search !== "";
  const watch = async () => {
    if (!(await work.watch(site.address))) return;
    showToast(`Watching ${site.name}`, { hasCheck: true });
    // The button is gone.
    document.getElementById("found-pages")?.focus();
  };
  return (
    <section aria-labelledby="found-pages" className="mb-8">
      <div className="mb-4 flex flex-wrap items-end justify-between gap-3">
        <div>
          <h2 id="found-pages" tabIndex={-1} className="title-3 wrap-anywhere">
            {site.name}
          </h2>
          <p className="mt-1 text-sm text-ink-3 num">{foundText(site)}</p>
        </div>
        {site.kind !== "list" && !isWatched && (
          <Button size="sm" isBusy={work.busy === "watch"} onClick={() => void watch()}>
            <Bell aria-hidden="true" />
            Watch for new pages
          </Button>
        )}
        {isWatched && <p className="text-sm text-ink-3">You're watching this site.</p>}
      </div>
      <form
        aria-label="Filter pages"
        className="mb-4 flex flex-wrap items-center gap-x-5 gap-y-2"
        onSubmit={(event) => {
          event.preventDefault();
          if (canSearchAll) void work.find(text, search.trim());
        }}
      >
        <SearchBox
          label="Filter pages"
          placeholder="Filter pages"
          className="w-full md:w-80"
          maxLength={SEARCH_MAX}
          value={search}
          onChange={setSearch}
        />
        {canSearchAll && (
          <Button type="submit" size="sm" isBusy={work.busy === "search" || work.busy === "find"}>
            Search all pages
          </Button>
        )}
        <Checkbox
          label="Not pinned yet"
          checked={isUnpinnedOnly}
          onChange={({ target }) => setUnpinnedOnly(target.checked)}
        />
      </form>
      {shown.length === 0 ? (
        <EmptyState title="No pages match">
          {canSearchAll
            ? "Change your search, or search all pages of the site."
            : "Clear the search or turn off “Not pinned yet.”"}
        </EmptyState>
      ) : (
        <PagesTable
          key={`${search}\n${isUnpinnedOnly}`}
          caption={`Pages of ${site.name}`}
          rows={shown}
          selection={selection}
        />
      )}
    </section>
  );
}
