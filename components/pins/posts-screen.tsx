"use client";

import { type RefObject, useCallback, useEffect, useEffectEvent, useRef, useState } from "react";
import { AccountChoice, type AccountOption } from "#components/accounts/account-choice.tsx";
import { usePlanFields } from "#components/publishing/use-schedule-plan.ts";
import { ListFoot } from "#components/shared/list-parts.tsx";
import { PageHead } from "#components/shared/page-head.tsx";
import { Board } from "#components/shared/pin.tsx";
import { useTimeZone } from "#components/shared/time-zone.tsx";
import { Banner } from "#components/ui/banner.tsx";
import { Button } from "#components/ui/button.tsx";
import { PinSkeleton } from "#components/ui/skeleton.tsx";
import { tabId } from "#components/ui/tabs.tsx";
import { useStable } from "#components/ui/use-stable.ts";
import type { NextPage } from "#lib/client/use-next-page.ts";
import { type PostSort, TEXTS, WALL_PAGE } from "#lib/features/pins/constants.ts";
import type { PostWire } from "#lib/features/pins/schema.ts";
import { NoPosts } from "./no-posts.tsx";
import { PinDetails } from "./pin-details.tsx";
import { PostsSearch, PostsTools } from "./posts-tools.tsx";
import { PostsWall, WALL_BOARD, WALL_GRID } from "./posts-wall.tsx";
import { SelectionDock } from "./selection-dock.tsx";
import { usePinActions } from "./use-pin-actions.ts";
import { type FirstPosts, type Posts, useFreshlyPublished } from "./use-posts.ts";
import { useWall } from "./use-wall.ts";
import { openedNow } from "./wall-list.ts";

/** The pin whose details are open. */
interface Opened {
  isOpen: boolean;
  /** As it was last known; null once it left the list. */
  post: PostWire | null;
  open: (post: PostWire) => void;
  close: () => void;
}

/** Follows the pin whose details are open through what the list answers (R-POST-07). */
const useOpened = ({ posts, more, rows }: Posts, sort: PostSort): Opened => {
  const [opened, setOpened] = useState<PostWire | null>(null);
  return {
    isOpen: opened !== null,
    post: opened && openedNow(opened, { posts, hasMore: more.hasMore, sort, rows }),
    open: setOpened,
    close: useCallback(() => setOpened(null), []),
  };
};

const PLACES = ["a", "b", "c", "d", "e"];

/** The wall while the posts are on their way. */
function PostsWaiting() {
  return (
    <Board className={WALL_BOARD} aria-label="Posts are loading">
      <div className={WALL_GRID}>
        {PLACES.map((place) => (
          <PinSkeleton key={place} />
        ))}
      </div>
    </Board>
  );
}

/** The next page is asked for while its place is still this far below the screen, in pixels. */
const AHEAD_PX = 1_200;

type PostsMoreProps = {
  more: NextPage;
  shown: number;
  /** How many the list has in all; null while that is not known. */
  total: number | null;
};

/** The card of the pin at this place of the wall. */
const cardAt = (place: number): HTMLElement | null => {
  const sheet = document.querySelector(`[data-from="${place - (place % WALL_PAGE)}"]`);
  return sheet?.children[place % WALL_PAGE]?.querySelector("button") ?? null;
};

/** Who pressed for more goes on at the first pin that came, not at the end of a wall that has grown. */
const useFocusOnward = (foot: RefObject<HTMLElement | null>, shown: number): (() => void) => {
  const wasHere = useRef(false);
  const before = useRef(shown);
  useEffect(() => {
    const place = before.current;
    before.current = shown;
    if (!wasHere.current || shown <= place) return;
    wasHere.current = false;
    const { activeElement } = document;
    if (activeElement === document.body || foot.current?.contains(activeElement)) cardAt(place)?.focus();
  }, [foot, shown]);
  return () => {
    wasHere.current = foot.current?.contains(document.activeElement) ?? false;
  };
};

/** The foot of the wall: how much of it is shown, and more, by itself on the way down or by the button. */
function PostsMore({ more, shown, total }: PostsMoreProps) {
  const { hasMore, isReading, error, read } = more;
  const foot = useRef<HTMLDivElement>(null);
  const markFocus = useFocusOnward(foot, shown);
  const hasFailed = error !== null;
  const isAsked = hasMore && !isReading && !hasFailed;
  const ask = () => {
    markFocus();
    read();
  };
  const reach = useEffectEvent(ask);
  // Every answer begins to look anew: the foot may still be in view.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  useEffect(() => {
    const { current } = foot;
    if (!current || !isAsked) return;
    const observer = new IntersectionObserver((entries) => entries.at(-1)?.isIntersecting && reach(), {
      rootMargin: `${AHEAD_PX}px 0px`,
    });
    observer.observe(current);
    return () => observer.disconnect();
  }, [isAsked, shown]);
  if (!hasMore && shown <= WALL_PAGE) return null;
  const of = total !== null && total >= shown ? ` of ${total.toLocaleString("en")}` : "";
  return (
    <ListFoot ref={foot}>
      <p role="status" className="num">
        {hasFailed ? "The next pins could not be loaded." : `${shown.toLocaleString("en")}${of} shown`}
      </p>
      {hasMore && (
        <Button onClick={ask} isBusy={isReading}>
          {hasFailed ? "Try again" : "Show more"}
        </Button>
      )}
    </ListFoot>
  );
}

