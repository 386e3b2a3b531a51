import type { ShareCard } from "#components/site/page-words.ts";

/** An article of the blog as search engines and shared links show it. */
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

/** Five pictures that belong to a text: the same each time, others for another. */
const postersFor = (text: string): string[] => {
  const seed = [...text].reduce((sum, letter) => (sum * 31 + (letter.codePointAt(0) ?? 0)) % 9_973, 7);
  return Array.from({ length: POSTERS_ON_CARD }, (_, index) => POSTERS[(seed + index * 3) % POSTERS.length] ?? "bread");
};

/** What the shared picture of an article shows. */
export const articleCard = ({ slug, title }: ArticleFacts): ShareCard => ({
  headline: title.replaceAll("*", ""),
  label: "Blog",
  posters: postersFor(slug),
});

/** The name of an article's shared picture, below `/share/`. */
export const articleShareName = (slug: string): string => `blog/${slug}.jpg`;
