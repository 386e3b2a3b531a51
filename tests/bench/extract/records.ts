import type { ExpectedVideo } from "#tests/support/video-pages-seeded/page.ts";

/** What a contender found in a card, as written on the page. */
export interface RawCard {
  href: string;
  image: string | null;
  alt: string | null;
  caption: string | null;
  ago: string | null;
  count: string | null;
  /** Whether the card has the play icon, which means that the count is of views. */
  hasPlay: boolean;
  likes: string | null;
  tags: string[];
}

/** Embedded data about a video. */
export interface RawItem {
  desc: string;
  cover: string;
  plays: string;
  likes: string;
  duration: number;
  tags: string[];
}

interface Item {
  id: string;
  desc: string;
  video: { cover: string; duration: number };
  stats: { playCount: number; diggCount: number };
  challenges: { title: string }[];
}

export const emptyCard = (): RawCard => ({
  href: "",
  image: null,
  alt: null,
  caption: null,
  ago: null,
  count: null,
  hasPlay: false,
  likes: null,
  tags: [],
});

/** Both formats of embedded data in the seeded pages, which are well formed, so nothing is checked. */
export function itemsOf(json: string): Map<string, RawItem> {
  const parsed = JSON.parse(json);
  const detail = parsed.__DEFAULT_SCOPE__?.["webapp.video-detail"]?.itemInfo?.itemStruct as Item | undefined;
  const all = (parsed.ItemModule ? Object.values(parsed.ItemModule) : detail ? [detail] : []) as Item[];
  return new Map(
    all.map(({ id, desc, video, stats, challenges }) => [
      id,
      {
        desc,
        cover: video.cover,
        plays: String(stats.playCount),
        likes: String(stats.diggCount),
        duration: video.duration,
        tags: challenges.map(({ title }) => title),
      },
    ]),
  );
}

const LINK = /\/@([^/?#]+)\/(video|photo)\/(\d+)/;
const TAGS = /#([\p{L}\p{N}\p{M}_]+)/gu;

const tidy = (text: string | null | undefined): string | null => text?.replace(/\s+/g, " ").trim() || null;

/** An alt text without its ending, "created by … with …". */
const captionOfAlt = (alt: string | null): string | null => {
  const end = alt?.lastIndexOf(" created by ") ?? -1;
  return alt && end >= 0 && alt.indexOf(" with ", end) > 0 ? alt.slice(0, end) : alt;
};

const uniqueTags = (tags: readonly string[]): string[] => {
  const known = new Map<string, string>();
  for (const tag of tags) if (!known.has(tag.toLowerCase())) known.set(tag.toLowerCase(), tag);
  return [...known.values()];
};

const recordOf = (
  card: RawCard,
  item: RawItem | undefined,
  [, author = "", kind = "", id = ""]: RegExpExecArray,
  place: number,
): ExpectedVideo => {
  const title = tidy(item?.desc) ?? tidy(card.caption) ?? tidy(captionOfAlt(card.alt));
  const uploaded_at = new Date(Number(BigInt(id) >> 32n) * 1_000).toISOString();
  const shown = card.image?.startsWith("http") ? card.image : null;
  const inText = [...(title ?? "").matchAll(TAGS)].map(([, tag = ""]) => tag);
  return {
    id: place,
    video_url: `https://www.tiktok.com/@${author}/${kind}/${id}`,
    title,
    description: title,
    author,
    author_url: `https://www.tiktok.com/@${author}`,
    thumbnail_url: item?.cover ?? shown,
    views_count: item?.plays ?? (card.hasPlay ? tidy(card.count) : null),
    likes_count: item?.likes ?? tidy(card.likes) ?? (card.hasPlay ? null : tidy(card.count)),
    date_posted: tidy(card.ago) ?? uploaded_at.slice(0, 10),
    uploaded_at,
    duration_seconds: item?.duration || null,
    hashtags: uniqueTags([...(item?.tags ?? []), ...card.tags.map((tag) => tag.replace("#", "").trim()), ...inText]),
  };
};

/** Turns cards and data into records in the same way for all contenders: they differ only in parsing. */
export function recordsOf(cards: readonly RawCard[], items: ReadonlyMap<string, RawItem>): ExpectedVideo[] {
  const known = new Set<string>();
  const records: ExpectedVideo[] = [];
  for (const card of cards) {
    const results = LINK.exec(card.href);
    if (!results || known.has(results[3] ?? "")) continue;
    known.add(results[3] ?? "");
    records.push(recordOf(card, items.get(results[3] ?? ""), results, records.length + 1));
  }
  return records;
}
