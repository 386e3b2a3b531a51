/** A video of a page that a test pastes. */
export interface PageVideo {
  author: string;
  caption: string;
  views: string;
  /** Null: the tile has not been scrolled into view. */
  image?: string | null;
}

const WORDS = ["linen", "cabin", "bread", "balcony", "pottery", "ridge", "quilt", "citrus", "lantern", "harbour"];
const word = (at: number): string => WORDS[at % WORDS.length] ?? "linen";

/** The thumbnails' host, which does not exist. */
export const IMAGES = "https://pictures.example";

/** Distinct videos; every third without a thumbnail, every fourth with more hashtags than a card shows. */
export const someVideos = (count: number): PageVideo[] =>
  Array.from({ length: count }, (_, at) => {
    const tags = [word(at), word(at + 1), ...(at % 4 === 3 ? ["slow", "home", "diy", "winter", "weekend"] : [])];
    return {
      author: `${word(at * 3)}.${at % 40}`,
      caption: `${at + 1}. A ${word(at)} by the ${word(at + 2)} ${tags.map((tag) => `#${tag}`).join(" ")}`,
      views: at % 5 === 4 ? `${(at % 9) + 1}.${at % 10}M` : `${(at % 90) + 10}.${at % 10}K`,
      image: at % 3 === 2 ? null : `${IMAGES}/${at + 1}.svg`,
    };
  });

const escaped = (text: string): string => text.replace(/&/g, "&amp;").replace(/"/g, "&quot;").replace(/</g, "&lt;");

const FIRST_UPLOAD_SECONDS = 1_740_000_000n;
const DAY_SECONDS = 86_400n;

/** A video id, whose upper half is the upload time, one per day. */
const idOf = (at: number): bigint => ((FIRST_UPLOAD_SECONDS + BigInt(at % 300) * DAY_SECONDS) << 32n) + BigInt(at);

/** The URL of the video at an index, from 0. */
export const urlOf = ({ author }: PageVideo, at: number): string =>
  `https://www.tiktok.com/@${author}/video/${idOf(at)}`;

const tile = (video: PageVideo, at: number): string => {
  const tags = [...video.caption.matchAll(/#(\w+)/g)].map(
    ([tag, name]) => `<a href="/tag/${name}"><strong>${tag}</strong></a>`,
  );
  const alt = `${escaped(video.caption)} created by ${video.author} with original sound`;
  const image = video.image ?? "data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==";
  return `<div class="css-a1-DivItemContainerV2"><div data-e2e="challenge-item"><div><a href="${urlOf(video, at)}">
    <picture><img alt="${alt}" src="${image}"></picture><strong data-e2e="video-views">${video.views}</strong></a></div></div>
    <div data-e2e="challenge-item-desc"><div title="${escaped(video.caption)}">${escaped(video.caption)} ${tags.join(" ")}</div>
    <a href="/@${video.author}" data-e2e="challenge-item-avatar"><p data-e2e="challenge-item-username">${video.author}</p></a></div></div>`;
};

/** The source of a hashtag page with these videos. */
export const pageOf = (videos: readonly PageVideo[]): string =>
  `<!doctype html><html><body><h1 data-e2e="challenge-title">#slow</h1><div data-e2e="challenge-item-list">
  ${videos.map(tile).join("\n")}</div></body></html>`;
