"use client";

import Link from "next/link";
import { useEffect, useEffectEvent, useState } from "react";
import { LoadFailed } from "#components/shared/list-parts.tsx";
import { zoneLabel } from "#components/shared/time-zone-options.tsx";
import { Banner } from "#components/ui/banner.tsx";
import { Button } from "#components/ui/button.tsx";
import { Segment } from "#components/ui/segment.tsx";
import { Spinner } from "#components/ui/spinner.tsx";
import { countOf } from "#lib/core/text.ts";
import { warningCountText } from "#lib/features/planning/texts.ts";
import {
  cancelCreationAction,
  chooseRowsAction,
  confirmImportAction,
  createImportBoardAction,
  discardImportAction,
  fixRowAction,
  mapColumnsAction,
  retryImagesAction,
  setScheduledAction,
} from "#lib/features/spreadsheets/actions.ts";
import type { ReviewFilter } from "#lib/features/spreadsheets/constants.ts";
import type { ImportWire, ReviewRowWire } from "#lib/features/spreadsheets/schema.ts";
import { ColumnsPanel } from "./columns-panel.tsx";
import { CreateBar } from "./create-bar.tsx";
import { ReviewRow } from "./review-row.tsx";
import { RowEditor } from "./row-editor.tsx";
import { type Review, useChosen, useReview } from "./use-review.ts";

type PartProps = { open: ImportWire; review: Review; isDisabled: boolean };

function PaceBanner({ count }: { count: number }) {
  if (count === 0) return null;
  return (
    <Banner tone="low" isAnnounced>
      {warningCountText(count)} You can still schedule {count === 1 ? "it" : "them"}, or{" "}
      <Link className="underline underline-offset-3" href="/app/settings#pace">
        change the pace
      </Link>
      .
    </Banner>
  );
}

function Summary({ open, review, isDisabled }: PartProps) {
  const { id: importId, counts, missing_boards: missing } = open;
  const { save, busy } = review;
  const [isScheduled, choose] = useChosen(open.is_scheduled);
  return (
    <div className="grid gap-3">
      <p className="text-sm text-ink-2">
        <b className="font-semibold text-ink wrap-anywhere">{open.file_name}</b> for {open.username}:{" "}
        {countOf(counts.rows, "row")}. Times are in {zoneLabel(open.time_zone)}.
      </p>
      {missing.names.map((name) => (
        <Banner
          key={name}
          tone="low"
          action={
            <Button
              size="sm"
              disabled={isDisabled}
              isBusy={busy === `board ${name}`}
              onClick={() => void save(`board ${name}`, () => createImportBoardAction({ importId, name }))}
            >
              Create “{name}”
            </Button>
          }
        >
          {open.username} has no board named “{name}”. If you create it, everyone on Pinterest can see it.
        </Banner>
      ))}
      {missing.more > 0 && (
        <Banner tone="low">
          Other rows use {countOf(missing.more, "more board")} that {open.username} doesn't have. Create the boards
          above first.
        </Banner>
      )}
      {counts.images_failed > 0 && (
        <Banner
          tone="low"
          action={
            <Button
              size="sm"
              disabled={isDisabled}
              isBusy={busy === "images"}
              onClick={() => void save("images", () => retryImagesAction({ importId }))}
            >
              Try again
            </Button>
          }
        >
          We couldn't download images for {countOf(counts.images_failed, "row")}.
        </Banner>
      )}
      <Segment
        label="Create as"
        value={isScheduled ? "scheduled" : "drafts"}
        disabled={isDisabled}
        className="max-w-110"
        options={[
          { value: "drafts", label: "Drafts" },
          { value: "scheduled", label: "Scheduled pins" },
        ]}
        onChange={(value) => {
          const next = value === "scheduled";
          void choose(
            next,
            save("mode", () => setScheduledAction({ importId, isScheduled: next })),
          );
        }}
      />
      <PaceBanner count={counts.too_fast} />
    </div>
  );
}

function RowTools({ open, review, isDisabled }: PartProps) {
  const { id: importId, counts } = open;
  const { filter, setFilter, save, busy } = review;
  const options: { value: ReviewFilter; label: string }[] = [
    { value: "all", label: `All ${counts.rows}` },
    { value: "problems", label: `Problems ${counts.problems}` },
    { value: "left_out", label: `Skipped ${counts.left_out}` },
  ];
  return (
    <div className="flex flex-wrap items-end justify-between gap-3 max-sm:*:w-full">
      <Segment label="Rows" isLabelHidden value={filter} options={options} onChange={setFilter} />
      {counts.problems > 0 && (
        <Button
          size="sm"
          disabled={isDisabled}
          isBusy={busy === "leave out"}
          onClick={() =>
            void save("leave out", () => chooseRowsAction({ importId, numbers: "problems", isChosen: false }))
          }
        >
          Skip {countOf(counts.problems, "row")} with problems
        </Button>
      )}
    </div>
  );
}

