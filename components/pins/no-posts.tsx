import { EmptyState } from "#components/ui/empty-state.tsx";
import { LinkButton } from "#components/ui/link-button.tsx";
import type { PostFilter } from "#lib/features/pins/constants.ts";

const TITLES: Record<PostFilter, string> = {
  all: "No pins yet",
  published: "Nothing published yet",
  scheduled: "Nothing scheduled",
  draft: "No drafts",
  failed: "Nothing failed",
};

type NoPostsProps = { filter: PostFilter; hasAccount: boolean; creatorPath: string };

/** An empty wall with its one next step. */
export function NoPosts({ filter, hasAccount, creatorPath }: NoPostsProps) {
  if (!hasAccount) {
    return (
      <EmptyState
        title="No account connected yet"
        action={
          <LinkButton variant="primary" href="/app">
            Connect Account
          </LinkButton>
        }
      >
        Connect a Pinterest account first, then make your first pins.
      </EmptyState>
    );
  }
  return (
    <EmptyState
      title={TITLES[filter]}
      action={
        filter === "failed" ? undefined : (
          <LinkButton variant="primary" href={creatorPath}>
            Make pins from keywords
          </LinkButton>
        )
      }
    >
      {filter === "failed"
        ? "Every pin went where it should."
        : "Type a few keywords; each becomes a draft on this wall."}
    </EmptyState>
  );
}
