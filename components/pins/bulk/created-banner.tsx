import { Banner } from "#components/ui/banner.tsx";
import { LinkButton } from "#components/ui/link-button.tsx";
import type { BulkWire } from "#lib/features/pins/schema.ts";

const listOf = (numbers: readonly number[]): string =>
  numbers.length === 1 ? `pin ${numbers[0]}` : `pins ${numbers.slice(0, -1).join(", ")} and ${numbers.at(-1)}`;

/** What was made, and where it is. */
export function CreatedBanner({ created }: { created: BulkWire }) {
  const { posts, first_frames: frames } = created;
  return (
    <Banner
      tone="success"
      className="mb-5"
      action={
        <LinkButton size="sm" href={`/app/generated-posts?status=draft&account=${posts[0]?.account_id ?? ""}`}>
          Generated Posts
        </LinkButton>
      }
    >
      {posts.length === 1 ? "One draft is" : `${posts.length} drafts are`} waiting in Generated Posts.
      {frames.length > 0 && ` Of ${listOf(frames)} the first frame was taken: the image moved.`}
    </Banner>
  );
}