/** What is worth a word, by the state a pin came to. */
const WORDS: Partial<Record<PostWire["status"], string>> = {
  published: "was published",
  failed: "could not be published",
};

/** Says how many pins a search found, once it has. */
function FoundWords({ q, count }: { q: string; count: number | null }) {
  return (
    <p role="status" className="sr-only">
      {q !== "" && count !== null && `${count.toLocaleString("en")} ${count === 1 ? "pin" : "pins"} found.`}
    </p>
  );
}

/** Says what happened to the pins in view, for those who do not see the tacks move: politely, and only what changed. */
function LiveWords({ posts, newCount }: { posts: readonly PostWire[]; newCount: number }) {
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

const PANEL = "posts";

type PostsScreenProps = {
  accounts: AccountOption[];
  /** What the address asked for, and the beginning of its posts as our own records have them: the first paint. */
  first: FirstPosts;
  timeZone: string;
  creatorPath: string;
};

/** Generated Posts (R-POST-01 to R-POST-11, R-SCH-01 to R-SCH-08). */
export function PostsScreen({ accounts, first, timeZone: painted, creatorPath }: PostsScreenProps) {
  const timeZone = useTimeZone(painted);
  const { accountId, setAccountId, query, change, list, posts, selection, draftCount, allDrafts } = useWall(first);
  const reload = useStable(() => void list.reload());
  const isFresh = useFreshlyPublished(posts);
  const actions = usePinActions({ selection, timeZone, reload });
  const details = useOpened(list, query.sort);
  const plan = usePlanFields();
  const searchField = useRef<HTMLInputElement>(null);

  return (
    <>
      <PageHead
        title="Generated Posts"
        action={<AccountChoice accounts={accounts} value={accountId} onChange={setAccountId} isLabelHidden />}
      >
        Drafts wait here until you choose them. Everything else shows where it stands.
      </PageHead>
      <PostsTools
        panelId={PANEL}
        accountId={accountId}
        filter={query.filter}
        counts={list.counts ?? {}}
        newCount={list.newCount}
        draftCount={draftCount}
        isChoosing={allDrafts.isBusy}
        onFilter={(filter) => change({ filter })}
        onRefresh={reload}
        onSelectAllDrafts={allDrafts.choose}
      />
      <PostsSearch
        fieldRef={searchField}
        q={query.q}
        sort={query.sort}
        isDisabled={!accountId}
        onSearch={(q) => change({ q })}
        onSort={(sort) => change({ sort })}
      />
      {list.error !== null && (
        <Banner
          tone="failed"
          isAnnounced
          className="mb-4"
          action={
            <Button size="sm" onClick={reload}>
              Try again
            </Button>
          }
        >
          {TEXTS.loadFailed}
        </Banner>
      )}
      <FoundWords q={query.q} count={list.isStale ? null : (list.counts?.[query.filter] ?? null)} />
      <LiveWords posts={posts} newCount={list.newCount} />
      <div
        id={PANEL}
        role="tabpanel"
        aria-labelledby={tabId(PANEL, query.filter)}
        aria-busy={list.isLoading || list.isStale}
      >
        {list.isLoading && <PostsWaiting />}
        {(!accountId || list.posts?.length === 0) && (
          <NoPosts
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
        {posts.length > 0 && (
          <>
            <PostsWall
              posts={posts}
              selection={selection}
              timeZone={timeZone}
              isStale={list.isStale}
              isFresh={isFresh}
              onOpen={details.open}
              onRetry={actions.retry}
            />
            <PostsMore more={list.more} shown={posts.length} total={list.counts?.[query.filter] ?? null} />
          </>
        )}
      </div>
      {selection.ids.length > 0 && (
        <SelectionDock
          accountId={accountId}
          selection={selection}
          actions={actions}
          timeZone={timeZone}
          fields={plan}
        />
      )}
      <PinDetails
        isOpen={details.isOpen}
        post={details.post}
        username={accounts.find(({ id }) => id === accountId)?.username ?? ""}
        timeZone={timeZone}
        actions={actions}
        onClose={details.close}
      />
    </>
  );
}
