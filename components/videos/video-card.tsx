import Check from "lucide-react/icons/check";
import Copy from "lucide-react/icons/copy";
import ExternalLink from "lucide-react/icons/external-link";
import Play from "lucide-react/icons/play";
import { type ReactNode, useState } from "react";
import { Button } from "#components/ui/button.tsx";
import { buttonClass } from "#components/ui/button-style.ts";
import {
  CARD_HASHTAGS,
  linkAddress,
  nameOf,
  pictureAddress,
  type ShownVideo,
  VIDEO_TEXTS,
  viewsText,
} from "./video-texts.ts";

type HashtagLineProps = {
  hashtags: readonly string[];
  /** The one the list is narrowed to; only with `onToggle`. */
  chosen?: string;
  /** Makes each a button that narrows the list to it, or lets it go again (R-SAV-06). */
  onToggle?: (hashtag: string) => void;
};

/** Up to five hashtags and how many more there are (R-VID-10, A-73). */
function HashtagLine({ hashtags, chosen, onToggle }: HashtagLineProps) {
  if (hashtags.length === 0) return null;
  const more = hashtags.length - CARD_HASHTAGS;
  return (
    <ul className="video-tags" aria-label="Hashtags">
      {hashtags.slice(0, CARD_HASHTAGS).map((hashtag) => (
        <li key={hashtag}>
          {onToggle ? (
            <button
              type="button"
              className="video-tag"
              aria-pressed={hashtag.toLowerCase() === chosen?.toLowerCase()}
              onClick={() => onToggle(hashtag)}
            >
              #{hashtag}
            </button>
          ) : (
            `#${hashtag}`
          )}
        </li>
      ))}
      {more > 0 && <li className="video-tags-more">+{more} more</li>}
    </ul>
  );
}

type OuterLinkProps = { href: string | null; className?: string; title?: string; children: ReactNode };

/** A link that came out of a pasted page (R-VID-31): http(s) or no link at all, and nothing is told to where it leads. */
export function OuterLink({ href, className, title, children }: OuterLinkProps) {
  const address = linkAddress(href);
  if (!address) {
    return (
      <span className={className} title={title}>
        {children}
      </span>
    );
  }
  return (
    <a
      href={address}
      target="_blank"
      rel="noopener noreferrer nofollow"
      referrerPolicy="no-referrer"
      className={className}
      title={title}
    >
      {children}
    </a>
  );
}

type AddressButtonsProps = {
  video: ShownVideo;
  /** The words on the buttons; the video's name is read after them. */
  copyLabel: string;
  openLabel: string;
  onCopy: (address: string) => void;
};

/** Copies a video's address, or opens it in a window of its own (R-VID-11, R-SAV-08). */
export function AddressButtons({ video, copyLabel, openLabel, onCopy }: AddressButtonsProps) {
  const name = nameOf(video);
  const address = linkAddress(video.video_url);
  return (
    <>
      <Button size="sm" onClick={() => onCopy(video.video_url)}>
        <Copy aria-hidden="true" />
        {copyLabel}
        <span className="sr-only">: {name}</span>
      </Button>
      {address && (
        <a
          className={buttonClass({ size: "sm" })}
          href={address}
          target="_blank"
          rel="noopener noreferrer nofollow"
          referrerPolicy="no-referrer"
        >
          <ExternalLink aria-hidden="true" />
          {openLabel}
          <span className="sr-only">: {name}</span>
        </a>
      )}
    </>
  );
}

/**
 * A video's picture, or 'No Thumbnail' (R-VID-04), also once its address has expired. Its host is told no referrer, and
 * it is asked only when the picture comes into view.
 */
export function Thumbnail({ src }: { src: string | null }) {
  const address = pictureAddress(src);
  const [failed, setFailed] = useState<string | null>(null);
  if (!address || failed === address) return <span className="video-none">{VIDEO_TEXTS.noThumbnail}</span>;
  return (
    // biome-ignore lint/performance/noImgElement: the browser asks the picture's own host, never our server
    <img
      src={address}
      alt=""
      loading="lazy"
      decoding="async"
      referrerPolicy="no-referrer"
      onError={() => setFailed(address)}
    />
  );
}

type VideoCardProps = {
  video: ShownVideo;
  isSelected: boolean;
  onToggle: () => void;
  /** The one hashtag the list is narrowed to. */
  hashtag?: string;
  onHashtag?: (hashtag: string) => void;
  /** More to say of it, below the hashtags. */
  more?: ReactNode;
  /** What can be done with it: small buttons at the foot. */
  children: ReactNode;
};

/** The words below the picture (R-VID-06 to R-VID-10). */
function Words({ video, hashtag, onHashtag }: Pick<VideoCardProps, "video" | "hashtag" | "onHashtag">) {
  const name = nameOf(video);
  const { author, description } = video;
  return (
    <>
      <h3 className="video-title" data-once={description?.trim() === name}>
        <OuterLink href={video.video_url} title={name}>
          {name}
        </OuterLink>
      </h3>
      <p className="video-by">
        {author ? (
          <OuterLink href={video.author_url} className="video-author">
            @{author}
          </OuterLink>
        ) : (
          VIDEO_TEXTS.noAuthor
        )}
        <span aria-hidden="true"> · </span>
        <span className="num">{video.date_posted || VIDEO_TEXTS.noDate}</span>
      </p>
      <p className="video-words">{description?.trim() || VIDEO_TEXTS.noDescription}</p>
      <HashtagLine hashtags={video.hashtags} chosen={hashtag} onToggle={onHashtag} />
    </>
  );
}

/** A video: its picture or the round box chooses it (R-VID-14), the words lead to where it is. */
export function VideoCard({ video, isSelected, onToggle, hashtag, onHashtag, more, children }: VideoCardProps) {
  return (
    <article className="card video-card" data-selected={isSelected}>
      <label className="video-shot">
        <Thumbnail src={video.thumbnail_url} />
        <span className="video-views num">
          <Play aria-hidden="true" />
          <span className="sr-only">Views: </span>
          {viewsText(video)}
        </span>
        <input
          type="checkbox"
          className="video-pick"
          aria-label={`Select ${nameOf(video)}`}
          checked={isSelected}
          onChange={onToggle}
        />
        <span aria-hidden="true" className="video-disc">
          <Check />
        </span>
      </label>
      <div className="video-body">
        <Words video={video} hashtag={hashtag} onHashtag={onHashtag} />
        {more}
        <div className="video-foot">{children}</div>
      </div>
    </article>
  );
}
