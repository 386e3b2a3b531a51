import { useRouter } from "next/navigation";
import { WaysToPins } from "#components/pins/no-posts.tsx";
import type { ReviewDeck } from "#components/pins/review/use-review.ts";
import { useDeletion } from "#components/pins/use-deletion.ts";
import { Button } from "#components/ui/button.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { FocusedHeading } from "#components/ui/focused-heading.tsx";
import { LinkButton } from "#components/ui/link-button.tsx";
import { chosenPath } from "#lib/features/pins/constants.ts";

const drafts = (count: number): string => (count === 1 ? "1 draft" : `${count} drafts`);

type ReviewEndProps = { accountId: string; deck: ReviewDeck };

/** Behind the last draft: what was said, and what follows from it. */
export function ReviewEnd({ accountId, deck }: ReviewEndProps) {
  const { approved, rejected, open } = deck.counts;
  const router = useRouter();
  // What goes and comes back is heard over the live stream.
  const { remove, isDeleting } = useDeletion({ onChanged: () => undefined });
  const rejectedIds = deck.posts
    .filter((post) => deck.isDraft(post) && deck.choiceOf(post.id) === "rejected")
    .map(({ id }) => id);
  const firstOpen = deck.posts.findIndex((post) => deck.isDraft(post) && deck.choiceOf(post.id) === null);
  // What is chosen there is asked of the server, which must know the last word by then.
  const scheduleApproved = () => router.push(chosenPath(accountId, "approved"));
  return (
    <section className="review-end card">
      <FocusedHeading key={rejected} className="title-2">
        {open === 0 ? "All looked at" : `${drafts(open)} not decided yet`}
      </FocusedHeading>
      <p className="num text-ink-2">
        {drafts(approved)} approved, {drafts(rejected)} rejected.
      </p>
      <div className="flex flex-wrap gap-2">
        {firstOpen >= 0 && (
          <Button variant={approved === 0 ? "primary" : "secondary"} onClick={() => deck.go(firstOpen)}>
            Look at {open === 1 ? "it" : "them"}
          </Button>
        )}
        {approved > 0 && (
          <Button variant="primary" isBusy={deck.isSaving} onClick={scheduleApproved}>
            Schedule {drafts(approved)}
          </Button>
        )}
        {rejected > 0 && (
          <Button variant="danger-quiet" isBusy={deck.isSaving || isDeleting} onClick={() => remove(rejectedIds)}>
            Delete {drafts(rejected)}
          </Button>
        )}
        <Button variant="quiet" onClick={() => deck.go(0)}>
          Look again
        </Button>
        {deck.canUndo && (
          <Button variant="quiet" onClick={deck.undo}>
            Undo the last choice
          </Button>
        )}
      </div>
    </section>
  );
}

/** Nothing to look at. */
export function NoDrafts({ hasAccount, creatorPath }: { hasAccount: boolean; creatorPath: string }) {
  return (
    <EmptyState
      title={hasAccount ? "No drafts" : "No account connected yet"}
      action={
        hasAccount ? (
          <WaysToPins creatorPath={creatorPath} />
        ) : (
          <LinkButton variant="primary" href="/app">
            Connect Account
          </LinkButton>
        )
      }
    >
      {hasAccount
        ? "Type a few keywords, or bring images of your own: each becomes a draft that can be looked at here."
        : "Connect a Pinterest account first, then make your first pins."}
    </EmptyState>
  );
}
