import type { Metadata } from "next";
import { type ArticleFacts, articleCard, articleShareName } from "#components/site/articles.ts";
import {
  type PagePath,
  pageCopyOf,
  SHARE_SIZE,
  type ShareCard,
  shareCardOf,
  shareName,
} from "#components/site/page-copy.ts";
import { sha256 } from "#lib/core/crypto.ts";
import { productFacts } from "./facts.ts";

/** For pages that must not be listed, since their URL contains a token. */
export const UNLISTED: Metadata = { robots: { index: false, follow: false }, referrer: "same-origin" };

/** Increase it when the design of share images changes, so that social networks fetch them again. */
const CARD_VERSION = 1;

/** The image URL changes with its content, since social networks cache images by URL. */
const imageOf = (name: string, card: ShareCard, productName: string) => {
  const version = sha256(JSON.stringify([CARD_VERSION, productName, card])).slice(0, 10);
  return {
    url: `/share/${name}?v=${version}`,
    width: SHARE_SIZE.widthPx,
    height: SHARE_SIZE.heightPx,
    type: "image/jpeg",
    alt: `${card.headline.replaceAll("*", "")}. ${productName}`,
  };
};

type Shared = { title: string; description: string; path: string; image: ReturnType<typeof imageOf> };

const isBlogPath = (path: string): boolean => /^\/blog(\/|$)/.test(path);

const sharedAs = ({ title, description, path, image }: Shared, siteName: string) => ({
  description,
  alternates: { canonical: path, ...(isBlogPath(path) && { types: { "application/rss+xml": "/blog/rss.xml" } }) },
  openGraph: { siteName, title, description, url: path, images: [image] },
  twitter: { card: "summary_large_image" as const, title, description, images: [image] },
});

/** Default metadata of all pages. It has no canonical URL, which belongs to a single page. */
export const siteMetadata = async (): Promise<Metadata> => {
  const { name, appUrl } = await productFacts();
  const { title, description } = pageCopyOf("/", name);
  const image = imageOf(shareName("/"), shareCardOf("/"), name);
  return {
    metadataBase: new URL(appUrl),
    title: { default: `${name}: ${title.charAt(0).toLowerCase()}${title.slice(1)}`, template: `%s · ${name}` },
    description,
    applicationName: name,
    openGraph: { siteName: name, type: "website", description, images: [image] },
    twitter: { card: "summary_large_image" },
  };
};

/** Title, description, canonical URL and share image of a public page. */
export const pageMetadata = async (path: PagePath): Promise<Metadata> => {
  const { name } = await productFacts();
  const { title, description, isIndexed = true } = pageCopyOf(path, name);
  const { openGraph, ...shared } = sharedAs(
    { title, description, path, image: imageOf(shareName(path), shareCardOf(path), name) },
    name,
  );
  return {
    ...shared,
    openGraph: { ...openGraph, type: "website" },
    // The landing page keeps the root title, which starts with the product's name.
    ...(path !== "/" && { title }),
    ...(!isIndexed && { robots: { index: false, follow: true } }),
  };
};

/** Metadata of a blog article. */
export const articleMetadata = async (article: ArticleFacts): Promise<Metadata> => {
  const { name } = await productFacts();
  const { slug, title, description, publishedAt, updatedAt = publishedAt, author = name } = article;
  const { openGraph, ...shared } = sharedAs(
    {
      title,
      description,
      path: `/blog/${slug}`,
      image: imageOf(articleShareName(slug), articleCard(article), name),
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
