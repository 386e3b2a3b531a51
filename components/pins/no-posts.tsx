import { NoAccount } from "#components/accounts/account-choice.tsx";
import type { WallQuery } from "#components/pins/wall-list.ts";
import { EmptyState } from "#components/shared/empty-state.tsx";
import { Button } from "#components/ui/button.tsx";
import { LinkButton } from "#components/ui/link-button.tsx";
import type { PostFilter } from "#lib/features/pins/constants.ts";
import type { PostCounts } from "#lib/features/pins/schema.ts";

const TITLES: Record<PostFilter, string> = {
  all: "No pins yet",
  published: "Nothing published yet",
  scheduled: "Nothing scheduled",
  draft: "No drafts",
  failed: "Nothing failed",
};

/** Where a search found nothing, in words. */
const AMONG: Record<PostFilter, string> = {
  all: "this account's pins",
  published: "the published pins",
  scheduled: "the scheduled pins",
  draft: "the drafts",
  failed: "the failed pins",
};

type NoPostsProps = {
  query: WallQuery;
  counts: PostCounts | null;
  hasAccount: boolean;
  creatorPath: string;
  /** Clears the search; the button goes with its result, so the caller takes the focus. */
  onClear: () => void;
  /** Looks among all pins instead, likewise. */
  onShowAll: () => void;
};

/** A search that found nothing, and where it does find something. */
function NothingFound({
  query: { q, filter },
  counts,
  onClear,
  onShowAll,
}: Pick<NoPostsProps, "query" | "counts" | "onClear" | "onShowAll">) {
  const elsewhere = filter === "all" ? 0 : (counts?.all ?? 0);
  return (
    <EmptyState
      title={`Nothing found for “${q}”`}
      action={
        <div className="flex flex-wrap justify-center gap-2">
          {elsewhere > 0 && (
            <Button variant="primary" onClick={onShowAll}>
              Show {elsewhere} in all pins
            </Button>
          )}
          <Button onClick={onClear}>Clear the search</Button>
        </div>
      }
    >
      Each word must be in the title or the keyword. None of {AMONG[filter]} has {q.includes(" ") ? "them all" : "it"}.
    </EmptyState>
  );
}

/** The two ways in which pins come about. */
export function WaysToPins({ creatorPath }: { creatorPath: string }) {
  return (
    <div className="flex flex-wrap justify-center gap-2">
      <LinkButton variant="primary" href={creatorPath}>
        Make pins from keywords
      </LinkButton>
      <LinkButton href="/app/create-pin">Manual Pin Creation</LinkButton>
    </div>
  );
}

/** An empty wall with its next step. */
export function NoPosts({ query, counts, hasAccount, creatorPath, onClear, onShowAll }: NoPostsProps) {
  if (!hasAccount) {
    return <NoAccount>Connect a Pinterest account first, then make your first pins.</NoAccount>;
  }
  if (query.q !== "") return <NothingFound query={query} counts={counts} onClear={onClear} onShowAll={onShowAll} />;
  const isFailed = query.filter === "failed";
  return (
    <EmptyState title={TITLES[query.filter]} action={isFailed ? undefined : <WaysToPins creatorPath={creatorPath} />}>
      {isFailed
        ? "Every pin went where it should."
        : "Type a few keywords, or bring images of your own: each becomes a draft on this wall."}
    </EmptyState>
  );
}
