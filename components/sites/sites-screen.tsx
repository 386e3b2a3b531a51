"use client";

import { PageHeader } from "#components/shared/page-header.tsx";
import type { WatchesWire } from "#lib/features/sites/schema.ts";
import { AddressForm } from "./address-form.tsx";
import { FoundSection } from "./found-section.tsx";
import { SendBar } from "./send-bar.tsx";
import { useSelectedPages } from "./use-selected-pages.ts";
import { useSiteWork } from "./use-site-work.ts";
import { NewPages, WatchesSection } from "./watches-section.tsx";

type SitesScreenProps = {
  /** The server-rendered state. */
  first: WatchesWire;
  creatorPath: string;
};

/** The From Your Site screen: pages of the user's sites, to send to the creator. */
export function SitesScreen({ first, creatorPath }: SitesScreenProps) {
  const work = useSiteWork(first);
  const selection = useSelectedPages();
  const { found } = work;
  return (
    <>
      <PageHeader title="From Your Site">
        Find pages on your blog or shop, select the ones you want, and turn them into pins.
      </PageHeader>
      <AddressForm isBusy={work.busy === "find"} problem={work.problem} onFind={(text) => void work.find(text)} />
      {found && <FoundSection key={`${found.text}\n${found.search}`} found={found} work={work} selection={selection} />}
      <NewPages work={work} selection={selection} />
      <WatchesSection work={work} />
      {selection.rows.length > 0 && <SendBar selection={selection} creatorPath={creatorPath} />}
    </>
  );
}
