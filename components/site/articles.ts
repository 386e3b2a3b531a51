import type { ShareCard } from "#components/site/page-copy.ts";

/** An article as shown by search engines and shared links. */
export type ArticleFacts = {
  slug: string;
  title: string;
  description: string;
  /** YYYY-MM-DD */
  publishedAt: string;
  /** YYYY-MM-DD */
  updatedAt?: string;
  author?: string;
  image?: { path: string; widthPx: number; heightPx: number; alt: string };
};

const POSTERS = ["bread", "eucalypt", "lisbon", "night", "quilt", "ridge", "figs", "herbs", "citrus", "swim", "meadow"];
const POSTERS_ON_CARD = 5;

/** Picks five posters for a text, always the same ones. */
const postersFor = (text: string): string[] => {
  const seed = [...text].reduce((sum, char) => (sum * 31 + (char.codePointAt(0) ?? 0)) % 9_973, 7);
  return Array.from({ length: POSTERS_ON_CARD }, (_, index) => POSTERS[(seed + index * 3) % POSTERS.length] ?? "bread");
};

/** Returns the content of an article's share image. */
export const articleCard = ({ slug, title }: ArticleFacts): ShareCard => ({
  headline: title.replaceAll("*", ""),
  label: "Blog",
  posters: postersFor(slug),
});

/** Returns the file name of an article's share image under `/share/`. */
export const articleShareName = (slug: string): string => `blog/${slug}.jpg`;
