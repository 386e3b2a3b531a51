"use client";

import Trash2 from "lucide-react/icons/trash-2";
import X from "lucide-react/icons/x";
import { useState } from "react";
import { EmptyState } from "#components/shared/empty-state.tsx";
import { Banner } from "#components/ui/banner.tsx";
import { Button } from "#components/ui/button.tsx";
import { Checkbox } from "#components/ui/checkbox.tsx";
import { cn } from "#components/ui/cn.ts";
import { ConfirmDialog } from "#components/ui/confirm-dialog.tsx";
import { IconButton } from "#components/ui/icon-button.tsx";
import { Skeleton } from "#components/ui/skeleton.tsx";
import { api, describeFailure } from "#lib/client/api.ts";
import { queryKeys } from "#lib/client/query-keys.ts";
import { useApiQuery } from "#lib/client/use-api-query.ts";
import { countOf } from "#lib/core/text.ts";
import type { KeywordListDetailWire, KeywordListWire } from "#lib/features/keywords/schema.ts";
import { dayText } from "./keyword-texts.ts";
import { listWithPinsPath } from "./keywords-query.ts";
import { OwnPins } from "./own-pins.tsx";
import { useListChanges } from "./use-list-changes.ts";
import type { KeywordSelection } from "./use-selection.ts";

type ListItemsProps = {
  list: KeywordListWire;
  accountId: string | null;
  selection: KeywordSelection;
  onDeleted: () => void;
};

const headingOf = (): HTMLElement | null => document.getElementById("keyword-list");

/** The keywords of a list, to select and to remove, each with what the account's pins did with it. */
function ListItems({ list, accountId, selection, onDeleted }: ListItemsProps) {
  const queryKey = [...queryKeys.keywordList(list.id), accountId];
  const { data, error, isLoading, isReloading, reload } = useApiQuery(queryKey, (signal) =>
    api.get<KeywordListDetailWire>(listWithPinsPath(list.id, accountId), signal),
  );
  const { isBusy, removeKeyword, deleteList } = useListChanges();
  const [isAsking, setAsking] = useState(false);
  const confirm = async () => {
    const isGone = await deleteList(list);
    setAsking(false);
    if (isGone) onDeleted();
  };
  const again = (
    <Button size="sm" isBusy={isReloading} onClick={() => void reload()}>
      Try again
    </Button>
  );
  return (
    <section aria-labelledby="keyword-list" className="rounded-card bg-surface p-5 shadow-card">
      <div className="mb-2 flex flex-wrap items-center justify-between gap-3">
        <h2 id="keyword-list" tabIndex={-1} className="title-3 wrap-anywhere">
          {list.name}
        </h2>
        <Button size="sm" variant="danger-ghost" onClick={() => setAsking(true)}>
          <Trash2 aria-hidden="true" />
          Delete list
        </Button>
      </div>
      {error !== null && (
        <Banner tone="failed" isAnnounced action={again}>
          {describeFailure(error, "We couldn't load this list. Please try again.")}
        </Banner>
      )}
      {isLoading && (
        <div role="status" aria-busy="true" aria-label="Loading the list">
          <Skeleton className="h-5 w-1/2" />
        </div>
      )}
      {data?.items.length === 0 && <p className="text-sm text-ink-3">This list is empty.</p>}
      {data && data.items.length > 0 && (
        <ul className="[&>li+li]:border-t [&>li+li]:border-line">
          {data.items.map((item) => (
            <li key={item.id} className="flex items-center justify-between gap-3 py-1">
              <div className="min-w-0">
                <Checkbox
                  className="wrap-anywhere"
                  label={item.keyword}
                  checked={selection.keywords.has(item.keyword)}
                  disabled={selection.isFull && !selection.keywords.has(item.keyword)}
                  onChange={() => selection.toggle(item.keyword)}
                />
                <OwnPins own={item.own_pins} />
              </div>
              <span className="flex flex-none items-center gap-2 text-xs text-ink-3 num">
                <span className="max-md:sr-only">Saved {dayText(item.saved_on)}</span>
                <IconButton
                  label={`Remove ${item.keyword}`}
                  onClick={() => {
                    headingOf()?.focus();
                    void removeKeyword(list, item);
                  }}
                >
                  <X aria-hidden="true" />
                </IconButton>
              </span>
            </li>
          ))}
        </ul>
      )}
      <ConfirmDialog
        isOpen={isAsking}
        question={`Delete ${list.name}?`}
        declineLabel="Keep it"
        confirmLabel="Delete"
        isDangerous
        isBusy={isBusy}
        focusAfter={() => document.querySelector<HTMLElement>("[role=tab][aria-selected=true]")}
        onDecline={() => setAsking(false)}
        onConfirm={() => void confirm()}
      >
        {countOf(list.keywords, "keyword")} will be deleted with it.
      </ConfirmDialog>
    </section>
  );
}

type ListsSectionProps = {
  /** Whose pins the keywords are shown with. */
  accountId: string | null;
  lists: readonly KeywordListWire[];
  /** The open list; the first one when it is not among the lists. */
  openId: string;
  onOpen: (listId: string) => void;
  selection: KeywordSelection;
  onTrends: () => void;
};

/** The user's keyword lists, and the keywords of one of them. */
export function ListsSection({ accountId, lists, openId, onOpen, selection, onTrends }: ListsSectionProps) {
  const open = lists.find(({ id }) => id === openId) ?? lists[0];
  if (!open) {
    return (
      <EmptyState
        title="No lists yet"
        action={
          <Button variant="primary" onClick={onTrends}>
            Find keywords
          </Button>
        }
      >
        Select keywords in Trends and save them to a list.
      </EmptyState>
    );
  }
  return (
    <div className="grid items-start gap-5 md:grid-cols-[minmax(0,16rem)_minmax(0,1fr)]">
      <ul aria-label="Lists" className="grid gap-1">
        {lists.map((list) => (
          <li key={list.id}>
            <button
              type="button"
              aria-current={list.id === open.id ? "true" : undefined}
              className={cn(
                "flex min-h-11 w-full items-center justify-between gap-3 rounded-control px-3.5 text-left text-sm",
                "hover:bg-hover aria-[current=true]:bg-accent-tint aria-[current=true]:font-semibold",
                "aria-[current=true]:text-accent-ink",
              )}
              onClick={() => onOpen(list.id)}
            >
              <span className="min-w-0 wrap-anywhere">{list.name}</span>
              <span className="num">
                {list.keywords}
                <span className="sr-only"> {list.keywords === 1 ? "keyword" : "keywords"}</span>
              </span>
            </button>
          </li>
        ))}
      </ul>
      <ListItems key={open.id} list={open} accountId={accountId} selection={selection} onDeleted={() => onOpen("")} />
    </div>
  );
}
