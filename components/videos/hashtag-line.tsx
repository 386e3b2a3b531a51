import { CARD_HASHTAGS } from "#components/videos/video-texts.ts";

type HashtagLineProps = {
  hashtags: readonly string[];
  /** The one the list is narrowed to; only with `onToggle`. */
  chosen?: string;
  /** Makes each a button that narrows the list to it, or lets it go again (R-SAV-06). */
  onToggle?: (hashtag: string) => void;
};

/** Up to five hashtags and how many more there are (R-VID-10, A-73). */
export function HashtagLine({ hashtags, chosen, onToggle }: HashtagLineProps) {
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
