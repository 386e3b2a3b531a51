import { memo } from "react";
import { LinkChip } from "#components/pins/link-warning.tsx";
import { Pin } from "#components/pins/pin.tsx";
import { PinFace } from "#components/pins/pin-face.tsx";
import { PinPick } from "#components/pins/pin-pick.tsx";
import { Slip } from "#components/pins/slip.tsx";
import { StatusChip } from "#components/pins/status-chip.tsx";
import { formatDateTime } from "#lib/core/time.ts";
import { thumbnailSet } from "#lib/features/pins/policy.ts";
import type { PostWire } from "#lib/features/pins/schema.ts";

/** As wide as the grid draws it: two, three or five columns. */
const FACE_SIZES = "(min-width: 1200px) 208px, (min-width: 768px) 26vw, 42vw";

type PostCardProps = {
  post: PostWire;
  /** Place in the order of publishing, from 1. */
  place?: number;
  timeZone: string;
  isEager: boolean;
  /** It was not published when the screen loaded, and is now: its tack goes home. */
  hasJustChanged: boolean;
  onToggle: (post: PostWire, isRange: boolean) => void;
  onOpen: (post: PostWire) => void;
  onRetry: (post: PostWire) => void;
};

const whenOf = (post: PostWire): string | null =>
  post.status === "published" ? post.published_at : post.status === "scheduled" ? post.scheduled_at : null;

function Card(props: PostCardProps) {
  const { post, place, timeZone, isEager, hasJustChanged, onToggle, onOpen, onRetry } = props;
  const when = whenOf(post);
  return (
    <li className="post">
      <button
        type="button"
        className="post-open"
        onClick={() => onOpen(post)}
        aria-label={`Pin Details: ${post.title}`}
      >
        <Pin state={post.status} isSelected={place !== undefined} isPressing={hasJustChanged}>
          <PinFace
            src={post.image_url}
            srcSet={thumbnailSet(post.image_url)}
            sizes={FACE_SIZES}
            alt=""
            placeholder={post.placeholder}
            isEager={isEager}
          />
        </Pin>
      </button>
      {post.status === "draft" && (
        <PinPick place={place} label={`Select ${post.title}`} onToggle={(isRange) => onToggle(post, isRange)} />
      )}
      <Slip title={post.title}>
        <span className="post-meta num">
          <StatusChip state={post.status} />
          <LinkChip post={post} />
          {when && <time dateTime={when}>{formatDateTime(when, timeZone)}</time>}
          {post.status === "draft" && post.keyword && <span>{post.keyword}</span>}
          {post.status === "failed" && (
            <button
              type="button"
              className="link btn-word"
              onClick={() => onRetry(post)}
              aria-label={`Try again: ${post.title}`}
            >
              Try again
            </button>
          )}
          {post.pinterest_url && (
            <a className="link" href={post.pinterest_url} target="_blank" rel="noreferrer">
              See it<span className="sr-only"> on Pinterest: {post.title}</span>
            </a>
          )}
        </span>
        {post.reason && (
          <span className={post.status === "failed" ? "post-why" : "text-xs text-ink-3"}>{post.reason}</span>
        )}
      </Slip>
    </li>
  );
}

/** One pin on the wall: the picture opens its details, the disc chooses it, the slip says where it stands. */
export const PostCard = memo(Card);
