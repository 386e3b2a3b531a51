import Check from "lucide-react/icons/check";
import Copy from "lucide-react/icons/copy";
import ExternalLink from "lucide-react/icons/external-link";
import Play from "lucide-react/icons/play";
import { type ReactNode, useState } from "react";
import { Button } from "#components/ui/button.tsx";
import { buttonClass } from "#components/ui/button-style.ts";
import { cn } from "#components/ui/cn.ts";
import {
  CARD_HASHTAGS,
  durationText,
  imageUrl,
  linkUrl,
  nameOf,
  type ShownVideo,
  VIDEO_TEXTS,
  viewsText,
} from "./video-texts.ts";

type HashtagListProps = {
  hashtags: readonly string[];
  /** The active filter; only with `onToggle`. */
  chosen?: string;
  /** Makes each hashtag a button that toggles the filter. */
  onToggle?: (hashtag: string) => void;
};

/** Up to five hashtags, and how many more there are. */
function HashtagList({ hashtags, chosen, onToggle }: HashtagListProps) {
  if (hashtags.length === 0) return null;
  const more = hashtags.length - CARD_HASHTAGS;
  return (
    <ul
      className="flex flex-wrap items-baseline gap-y-[3px] gap-x-[9px] text-xs font-medium text-accent-ink"
      aria-label="Hashtags"
    >
      {hashtags.slice(0, CARD_HASHTAGS).map((hashtag) => (
        <li key={hashtag}>
          {onToggle ? (
            <button
              type="button"
              className={cn(
                "min-h-6 py-0 px-[5px] mx-[-5px] rounded-[5px] text-left hover:bg-hover",
                "aria-pressed:mx-0 aria-pressed:bg-accent-tint",
              )}
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
      {more > 0 && <li className="text-ink-3">+{more} more</li>}
    </ul>
  );
}

type OutboundLinkProps = { href: string | null; className?: string; title?: string; children: ReactNode };

/** A link from a pasted page: http(s) or plain text, and without a referrer. */
export function OutboundLink({ href, className, title, children }: OutboundLinkProps) {
  const url = linkUrl(href);
  if (!url) {
    return (
      <span className={className} title={title}>
        {children}
      </span>
    );
  }
  return (
    <a
      href={url}
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

type LinkButtonsProps = {
  video: ShownVideo;
  /** Button texts; screen readers also get the video's name. */
  copyLabel: string;
  openLabel: string;
  onCopy: (url: string) => void;
};

/** Copies a video's URL, or opens it in a new tab. */
export function LinkButtons({ video, copyLabel, openLabel, onCopy }: LinkButtonsProps) {
  const name = nameOf(video);
  const url = linkUrl(video.video_url);
  return (
    <>
      <Button size="sm" onClick={() => onCopy(video.video_url)}>
        <Copy aria-hidden="true" />
        {copyLabel}
        <span className="sr-only">: {name}</span>
      </Button>
      {url && (
        <a
          className={buttonClass({ size: "sm" })}
          href={url}
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

/** A video's thumbnail, or 'No Thumbnail' when missing or expired. It loads lazily and without a referrer. */
export function Thumbnail({ src }: { src: string | null }) {
  const url = imageUrl(src);
  const [failed, setFailed] = useState<string | null>(null);
  if (!url || failed === url)
    return <span className="grid place-items-center h-full text-sm text-ink-3">{VIDEO_TEXTS.noThumbnail}</span>;
  return (
    // biome-ignore lint/performance/noImgElement: loaded from TikTok's host, not through our server
    <img src={url} alt="" loading="lazy" decoding="async" referrerPolicy="no-referrer" onError={() => setFailed(url)} />
  );
}

/** A figure on the thumbnail. */
const FIGURE = cn(
  "flex items-center gap-[5px] py-[3px] px-2 rounded-[5px]",
  "bg-[rgb(4_12_8_/_0.78)] text-[#fff] text-xs/[1.4] font-semibold num",
);

/** The views, and the duration if it is known. */
function Figures({ video }: { video: ShownVideo }) {
  const duration = durationText(video);
  return (
    <span className="absolute inset-x-2.5 bottom-2.5 flex flex-wrap justify-between gap-1">
      <span data-slot="video-views" className={cn(FIGURE, "pl-[7px] [&>svg]:size-3 [&>svg]:fill-current")}>
        <Play aria-hidden="true" />
        <span className="sr-only">Views: </span>
        {viewsText(video)}
      </span>
      {duration && (
        <span data-slot="video-duration" className={FIGURE}>
          <span className="sr-only">Duration: </span>
          {duration}
        </span>
      )}
    </span>
  );
}

const FOOT = "grid-cols-[repeat(auto-fit,minmax(92px,1fr))] max-md:grid-cols-[1fr]";

type VideoCardProps = {
  video: ShownVideo;
  isSelected: boolean;
  onToggle: () => void;
  /** The active hashtag filter. */
  hashtag?: string;
  /** Sets the thumbnail's aspect ratio. */
  shotClassName?: string;
  /** Sets the columns of the button row. */
  footClassName?: string;
  onHashtag?: (hashtag: string) => void;
  /** Shown below the hashtags. */
  more?: ReactNode;
  /** Buttons at the bottom. */
  children: ReactNode;
};

/** The text below the thumbnail. */
function CardText({ video, hashtag, onHashtag }: Pick<VideoCardProps, "video" | "hashtag" | "onHashtag">) {
  const name = nameOf(video);
  const { author, description } = video;
  return (
    <>
      <h3
        className={cn(
          "line-clamp-2 font-sans text-ui/[1.3] font-semibold",
          "data-[once=true]:line-clamp-1 data-[once=true]:wrap-normal data-[once=true]:break-all",
          "[&>a:hover]:underline [&>a:hover]:underline-offset-3",
        )}
        data-once={description?.trim() === name}
      >
        <OutboundLink href={video.video_url} title={name}>
          {name}
        </OutboundLink>
      </h3>
      <p data-slot="video-by" className="text-xs text-ink-3">
        {author ? (
          <OutboundLink
            href={video.author_url}
            className="font-[550] text-ink-2 hover:underline hover:underline-offset-3"
          >
            @{author}
          </OutboundLink>
        ) : (
          VIDEO_TEXTS.noAuthor
        )}
        <span aria-hidden="true"> · </span>
        <span className="num">{video.date_posted || VIDEO_TEXTS.noDate}</span>
      </p>
      <p data-slot="video-description" className="line-clamp-3 text-xs text-ink-2">
        {description?.trim() || VIDEO_TEXTS.noDescription}
      </p>
      <HashtagList hashtags={video.hashtags} chosen={hashtag} onToggle={onHashtag} />
    </>
  );
}

/** A video card. The thumbnail or the checkbox selects it. */
export function VideoCard(props: VideoCardProps) {
  const {
    video,
    isSelected,
    onToggle,
    hashtag,
    shotClassName = "aspect-4/5",
    footClassName = FOOT,
    onHashtag,
    more,
    children,
  } = props;
  return (
    <article
      data-slot="video-card"
      className={cn(
        "rounded-card bg-surface shadow-card flex flex-col h-full overflow-hidden",
        "data-[selected=true]:shadow-[0_0_0_2.5px_var(--accent),var(--shadow-card)]",
      )}
      data-selected={isSelected}
    >
      <label
        className={cn(
          shotClassName,
          "relative block overflow-hidden bg-well cursor-pointer",
          "[&>img]:size-full [&>img]:object-cover",
        )}
      >
        <Thumbnail src={video.thumbnail_url} />
        <Figures video={video} />
        <input
          type="checkbox"
          data-slot="video-pick"
          className="peer size-12 appearance-none absolute top-0 right-0 outline-none cursor-pointer"
          aria-label={`Select ${nameOf(video)}`}
          checked={isSelected}
          onChange={onToggle}
        />
        <span
          aria-hidden="true"
          className={cn(
            "pointer-events-none absolute top-2.5 right-2.5 grid size-6.5 place-items-center rounded-full",
            "border-[1.5px] border-[#19251e] bg-[rgb(255_255_255/0.92)] text-transparent",
            "peer-checked:border-accent peer-checked:bg-accent peer-checked:text-on-accent",
            "peer-focus-visible:outline-[2.5px] peer-focus-visible:outline-offset-3",
            "peer-focus-visible:outline-focus peer-focus-visible:outline-solid",
          )}
        >
          <Check className="size-[15px] stroke-3" />
        </span>
      </label>
      <div
        className={cn(
          "flex flex-1 flex-col gap-1.5 min-w-0 pt-3.5 pb-[13px] px-[15px] text-sm/[1.45] wrap-anywhere",
          "max-md:pt-[11px] max-md:pb-2.5 max-md:px-[11px]",
        )}
      >
        <CardText video={video} hashtag={hashtag} onHashtag={onHashtag} />
        {more}
        <div className={cn("mt-auto grid gap-2 pt-2 max-md:*:min-h-11", footClassName)}>{children}</div>
      </div>
    </article>
  );
}
