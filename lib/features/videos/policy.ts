const HOSTS = ["www.tiktok.com", "tiktok.com", "m.tiktok.com"];

/**
 * The one form of a video's address, `https://www.tiktok.com/@name/video/123` (or `/photo/123`), without what may follow
 * it; null when the text is none.
 */
export const videoAddress = (text: string): string | null => {
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  const isPlain = url.username === "" && url.password === "" && url.port === "";
  if (!isPlain || !["http:", "https:"].includes(url.protocol) || !HOSTS.includes(url.hostname)) return null;
  const path = /^\/@([\w.-]{1,64})\/(video|photo)\/(\d{1,20})\/?$/.exec(url.pathname);
  return path && `https://www.tiktok.com/@${path[1]}/${path[2]}/${path[3]}`;
};

/** A hashtag as it is kept: without '#' and what surrounds it. */
export const plainHashtag = (text: string): string => text.trim().replace(/^[\s#]+/, "");

/** A hashtag as it is looked for. */
export const hashtagKey = (hashtag: string): string => plainHashtag(hashtag).toLowerCase();

/** Texts of which each comes once, whatever the case of its letters; the first way of writing it stays. */
export const uniqueWords = (words: readonly string[]): string[] => {
  const known = new Map<string, string>();
  for (const word of words) if (word !== "" && !known.has(word.toLowerCase())) known.set(word.toLowerCase(), word);
  return [...known.values()];
};
