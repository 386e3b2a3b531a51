import { NoAccount } from "#components/accounts/account-choice.tsx";
import type { PinQuery } from "#components/pins/pin-list.ts";
import { EmptyState } from "#components/shared/empty-state.tsx";
import { Button } from "#components/ui/button.tsx";
import { LinkButton } from "#components/ui/link-button.tsx";
import type { PinFilter } from "#lib/features/pins/constants.ts";
import type { PinCounts } from "#lib/features/pins/schema.ts";

const TITLES: Record<PinFilter, string> = {
  all: "No pins yet",
  published: "Nothing published yet",
  scheduled: "Nothing scheduled",
  draft: "No drafts",
  failed: "Nothing failed",
};

const AMONG: Record<PinFilter, string> = {
  all: "this account's pins",
  published: "the published pins",
  scheduled: "the scheduled pins",
  draft: "the drafts",
  failed: "the failed pins",
};

type NoPinsProps = {
  query: PinQuery;
  counts: PinCounts | null;
  hasAccount: boolean;
  creatorPath: string;
  /** `onClear` and `onShowAll` remove the pressed button, so the caller must move the focus. */
  onClear: () => void;
  onShowAll: () => void;
};

function NothingFound({
  query: { q, filter },
  counts,
  onClear,
  onShowAll,
}: Pick<NoPinsProps, "query" | "counts" | "onClear" | "onShowAll">) {
  const elsewhere = filter === "all" ? 0 : (counts?.all ?? 0);
  return (
    <EmptyState
      title={`Nothing found for “${q}”`}
      action={
        <div className="flex flex-wrap justify-center gap-2">
          {elsewhere > 0 && (
            <Button variant="primary" onClick={onShowAll}>
              Show {elsewhere} {elsewhere === 1 ? "match" : "matches"} in All
            </Button>
          )}
          <Button onClick={onClear}>Clear the search</Button>
        </div>
      }
    >
      Try fewer words. Every word has to appear in the title or keyword. No matches in {AMONG[filter]}.
    </EmptyState>
  );
}

/** The two ways to create pins. */
export function WaysToPins({ creatorPath }: { creatorPath: string }) {
  return (
    <div className="flex flex-wrap justify-center gap-2">
      <LinkButton variant="primary" href={creatorPath}>
        Create pins from keywords
      </LinkButton>
      <LinkButton href="/app/create-pin">Manual Pin Creation</LinkButton>
    </div>
  );
}

/** An empty pin grid with its next step. */
export function NoPins({ query, counts, hasAccount, creatorPath, onClear, onShowAll }: NoPinsProps) {
  if (!hasAccount) {
    return <NoAccount>Connect a Pinterest account to create your first pins.</NoAccount>;
  }
  if (query.q !== "") return <NothingFound query={query} counts={counts} onClear={onClear} onShowAll={onShowAll} />;
  const isFailed = query.filter === "failed";
  return (
    <EmptyState title={TITLES[query.filter]} action={isFailed ? undefined : <WaysToPins creatorPath={creatorPath} />}>
      {isFailed
        ? "Pins that couldn't be published will appear here."
        : "Enter a few keywords or upload your own images. Each one becomes a draft here."}
    </EmptyState>
  );
}