/** The edited row stays, even when the filter no longer includes it: what was typed would be lost. */
const withEdited = (rows: ReviewRowWire[], edited: ReviewRowWire | null): ReviewRowWire[] =>
  edited === null || rows.some(({ number }) => number === edited.number)
    ? rows
    : [...rows, edited].toSorted((a, b) => a.number - b.number);

function Rows({ open, review, isDisabled }: PartProps) {
  const [editing, setEditing] = useState<ReviewRowWire | null>(null);
  const { save, busy } = review;
  const importId = open.id;
  return (
    <ol aria-label="Rows" className="grid gap-3">
      {open.rows.length === 0 && !editing && <li className="py-6 text-center text-sm text-ink-3">No rows here.</li>}
      {withEdited(open.rows, editing).map((row) => (
        <li key={row.number} data-slot="import-row" className="rounded-card bg-surface p-4 shadow-card">
          {editing?.number === row.number ? (
            <RowEditor
              row={row}
              open={open}
              isBusy={busy === "row"}
              createBoard={(name) => review.call("board", () => createImportBoardAction({ importId, name }))}
              onCancel={() => setEditing(null)}
              onSave={async (fixes) => {
                const problem = await save("row", () => fixRowAction({ importId, number: row.number, fixes }));
                if (problem === null) setEditing(null);
              }}
            />
          ) : (
            <ReviewRow
              row={row}
              open={open}
              isDisabled={isDisabled}
              onEdit={() => setEditing(row)}
              onChoose={(isChosen) =>
                save("choose", () => chooseRowsAction({ importId, numbers: [row.number], isChosen }))
              }
            />
          )}
        </li>
      ))}
    </ol>
  );
}

function Pages({ open, review }: Pick<PartProps, "open" | "review">) {
  if (open.pages === 1) return null;
  return (
    <nav aria-label="Pages" className="num flex items-center justify-center gap-4 text-sm text-ink-2">
      <Button size="sm" disabled={open.page === 0} onClick={() => review.setPage(open.page - 1)}>
        Previous
      </Button>
      Page {open.page + 1} of {open.pages}
      <Button size="sm" disabled={open.page + 1 >= open.pages} onClick={() => review.setPage(open.page + 1)}>
        Next
      </Button>
    </nav>
  );
}

type ReviewImportProps = {
  importId: string;
  /** As the server rendered it. */
  first: ImportWire | null;
  /** Null after it was discarded. */
  onDone: (finished: ImportWire | null) => void;
};

/** The dry run: what each row will become, to be fixed, chosen, and created at once. */
export function ReviewImport({ importId, first, onDone }: ReviewImportProps) {
  const review = useReview(importId, first);
  const { query, save, busy } = review;
  const open = query.data;
  const finish = useEffectEvent((finished: ImportWire) => onDone(finished));
  useEffect(() => {
    if (open?.status === "done") finish(open);
  }, [open]);
  if (query.error !== null) {
    return (
      <>
        <LoadFailed onRetry={() => void query.reload()}>We couldn't load this import.</LoadFailed>
        <Button className="mt-4" onClick={() => onDone(null)}>
          Start over
        </Button>
      </>
    );
  }
  if (!open) return <Spinner />;
  const isDisabled = open.status !== "review";
  const parts = { open, review, isDisabled };
  const discard = async () => {
    if ((await save("discard", () => discardImportAction({ importId }))) === null) onDone(null);
  };
  return (
    <div className="grid gap-5" aria-busy={query.isPlaceholder}>
      <Summary {...parts} />
      <ColumnsPanel
        key={JSON.stringify(open.mapping)}
        open={open}
        isBusy={busy === "columns"}
        onSave={(mapping) => void save("columns", () => mapColumnsAction({ importId, mapping }))}
      />
      <RowTools {...parts} />
      <Rows {...parts} />
      <Pages open={open} review={review} />
      <CreateBar
        open={open}
        busy={busy}
        onCreate={() => {
          const seen = { version: open.version, timeZone: open.time_zone };
          void save("create", () => confirmImportAction({ importId, ...seen }));
        }}
        onCancel={() => void save("cancel", () => cancelCreationAction({ importId }))}
        onDiscard={() => void discard()}
      />
    </div>
  );
}
