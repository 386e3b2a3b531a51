"use client";

import CheckCheck from "lucide-react/icons/check-check";
import RefreshCw from "lucide-react/icons/refresh-cw";
import { useCallback, useState } from "react";
import { AccountChoice, type AccountOption } from "#components/accounts/account-choice.tsx";
import { Board } from "#components/pins/board.tsx";
import { LiveWords } from "#components/pins/live-words.tsx";
import { NoPosts } from "#components/pins/no-posts.tsx";
import { PinDetails } from "#components/pins/pin-details.tsx";
import { PostCard } from "#components/pins/post-card.tsx";
import { PostsWaiting } from "#components/pins/posts-waiting.tsx";
import { useFilterAddress } from "#components/pins/use-filter-address.ts";
import { usePinActions } from "#components/pins/use-pin-actions.ts";
import { useFreshlyPublished, usePosts } from "#components/pins/use-posts.ts";
import { useSelection } from "#components/pins/use-selection.ts";
import { ScheduleBar } from "#components/publishing/schedule-bar.tsx";
import { PageHead } from "#components/shell/page-head.tsx";
import { Banner } from "#components/ui/banner.tsx";
import { Button } from "#components/ui/button.tsx";
import { cn } from "#components/ui/cn.ts";
import { Tabs, tabId } from "#components/ui/tabs.tsx";
import { showToast } from "#components/ui/toaster.tsx";
import { POST_FILTERS, type PostFilter, TEXTS } from "#lib/features/pins/constants.ts";
import type { PostsWire } from "#lib/features/pins/schema.ts";

/** The order and the words of the tabs (R-POST-02). */
const LABELS: Record<PostFilter, string> = {
  all: "All",
  published: "Published",
  scheduled: "Scheduled",
  draft: "Draft",
  failed: "Failed",
};
const TAB_ORDER: PostFilter[] = ["all", "published", "scheduled", "draft", "failed"];
const EAGER = 10;
const PANEL = "posts";

type PostsScreenProps = {
  accounts: AccountOption[];
  /** What the address asked for, and its posts as our own records have them: the first paint. */
  first: { accountId: string | null; filter: PostFilter; posts: PostsWire | null };
  timeZone: string;
  creatorPath: string;
};

/** Generated Posts (R-POST-01 to R-POST-11, R-SCH-01 to R-SCH-08). */
export function PostsScreen({ accounts, first, timeZone, creatorPath }: PostsScreenProps) {
  const [accountId, setAccountId] = useState(first.accountId);
  const [filter, setFilter] = useState(first.filter);
  useFilterAddress(accountId, filter);
  const { data, error, isLoading, newCount, reload } = usePosts(accountId, filter, first);
  const posts = data?.posts ?? [];
  const selection = useSelection(posts);
  const isFresh = useFreshlyPublished(posts);
  const actions = usePinActions({ selection, timeZone, reload });
  const [openId, setOpenId] = useState<string | null>(null);
  const closeDetails = useCallback(() => setOpenId(null), []);
  const hasSelection = selection.ids.length > 0;
  const letGo = () => {
    const { ids } = selection;
    selection.clear();
    showToast("Selection cleared", { onUndo: () => selection.restore(ids) });
  };

  const tabs = TAB_ORDER.filter((one) => POST_FILTERS.includes(one)).map((value) => ({
    value,
    label: LABELS[value],
    ...(value === filter && data && { count: posts.length }),
  }));

  return (
    <>
      <PageHead
        title="Generated Posts"
        action={<AccountChoice accounts={accounts} value={accountId} onChange={setAccountId} isLabelHidden />}
      >
        Drafts wait here until you choose them. Everything else shows where it stands.
      </PageHead>
      <div className="posts-tools">
        <Tabs label="Status" tabs={tabs} value={filter} onChange={setFilter} panelId={PANEL} />
        <div className="posts-tools-right flex gap-2 pb-2.5">
          <Button size="sm" onClick={reload} disabled={!accountId} className="relative">
            <RefreshCw aria-hidden="true" />
            Refresh
            {newCount > 0 && (
              <span className="count-mark num">
                {newCount}
                <span className="sr-only"> new</span>
              </span>
            )}
          </Button>
          <Button
            size="sm"
            onClick={selection.selectAllDrafts}
            disabled={!posts.some(({ status }) => status === "draft")}
          >
            <CheckCheck aria-hidden="true" />
            Select all drafts
          </Button>
        </div>
      </div>
      {error !== null && (
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
      <LiveWords posts={posts} newCount={newCount} />
      <div id={PANEL} role="tabpanel" aria-labelledby={tabId(PANEL, filter)} aria-busy={isLoading}>
        {isLoading && <PostsWaiting />}
        {(!accountId || data?.posts.length === 0) && (
          <NoPosts filter={filter} hasAccount={accountId !== null} creatorPath={creatorPath} />
        )}
        {posts.length > 0 && (
          <Board className={cn("posts-board", hasSelection && "has-bar")}>
            <ul className="posts-grid">
              {posts.map((post, at) => (
                <PostCard
                  key={post.id}
                  post={post}
                  place={selection.placeOf(post.id)}
                  timeZone={timeZone}
                  isEager={at < EAGER}
                  hasJustChanged={isFresh(post)}
                  onToggle={() => selection.toggle(post.id)}
                  onOpen={() => setOpenId(post.id)}
                  onRetry={() => actions.retry(post)}
                />
              ))}
            </ul>
          </Board>
        )}
        {hasSelection && (
          <ScheduleBar
            count={selection.ids.length}
            isBusy={actions.isScheduling}
            timeZone={timeZone}
            onClear={letGo}
            onSchedule={actions.schedule}
          />
        )}
      </div>
      <PinDetails
        isOpen={openId !== null}
        post={posts.find(({ id }) => id === openId) ?? null}
        timeZone={timeZone}
        actions={actions}
        onClose={closeDetails}
      />
    </>
  );
}
