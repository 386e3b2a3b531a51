"use client";

import BellOff from "lucide-react/icons/bell-off";
import { useState } from "react";
import { Button } from "#components/ui/button.tsx";
import { ConfirmDialog } from "#components/ui/confirm-dialog.tsx";
import { IconButton } from "#components/ui/icon-button.tsx";
import { countOf } from "#lib/core/text.ts";
import { WATCHES_MAX } from "#lib/features/sites/constants.ts";
import type { ProposalWire, WatchWire } from "#lib/features/sites/schema.ts";
import { PagesTable } from "./pages-table.tsx";
import { dateText, type PageRow } from "./site-texts.ts";
import type { SelectedPages } from "./use-selected-pages.ts";
import type { SiteWork } from "./use-site-work.ts";

const toRow = (proposal: ProposalWire): PageRow => ({
  ...{ url: proposal.url, title: proposal.title, keyword: proposal.keyword },
  ...{ image_url: proposal.image_url, date: proposal.date },
  ...{ pins: 0, last_published_at: null, problem: null },
});

type ProposalsProps = { work: SiteWork; selection: SelectedPages };

/** New pages of watched sites. Nothing is generated until the user sends them to the creator. */
export function NewPages({ work, selection }: ProposalsProps) {
  const [isAsking, setAsking] = useState(false);
  const { proposals } = work.watches;
  if (proposals.length === 0) return null;
  const selected = proposals.filter(({ url }) => selection.has(url));
  const dismiss = async (dismissed: readonly ProposalWire[]) => {
    const isAll = dismissed.length === proposals.length;
    const isDone = await work.dismiss(dismissed.map(({ id }) => id));
    setAsking(false);
    // This section is gone.
    if (isDone && isAll) document.getElementById("watched-sites")?.focus();
  };
  return (
    <section aria-labelledby="new-pages" className="mb-8">
      <div className="mb-4 flex flex-wrap items-center justify-between gap-3">
        <h2 id="new-pages" tabIndex={-1} className="title-3">
          New pages <span className="num">({proposals.length})</span>
        </h2>
        <Button
          size="sm"
          isBusy={work.busy === "change"}
          onClick={() => (selected.length > 0 ? void dismiss(selected) : setAsking(true))}
        >
          {selected.length > 0 ? `Dismiss ${countOf(selected.length, "page")}` : "Dismiss all…"}
        </Button>
      </div>
      <PagesTable caption="New pages of watched sites" rows={proposals.map(toRow)} selection={selection} />
      <ConfirmDialog
        isOpen={isAsking}
        question={`Dismiss ${countOf(proposals.length, "new page")}?`}
        declineLabel="Keep them"
        confirmLabel={`Dismiss ${countOf(proposals.length, "page")}`}
        isDangerous
        isBusy={work.busy === "change"}
        focusAfter={() => (document.getElementById("new-pages") ? null : document.getElementById("watched-sites"))}
        onDecline={() => setAsking(false)}
        onConfirm={() => void dismiss(proposals)}
      >
        We won't suggest them again. You can still find them by entering your site's URL.
      </ConfirmDialog>
    </section>
  );
}

/** The watched sites, and what went wrong with them. */
export function WatchesSection({ work }: { work: SiteWork }) {
  const { watches } = work.watches;
  const [leaving, setLeaving] = useState<WatchWire | null>(null);
  const stop = async () => {
    if (leaving) await work.unwatch(leaving.id);
    setLeaving(null);
  };
  return (
    <section aria-labelledby="watched-sites" className="rounded-card bg-surface p-5 shadow-card">
      <h2 id="watched-sites" tabIndex={-1} className="title-3">
        Watched sites
      </h2>
      <p className="mt-1 max-w-[64ch] text-sm text-ink-3">
        We look for new pages once a day and list them here. Nothing is generated until you choose pages. You can watch
        up to {WATCHES_MAX} sites.
      </p>
      {watches.length > 0 && (
        <ul className="mt-3 [&>li]:border-t [&>li]:border-line">
          {watches.map((watch) => (
            <li key={watch.id} className="flex items-center justify-between gap-3 py-2">
              <span className="min-w-0 text-sm">
                <span className="block font-medium wrap-anywhere">{watch.name}</span>
                <span className="block text-xs wrap-anywhere text-ink-3">
                  {watch.address.replace(/^https?:\/\//, "")}, last read {dateText(watch.checked_at)}
                </span>
                {watch.problem && <span className="block text-xs text-failed-ink">{watch.problem}</span>}
              </span>
              <IconButton label={`Stop watching ${watch.name}`} onClick={() => setLeaving(watch)}>
                <BellOff aria-hidden="true" />
              </IconButton>
            </li>
          ))}
        </ul>
      )}
      <ConfirmDialog
        isOpen={leaving !== null}
        question={`Stop watching ${leaving?.name ?? ""}?`}
        declineLabel="Keep watching"
        confirmLabel="Stop watching"
        isDangerous
        isBusy={work.busy === "change"}
        focusAfter={() => document.getElementById("watched-sites")}
        onDecline={() => setLeaving(null)}
        onConfirm={() => void stop()}
      >
        Its new pages will be removed from this screen. Your pins won't be affected.
      </ConfirmDialog>
    </section>
  );
}
