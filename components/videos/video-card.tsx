import Check from "lucide-react/icons/check";
import Play from "lucide-react/icons/play";
import type { ReactNode } from "react";
import { HashtagLine } from "#components/videos/hashtag-line.tsx";
import { OuterLink } from "#components/videos/outer-link.tsx";
import { nameOf, type ShownVideo, viewsText } from "#components/videos/shown-video.ts";
import { Thumbnail } from "#components/videos/thumbnail.tsx";
import { VIDEO_TEXTS } from "#components/videos/video-texts.ts";

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
