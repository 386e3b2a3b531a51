"use client";

import { type RefObject, useCallback, useEffect, useEffectEvent, useRef, useState } from "react";
import { AccountChoice, type AccountOption } from "#components/accounts/account-choice.tsx";
import { OverduePins } from "#components/publishing/overdue-pins.tsx";
import { ListFooter, LoadFailed } from "#components/shared/list-parts.tsx";
import { PageHeader } from "#components/shared/page-header.tsx";
import { Board } from "#components/shared/pin.tsx";
import { useTimeZone } from "#components/shared/time-zone.tsx";
import { Button } from "#components/ui/button.tsx";
import { PinSkeleton } from "#components/ui/skeleton.tsx";
import { tabId } from "#components/ui/tabs.tsx";
import { useStableCallback } from "#components/ui/use-stable-callback.ts";
import type { NextPage } from "#lib/client/use-next-page.ts";
import { PIN_PAGE_SIZE, type PinSort, TEXTS } from "#lib/features/pins/constants.ts";
import type { PinWire } from "#lib/features/pins/schema.ts";
import { NoPins } from "./no-pins.tsx";
import { PinDetails } from "./pin-details.tsx";
import { GRID_BOARD, GRID_LAYOUT, PinGrid } from "./pin-grid.tsx";
import { currentPin } from "./pin-list.ts";
import { PinsSearch, PinsToolbar } from "./pins-toolbar.tsx";
import { SelectionDock } from "./selection-dock.tsx";
import { usePinActions } from "./use-pin-actions.ts";
import { usePinGrid } from "./use-pin-grid.ts";
import { type InitialPins, type PinList, useNewlyPublished } from "./use-pins.ts";

/** The pin whose details are open. */
interface OpenedPin {
  isOpen: boolean;
  /** Null once it left the list. */
  pin: PinWire | null;
  open: (pin: PinWire) => void;
  close: () => void;
}

/** Keeps the pin whose details are open up to date with the list. */
const useOpenedPin = ({ pins, more, rows }: PinList, sort: PinSort): OpenedPin => {
  const [opened, setOpened] = useState<PinWire | null>(null);
  return {
    isOpen: opened !== null,
    pin: opened && currentPin(opened, { pins, hasMore: more.hasMore, sort, rows }),
    open: setOpened,
    close: useCallback(() => setOpened(null), []),
  };
};

const SKELETON_KEYS = ["a", "b", "c", "d", "e"];

function PinGridSkeleton() {
  return (
    <Board className={GRID_BOARD} aria-label="Loading pins">
      <div className={GRID_LAYOUT}>
        {SKELETON_KEYS.map((key) => (
          <PinSkeleton key={key} />
        ))}
      </div>
    </Board>
  );
}

/** The next page loads when the end of the grid is this close to the viewport, in pixels. */
const PRELOAD_PX = 1_200;

type LoadMoreProps = {
  more: NextPage;
  shown: number;
  /** Pins in the list; null while unknown. */
  total: number | null;
};

const cardAtIndex = (index: number): HTMLElement | null => {
  const page = document.querySelector(`[data-from="${index - (index % PIN_PAGE_SIZE)}"]`);
  return page?.children[index % PIN_PAGE_SIZE]?.querySelector("button") ?? null;
};

/** After "Show more" the focus goes to the first new pin, not to the button below it. */
const useFocusNewPins = (foot: RefObject<HTMLElement | null>, shown: number): (() => void) => {
  const hadFocus = useRef(false);
  const before = useRef(shown);
  useEffect(() => {
    const index = before.current;
    before.current = shown;
    if (!hadFocus.current || shown <= index) return;
    hadFocus.current = false;
    const { activeElement } = document;
    if (activeElement === document.body || foot.current?.contains(activeElement)) cardAtIndex(index)?.focus();
  }, [foot, shown]);
  return () => {
    hadFocus.current = foot.current?.contains(document.activeElement) ?? false;
  };
};

/** Shows how many pins are loaded, and loads more on scroll or by a button. */
function LoadMore({ more, shown, total }: LoadMoreProps) {
  const { hasMore, isReading, error, read } = more;
  const foot = useRef<HTMLDivElement>(null);
  const markFocus = useFocusNewPins(foot, shown);
  const hasFailed = error !== null;
  const canLoad = hasMore && !isReading && !hasFailed;
  const loadMore = () => {
    markFocus();
    read();
  };
  const onReach = useEffectEvent(loadMore);
  // biome-ignore lint/correctness/useExhaustiveDependencies: observes again after each page, since the end may still be in view
  useEffect(() => {
    const { current } = foot;
    if (!current || !canLoad) return;
    const observer = new IntersectionObserver((entries) => entries.at(-1)?.isIntersecting && onReach(), {
      rootMargin: `${PRELOAD_PX}px 0px`,
    });
    observer.observe(current);
    return () => observer.disconnect();
  }, [canLoad, shown]);
  if (!hasMore && shown <= PIN_PAGE_SIZE) return null;
  const of = total !== null && total >= shown ? ` of ${total.toLocaleString("en")}` : "";
  return (
    <ListFooter ref={foot}>
      <p role="status" className="num">
        {hasFailed ? "We couldn't load more pins." : `${shown.toLocaleString("en")}${of} shown`}
      </p>
      {hasMore && (
        <Button onClick={loadMore} isBusy={isReading}>
          {hasFailed ? "Try again" : "Show more"}
        </Button>
      )}
    </ListFooter>
  );
}

