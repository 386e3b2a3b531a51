"use client";

import { useRef } from "react";
import { AccountChoice, type AccountOption } from "#components/accounts/account-choice.tsx";
import { FoundWords, LiveWords } from "#components/pins/live-words.tsx";
import { NoPosts } from "#components/pins/no-posts.tsx";
import { PinDetails } from "#components/pins/pin-details.tsx";
import { PostsMore } from "#components/pins/posts-more.tsx";
import { PostsSearch } from "#components/pins/posts-search.tsx";
import { PostsTools } from "#components/pins/posts-tools.tsx";
import { PostsWaiting } from "#components/pins/posts-waiting.tsx";
import { PostsWall } from "#components/pins/posts-wall.tsx";
import { SelectionDock } from "#components/pins/selection-dock.tsx";
import { useOpened } from "#components/pins/use-opened.ts";
import { usePinActions } from "#components/pins/use-pin-actions.ts";
import { type FirstPosts, useFreshlyPublished } from "#components/pins/use-posts.ts";
import { useWall } from "#components/pins/use-wall.ts";
import { usePlanFields } from "#components/publishing/use-schedule-plan.ts";
import { PageHead } from "#components/shell/page-head.tsx";
import { useTimeZone } from "#components/shell/time-zone.tsx";
import { Banner } from "#components/ui/banner.tsx";
import { Button } from "#components/ui/button.tsx";
import { tabId } from "#components/ui/tabs.tsx";
import { TEXTS } from "#lib/features/pins/constants.ts";

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
  const { reload } = list;
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
            <PostsMore list={list} shown={posts.length} total={list.counts?.[query.filter] ?? null} />
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
