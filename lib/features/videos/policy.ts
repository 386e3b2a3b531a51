const HOSTS = ["www.tiktok.com", "tiktok.com", "m.tiktok.com"];

const LARGEST_NUMBER = 2n ** 64n - 1n;

/**
 * The one form of a video's address, `https://www.tiktok.com/@name/video/123` (or `/photo/123`): in lower case, as the
 * site's names are, and without what may follow it. Null when the text is none, or its number is none of 1 to 2^64 - 1.
 */
export const videoAddress = (text: string): string | null => {
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  const isPlain = url.username === "" && url.password === "" && url.port === "";
  if (!isPlain || !["http:", "https:"].includes(url.protocol) || !HOSTS.includes(url.hostname)) return null;
  const path = /^\/@([\w.-]{1,64})\/(video|photo)\/([1-9]\d{0,19})\/?$/.exec(url.pathname.toLowerCase());
  if (!path || BigInt(path[3] ?? 0) > LARGEST_NUMBER) return null;
  return `https://www.tiktok.com/@${path[1]}/${path[2]}/${path[3]}`;
};

/** The number at the end of an address in its one form: what tells a video from all others. */
export const videoNumber = (address: string): string => address.slice(address.lastIndexOf("/") + 1);

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