const STATUS_TEXTS: Partial<Record<PinWire["status"], string>> = {
  published: "was published",
  failed: "couldn't be published",
};

/** Announces the number of search results to screen readers. */
function ResultCount({ q, count }: { q: string; count: number | null }) {
  return (
    <p role="status" className="sr-only">
      {q !== "" && count !== null && `${count.toLocaleString("en")} ${count === 1 ? "pin" : "pins"} found.`}
    </p>
  );
}

/** Announces status changes of the listed pins to screen readers. */
function LiveAnnouncements({ pins, newCount }: { pins: readonly PinWire[]; newCount: number }) {
  const [text, setText] = useState("");
  const seen = useRef(new Map<string, string>());

  useEffect(() => {
    const changed = pins.filter(({ id, status }) => (seen.current.get(id) ?? status) !== status);
    for (const { id, status } of pins) seen.current.set(id, status);
    const lastSent = changed.flatMap(({ title, status }) =>
      STATUS_TEXTS[status] ? [`${title} ${STATUS_TEXTS[status]}.`] : [],
    );
    if (lastSent.length > 0) setText(lastSent.join(" "));
  }, [pins]);

  return (
    <p role="status" className="sr-only">
      {text}
      {newCount > 0 &&
        ` ${newCount} new ${newCount === 1 ? "pin" : "pins"}: refresh to see ${newCount === 1 ? "it" : "them"}.`}
    </p>
  );
}

const PANEL = "posts";

type PinsScreenProps = {
  accounts: AccountOption[];
  /** The query in the URL and its server-rendered pins. */
  first: InitialPins;
  /** Overdue pins of the first account. */
  overdue?: number;
  timeZone: string;
  creatorPath: string;
};

/** Generated Posts. */
export function PinsScreen({ accounts, first, overdue = 0, timeZone: initialTimeZone, creatorPath }: PinsScreenProps) {
  const userTimeZone = useTimeZone(initialTimeZone);
  const grid = usePinGrid(first);
  const { accountId, setAccountId, query, change, list, pins, selection, draftCount, allDrafts } = grid;
  const timeZone = accounts.find(({ id }) => id === accountId)?.timeZone ?? userTimeZone;
  const reload = useStableCallback(() => void list.reload());
  const isFresh = useNewlyPublished(pins);
  const actions = usePinActions({ selection, timeZone, reload, planDrafts: grid.planDrafts });
  const details = useOpenedPin(list, query.sort);
  const searchField = useRef<HTMLInputElement>(null);

  return (
    <>
      <PageHeader
        title="Generated Posts"
        action={<AccountChoice accounts={accounts} value={accountId} onChange={setAccountId} isLabelHidden />}
      >
        Select drafts to schedule them, and see the status of everything else.
      </PageHeader>
      <PinsToolbar
        panelId={PANEL}
        accountId={accountId}
        filter={query.filter}
        counts={list.counts ?? {}}
        newCount={list.newCount}
        draftCount={draftCount}
        isSelecting={allDrafts.isBusy}
        onFilter={(filter) => change({ filter })}
        onRefresh={reload}
        onSelectAllDrafts={allDrafts.choose}
      />
      <PinsSearch
        fieldRef={searchField}
        q={query.q}
        sort={query.sort}
        isDisabled={!accountId}
        onSearch={(q) => change({ q })}
        onSort={(sort) => change({ sort })}
      />
      {accountId && (
        <OverduePins
          accountId={accountId}
          initial={accountId === first.accountId ? overdue : undefined}
          onChanged={reload}
        />
      )}
      {list.error !== null && (
        <LoadFailed className="mb-4" onRetry={reload}>
          {TEXTS.loadFailed}
        </LoadFailed>
      )}
      <ResultCount q={query.q} count={list.isStale ? null : (list.counts?.[query.filter] ?? null)} />
      <LiveAnnouncements pins={pins} newCount={list.newCount} />
      <div
        id={PANEL}
        role="tabpanel"
        aria-labelledby={tabId(PANEL, query.filter)}
        aria-busy={list.isLoading || list.isStale}
      >
        {list.isLoading && <PinGridSkeleton />}
        {(!accountId || list.pins?.length === 0) && (
          <NoPins
            query={query}
            counts={list.counts}
            hasAccount={accountId !== null}
            creatorPath={creatorPath}
            onClear={() => {
              change({ q: "" });
              searchField.current?.focus();
            }}
            onShowAll={() => {
              change({ filter: "all" });
              document.getElementById(tabId(PANEL, "all"))?.focus();
            }}
          />
        )}
        {pins.length > 0 && (
          <>
            <PinGrid
              pins={pins}
              selection={selection}
              timeZone={timeZone}
              isStale={list.isStale}
              isFresh={isFresh}
              onOpen={details.open}
              onRetry={actions.retry}
            />
            <LoadMore more={list.more} shown={pins.length} total={list.counts?.[query.filter] ?? null} />
          </>
        )}
      </div>
      {selection.ids.length > 0 && (
        <SelectionDock
          accountId={accountId}
          selection={selection}
          actions={actions}
          timeZone={timeZone}
          fields={grid.fields}
        />
      )}
      <PinDetails
        isOpen={details.isOpen}
        pin={details.pin}
        username={accounts.find(({ id }) => id === accountId)?.username ?? ""}
        timeZone={timeZone}
        actions={actions}
        onClose={details.close}
      />
    </>
  );
}
