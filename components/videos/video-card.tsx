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
  if (!address || failed === address)
    return <span className="grid place-items-center h-full text-sm text-ink-3">{VIDEO_TEXTS.noThumbnail}</span>;
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

/** As many buttons in a row as there is room for. */
const FOOT = "grid-cols-[repeat(auto-fit,minmax(92px,1fr))] max-md:grid-cols-[1fr]";

type VideoCardProps = {
  video: ShownVideo;
  isSelected: boolean;
  onToggle: () => void;
  /** The one hashtag the list is narrowed to. */
  hashtag?: string;
  /** Of the picture, which sets no shape of its own. */
  shotClassName?: string;
  /** Of the row of buttons, which sets no columns of its own. */
  footClassName?: string;
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
      <h3
        className={cn(
          "line-clamp-2 font-sans text-ui/[1.3] font-semibold",
          "data-[once=true]:line-clamp-1 data-[once=true]:wrap-normal data-[once=true]:break-all",
          "[&>a:hover]:underline [&>a:hover]:underline-offset-3",
        )}
        data-once={description?.trim() === name}
      >
        <OuterLink href={video.video_url} title={name}>
          {name}
        </OuterLink>
      </h3>
      <p data-slot="video-by" className="text-xs text-ink-3">
        {author ? (
          <OuterLink href={video.author_url} className="font-[550] text-ink-2 hover:underline hover:underline-offset-3">
            @{author}
          </OuterLink>
        ) : (
          VIDEO_TEXTS.noAuthor
        )}
        <span aria-hidden="true"> · </span>
        <span className="num">{video.date_posted || VIDEO_TEXTS.noDate}</span>
      </p>
      <p data-slot="video-words" className="line-clamp-3 text-xs text-ink-2">
        {description?.trim() || VIDEO_TEXTS.noDescription}
      </p>
      <HashtagLine hashtags={video.hashtags} chosen={hashtag} onToggle={onHashtag} />
    </>
  );
}

/** A video: its picture or the round box chooses it (R-VID-14), the words lead to where it is. */
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
        <span
          data-slot="video-views"
          className={cn(
            "absolute left-2.5 bottom-2.5 flex items-center gap-[5px] py-[3px] pr-2 pl-[7px] rounded-[5px]",
            "bg-[rgb(4_12_8_/_0.78)] text-[#fff] text-xs/[1.4] font-semibold",
            "[&>svg]:size-3 [&>svg]:fill-current num",
          )}
        >
          <Play aria-hidden="true" />
          <span className="sr-only">Views: </span>
          {viewsText(video)}
        </span>
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
        <Words video={video} hashtag={hashtag} onHashtag={onHashtag} />
        {more}
        <div className={cn("mt-auto grid gap-2 pt-2 max-md:*:min-h-11", footClassName)}>{children}</div>
      </div>
    </article>
  );
}
