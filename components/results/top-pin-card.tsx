import { Pin } from "#components/pins/pin.tsx";
import { PinFace, PinOutline } from "#components/pins/pin-face.tsx";
import { Slip } from "#components/pins/slip.tsx";
import { METRIC_NAMES } from "#components/results/result-words.ts";
import { formatCount } from "#lib/core/numbers.ts";
import { httpUrl } from "#lib/core/paths.ts";
import { METRICS, type Metric } from "#lib/features/analytics/constants.ts";
import type { TopPinWire } from "#lib/features/analytics/schema.ts";
import { thumbnailSet } from "#lib/features/pins/policy.ts";

/** As wide as the grid draws it: two, three or six columns. */
const FACE_SIZES = "(min-width: 1200px) 160px, (min-width: 768px) 26vw, 42vw";

type TopPinCardProps = {
  pin: TopPinWire;
  /** From 1. */
  place: number;
  /** The figure that decided. */
  top: Metric;
  onOpen: (postId: string) => void;
};

function OwnFace({ post, onOpen }: { post: NonNullable<TopPinWire["post"]>; onOpen: (postId: string) => void }) {
  return (
    <button
      type="button"
      className="post-open"
      aria-label={`Pin Details: ${post.title}`}
      onClick={() => onOpen(post.id)}
    >
      <Pin state="published">
        <PinFace src={post.image_url} srcSet={thumbnailSet(post.image_url)} sizes={FACE_SIZES} alt="" />
      </Pin>
    </button>
  );
}

/** One of the best pins: what it earned, its picture when it is ours, and the way to it. */
export function TopPinCard({ pin, place, top, onOpen }: TopPinCardProps) {
  const { post, figures } = pin;
  const title = post?.title ?? "Made elsewhere";
  const address = httpUrl(pin.pinterest_url);
  const others = METRICS.filter((metric) => metric !== top && metric !== "engagements");
  return (
    <li className="top-pin">
      {post ? (
        <OwnFace post={post} onOpen={onOpen} />
      ) : (
        <PinOutline className="top-elsewhere">Its picture is on Pinterest</PinOutline>
      )}
      <Slip title={title}>
        <span className="top-figure num">
          <b>{formatCount(figures[top])}</b> {METRIC_NAMES[top].toLowerCase()}
        </span>
        <dl className="top-others num">
          {others.map((metric) => (
            <div key={metric}>
              <dt>{METRIC_NAMES[metric]}</dt>
              <dd>{formatCount(figures[metric])}</dd>
            </div>
          ))}
        </dl>
        {post?.keyword && <span>{post.keyword}</span>}
        {address && (
          <a className="link btn-word" href={address} target="_blank" rel="noreferrer">
            See it
            <span className="sr-only">
              {" "}
              on Pinterest: place {place}, {title}
            </span>
          </a>
        )}
      </Slip>
    </li>
  );
}
