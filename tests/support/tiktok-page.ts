/** A video of a page that a test pastes. */
export interface PageVideo {
  author: string;
  caption: string;
  views: string;
  /** Null: the tile has not been scrolled into view. */
  picture?: string | null;
}

const WORDS = ["linen", "cabin", "bread", "balcony", "pottery", "ridge", "quilt", "citrus", "lantern", "harbour"];
const word = (at: number): string => WORDS[at % WORDS.length] ?? "linen";

/** Where the pictures of these videos lie: a host that nobody has. */
export const PICTURES = "https://pictures.example";

/** So many different videos; each third without a picture, each fourth with more hashtags than a card shows. */
export const someVideos = (count: number): PageVideo[] =>
  Array.from({ length: count }, (_, at) => {
    const tags = [word(at), word(at + 1), ...(at % 4 === 3 ? ["slow", "home", "diy", "winter", "weekend"] : [])];
    return {
      author: `${word(at * 3)}.${at % 40}`,
      caption: `${at + 1}. A ${word(at)} by the ${word(at + 2)} ${tags.map((tag) => `#${tag}`).join(" ")}`,
      views: at % 5 === 4 ? `${(at % 9) + 1}.${at % 10}M` : `${(at % 90) + 10}.${at % 10}K`,
      picture: at % 3 === 2 ? null : `${PICTURES}/${at + 1}.svg`,
    };
  });

const escaped = (text: string): string => text.replace(/&/g, "&amp;").replace(/"/g, "&quot;").replace(/</g, "&lt;");

const FIRST_UPLOAD_SECONDS = 1_740_000_000n;
const DAY_SECONDS = 86_400n;

/** The id of a video: its upper half is the time of its upload, one a day. */
const idOf = (at: number): bigint => ((FIRST_UPLOAD_SECONDS + BigInt(at % 300) * DAY_SECONDS) << 32n) + BigInt(at);

/** The address that the page gives to its video of a place, from 0. */
export const addressOf = ({ author }: PageVideo, at: number): string =>
  `https://www.tiktok.com/@${author}/video/${idOf(at)}`;

const tile = (video: PageVideo, at: number): string => {
  const tags = [...video.caption.matchAll(/#(\w+)/g)].map(
    ([tag, name]) => `<a href="/tag/${name}"><strong>${tag}</strong></a>`,
  );
  const alt = `${escaped(video.caption)} created by ${video.author} with original sound`;
  const picture = video.picture ?? "data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==";
  return `<div class="css-a1-DivItemContainerV2"><div data-e2e="challenge-item"><div><a href="${addressOf(video, at)}">
    <picture><img alt="${alt}" src="${picture}"></picture><strong data-e2e="video-views">${video.views}</strong></a></div></div>
    <div data-e2e="challenge-item-desc"><div title="${escaped(video.caption)}">${escaped(video.caption)} ${tags.join(" ")}</div>
    <a href="/@${video.author}" data-e2e="challenge-item-avatar"><p data-e2e="challenge-item-username">${video.author}</p></a></div></div>`;
};

/** The source of a hashtag's page with these videos. */
export const pageOf = (videos: readonly PageVideo[]): string =>
  `<!doctype html><html><body><h1 data-e2e="challenge-title">#slow</h1><div data-e2e="challenge-item-list">
  ${videos.map(tile).join("\n")}</div></body></html>`;
