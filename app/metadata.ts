import type { Metadata } from "next";
import { type ArticleFacts, articleCard, articleShareName } from "#components/site/articles.ts";
import {
  type PagePath,
  SHARE_SIZE,
  type ShareCard,
  shareCardOf,
  shareName,
  wordsOf,
} from "#components/site/page-words.ts";
import { sha256 } from "#lib/core/crypto.ts";
import { productFacts } from "./facts.ts";

/** For pages that only their reader should see: addresses with a token in them. */
export const UNLISTED: Metadata = { robots: { index: false, follow: false }, referrer: "same-origin" };

/** Counted up when cards are drawn in another way, so that networks fetch them again. */
const CARD_EDITION = 1;

/** The address of a picture changes with what it shows: networks keep pictures by address, for long. */
const pictureOf = (name: string, card: ShareCard, productName: string) => {
  const edition = sha256(JSON.stringify([CARD_EDITION, productName, card])).slice(0, 10);
  return {
    url: `/share/${name}?v=${edition}`,
    width: SHARE_SIZE.widthPx,
    height: SHARE_SIZE.heightPx,
    type: "image/jpeg",
    alt: `${card.headline.replaceAll("*", "")}. ${productName}`,
  };
};

type Shared = { title: string; description: string; path: string; picture: ReturnType<typeof pictureOf> };

const isOfBlog = (path: string): boolean => /^\/blog(\/|$)/.test(path);

const sharedAs = ({ title, description, path, picture }: Shared, siteName: string) => ({
  description,
  alternates: { canonical: path, ...(isOfBlog(path) && { types: { "application/rss+xml": "/blog/rss.xml" } }) },
  openGraph: { siteName, title, description, url: path, images: [picture] },
  twitter: { card: "summary_large_image" as const, title, description, images: [picture] },
});

/** What every page has unless it says otherwise; no canonical address, for that belongs to one page. */
export const siteMetadata = async (): Promise<Metadata> => {
  const { name, appUrl } = await productFacts();
  const { title, description } = wordsOf("/", name);
  const picture = pictureOf(shareName("/"), shareCardOf("/"), name);
  return {
    metadataBase: new URL(appUrl),
    title: { default: `${name}: ${title.charAt(0).toLowerCase()}${title.slice(1)}`, template: `%s · ${name}` },
    description,
    applicationName: name,
    openGraph: { siteName: name, type: "website", description, images: [picture] },
    twitter: { card: "summary_large_image" },
  };
};

/** Title, description, canonical address and shared picture of a public page, from the one table of their words. */
export const pageMetadata = async (path: PagePath): Promise<Metadata> => {
  const { name } = await productFacts();
  const { title, description, isIndexed = true } = wordsOf(path, name);
  const { openGraph, ...shared } = sharedAs(
    { title, description, path, picture: pictureOf(shareName(path), shareCardOf(path), name) },
    name,
  );
  return {
    ...shared,
    openGraph: { ...openGraph, type: "website" },
    // The landing page keeps the root's title, which begins with the name.
    ...(path !== "/" && { title }),
    ...(!isIndexed && { robots: { index: false, follow: true } }),
  };
};

/** The same of an article of the blog. */
export const articleMetadata = async (article: ArticleFacts): Promise<Metadata> => {
  const { name } = await productFacts();
  const { slug, title, description, publishedAt, updatedAt = publishedAt, author = name } = article;
  const { openGraph, ...shared } = sharedAs(
    {
      title,
      description,
      path: `/blog/${slug}`,
      picture: pictureOf(articleShareName(slug), articleCard(article), name),
    },
    name,
  );
  return {
    ...shared,
    title,
    authors: [{ name: author }],
    openGraph: { ...openGraph, type: "article", publishedTime: publishedAt, modifiedTime: updatedAt },
  };
};
