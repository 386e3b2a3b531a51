const HOSTS = ["www.tiktok.com", "tiktok.com", "m.tiktok.com"];

const LARGEST_NUMBER = 2n ** 64n - 1n;

/** Lower case, without a query. Null when it is not a video's URL or its number exceeds 64 bits. */
export const canonicalVideoUrl = (text: string): string | null => {
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  const isPlain = url.username === "" && url.password === "" && url.port === "";
  if (!isPlain || !["http:", "https:"].includes(url.protocol) || !HOSTS.includes(url.hostname)) return null;
  const path = /^\/@([\w.-]{1,64})\/(video|photo)\/([1-9]\d{0,19})\/?$/.exec(url.pathname.toLowerCase());
  if (!path || BigInt(path[3] ?? 0) > LARGEST_NUMBER) return null;
  return `https://www.tiktok.com/@${path[1]}/${path[2]}/${path[3]}`;
};

export const videoNumber = (url: string): string => url.slice(url.lastIndexOf("/") + 1);

/** A hashtag without '#' and surrounding space. */
export const cleanHashtag = (text: string): string => text.trim().replace(/^[\s#]+/, "");

export const hashtagKey = (hashtag: string): string => cleanHashtag(hashtag).toLowerCase();

export const uniqueTexts = (texts: readonly string[]): string[] => {
  const known = new Map<string, string>();
  for (const text of texts) if (text !== "" && !known.has(text.toLowerCase())) known.set(text.toLowerCase(), text);
  return [...known.values()];
};
