import "server-only";
import { z } from "zod";
import { dateOrNull, parseOrNull, tidy, tidyUrl } from "#lib/features/pages/tidy.ts";
import { ENTRY_LIMITS } from "./constants.ts";
import type { PageEntry } from "./schema.ts";

const text = z.string().nullish().catch(null);
/** Most pages in one JSON. Ours ask for 250 at most. */
const ITEMS_MAX = 1_000;
const VALUES_MAX = 100;

/** Cut first, since each item that doesn't fit costs a report. */
const cut = (value: unknown): unknown => (Array.isArray(value) ? value.slice(0, VALUES_MAX) : value);
const list = <S extends z.ZodType>(item: S) => z.preprocess(cut, z.array(item)).catch([]);

interface Said {
  url: string | null | undefined;
  title: string | null | undefined;
  image: string | null | undefined;
  date: string | null | undefined;
  tags: readonly string[];
}

const toEntry = (said: Said, base: string): PageEntry | null => {
  const url = tidyUrl(said.url ?? "", base);
  if (url === null) return null;
  return {
    url,
    title: tidy(said.title ?? "", ENTRY_LIMITS.title),
    image: tidyUrl(said.image ?? "", base),
    date: dateOrNull(said.date),
    tags: said.tags.slice(0, ENTRY_LIMITS.tags).flatMap((tag) => tidy(tag, ENTRY_LIMITS.tag) ?? []),
  };
};

const shopifyProduct = z.object({
  handle: z.string().min(1),
  title: text,
  published_at: text,
  product_type: text,
  tags: z.preprocess((tags) => (typeof tags === "string" ? tags.split(",", VALUES_MAX) : tags), list(z.string())),
  images: list(z.object({ src: text })),
});

const wordPressPost = z.object({
  link: z.string().min(1),
  title: z.object({ rendered: text }).nullish().catch(null),
  date_gmt: text,
  _embedded: z
    .object({
      "wp:featuredmedia": list(z.object({ source_url: text })),
      "wp:term": list(list(z.object({ name: text, taxonomy: text }))),
    })
    .partial()
    .nullish()
    .catch(null),
});

const wooProduct = z.object({
  permalink: z.string().min(1),
  name: text,
  images: list(z.object({ src: text })),
  tags: list(z.object({ name: text })),
  categories: list(z.object({ name: text })),
});

const namesOf = (items: readonly { name?: string | null | undefined }[]): string[] =>
  items.flatMap(({ name }) => name ?? []);

/** WordPress dates are in UTC without saying so. */
const asUtc = (value: string | null | undefined): string | null => (value ? `${value.replace(/Z$/, "")}Z` : null);

const READERS = {
  shopify: (item: unknown): Said | null => {
    const { data } = shopifyProduct.safeParse(item);
    if (!data) return null;
    const { handle, title, published_at: date, images, product_type: type, tags } = data;
    const url = `/products/${encodeURIComponent(handle)}`;
    return { url, title, image: images[0]?.src, date, tags: [...(type ? [type] : []), ...tags] };
  },
  wordpress: (item: unknown): Said | null => {
    const { data } = wordPressPost.safeParse(item);
    if (!data) return null;
    const terms = (data._embedded?.["wp:term"] ?? []).flat().filter(({ name }) => name !== "Uncategorized");
    const image = data._embedded?.["wp:featuredmedia"]?.[0]?.source_url;
    return { url: data.link, title: data.title?.rendered, image, date: asUtc(data.date_gmt), tags: namesOf(terms) };
  },
  woocommerce: (item: unknown): Said | null => {
    const { data } = wooProduct.safeParse(item);
    if (!data) return null;
    const tags = namesOf([...data.tags, ...data.categories]);
    return { url: data.permalink, title: data.name, image: data.images[0]?.src, date: null, tags };
  },
} as const;

export type ListingKind = keyof typeof READERS;

const itemsOf = (kind: ListingKind, data: unknown): unknown[] | null => {
  const found = kind === "shopify" ? z.object({ products: z.unknown() }).safeParse(data).data?.products : data;
  return Array.isArray(found) ? found : null;
};

/**
 * Pages of a site's public JSON. `items`: how many it has, so that the last page of them is known. `isCut`: it has more
 * than are read.
 * @returns null for anything else
 */
export const readListing = (
  kind: ListingKind,
  source: string,
  base: string,
): { entries: PageEntry[]; items: number; isCut: boolean } | null => {
  const items = itemsOf(kind, parseOrNull(source));
  if (!items) return null;
  const said = items.slice(0, ITEMS_MAX).flatMap((item) => READERS[kind](item) ?? []);
  if (items.length > 0 && said.length === 0) return null;
  const entries = said.flatMap((one) => toEntry(one, base) ?? []);
  return { entries, items: items.length, isCut: items.length > ITEMS_MAX };
};
