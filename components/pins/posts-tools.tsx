"use client";

import CheckCheck from "lucide-react/icons/check-check";
import RefreshCw from "lucide-react/icons/refresh-cw";
import { ReviewLink } from "#components/pins/review-link.tsx";
import { Button } from "#components/ui/button.tsx";
import { Tabs } from "#components/ui/tabs.tsx";
import type { PostFilter } from "#lib/features/pins/constants.ts";

/** The order and the words of the tabs (R-POST-02). */
const TABS: { value: PostFilter; label: string }[] = [
  { value: "all", label: "All" },
  { value: "published", label: "Published" },
  { value: "scheduled", label: "Scheduled" },
  { value: "draft", label: "Draft" },
  { value: "failed", label: "Failed" },
];

type PostsToolsProps = {
  panelId: string;
  accountId: string | null;
  filter: PostFilter;
  counts: Partial<Record<PostFilter, number>>;
  /** Posts that a refresh would bring. */
  newCount: number;
  draftCount: number;
  /** The drafts that are not shown are being asked for. */
  isChoosing: boolean;
  onFilter: (filter: PostFilter) => void;
  onRefresh: () => void;
  onSelectAllDrafts: () => void;
};

/** Which pins are shown, and what can be done with all of them (R-POST-02, R-POST-04, R-POST-05). */
export function PostsTools(props: PostsToolsProps) {
  const { panelId, accountId, filter, counts, newCount, draftCount, isChoosing } = props;
  const { onFilter, onRefresh, onSelectAllDrafts } = props;
  const tabs = TABS.map((tab) => ({
    ...tab,
    ...(counts[tab.value] !== undefined && { count: counts[tab.value] }),
  }));
  return (
    <div className="posts-tools">
      <Tabs label="Status" tabs={tabs} value={filter} onChange={onFilter} panelId={panelId} />
      <div className="posts-tools-right flex gap-2 pb-2.5">
        <ReviewLink accountId={accountId} draftCount={draftCount} />
        <Button size="sm" onClick={onRefresh} disabled={!accountId} className="posts-refresh relative">
          <RefreshCw aria-hidden="true" />
          <span className="posts-refresh-word">Refresh</span>
          {newCount > 0 && (
            <span className="count-mark num">
              {newCount}
              <span className="sr-only"> new</span>
            </span>
          )}
        </Button>
        <Button size="sm" onClick={onSelectAllDrafts} disabled={draftCount === 0} isBusy={isChoosing}>
          <CheckCheck aria-hidden="true" />
          Select all drafts
        </Button>
      </div>
    </div>
  );
}
