"use client";

import { useState } from "react";
import { PageHeader } from "#components/shared/page-header.tsx";
import { countOf } from "#lib/core/text.ts";
import type { ProposalWire, WatchesWire } from "#lib/features/sites/schema.ts";
import { AddressForm } from "./address-form.tsx";
import { FoundSection } from "./found-section.tsx";
import { SendBar } from "./send-bar.tsx";
import { type SelectedPages, useSelectedPages } from "./use-selected-pages.ts";
import { useSiteWork } from "./use-site-work.ts";
import { NewPages, WatchesSection } from "./watches-section.tsx";

type SitesScreenProps = {
  /** The server-rendered state. */
  first: WatchesWire;
  creatorPath: string;
};

/** New pages that were dismissed, pinned, or whose site is no longer watched can't be sent anymore. */
const useDeselectRemovedPages = (proposals: readonly ProposalWire[], selection: SelectedPages): void => {
  const [before, setBefore] = useState(proposals);
  if (before === proposals) return;
  setBefore(proposals);
  const left = new Set(proposals.map(({ url }) => url));
  selection.remove(before.flatMap(({ url }) => (left.has(url) ? [] : [url])));
};

/** The From Your Site screen: pages of the user's sites, to send to the creator. */
export function SitesScreen({ first, creatorPath }: SitesScreenProps) {
  const work = useSiteWork(first);
  const selection = useSelectedPages();
  const { found } = work;
  useDeselectRemovedPages(work.watches.proposals, selection);
  return (
    <>
      <PageHeader title="From Your Site">
        Find pages on your blog or shop, select the ones you want, and turn them into pins.
      </PageHeader>
      <AddressForm isBusy={work.busy === "find"} problem={work.problem} onFind={(text) => void work.find(text)} />
      {/* Mounted before its text: screen readers may not announce a region that appears with it. */}
      <p id="found-status" role="status" className="sr-only">
        {found && `Found ${countOf(found.site.total, "page")}`}
      </p>
      {found && <FoundSection key={`${found.text}\n${found.search}`} found={found} work={work} selection={selection} />}
      <NewPages work={work} selection={selection} />
      <WatchesSection work={work} />
      {selection.rows.length > 0 && <SendBar selection={selection} creatorPath={creatorPath} />}
    </>
  );
}
