import { articleCard, articleShareName } from "#components/site/articles.ts";
import { PAGE_PATHS, SHARE_SIZE, type ShareCard, shareCardOf, shareName } from "#components/site/page-copy.ts";
import { listArticles } from "#lib/server/articles.ts";
import { sharedImageResponse } from "#lib/server/responses.ts";
import { productFacts } from "../../facts.ts";

/** Rendered at build time; other names return 404. */
export const dynamic = "force-static";
export const dynamicParams = false;

/** The share cards of all pages and articles, by file name. */
const cards = async (): Promise<Map<string, ShareCard>> => {
  const articles = await listArticles();
  return new Map([
    ...PAGE_PATHS.map((path): [string, ShareCard] => [shareName(path), shareCardOf(path)]),
    ...articles.map((article): [string, ShareCard] => [articleShareName(article.slug), articleCard(article)]),
  ]);
};

type ShareParams = { name: string[] };

export const generateStaticParams = async (): Promise<ShareParams[]> =>
  [...(await cards()).keys()].map((name) => ({ name: name.split("/") }));

/** A share image (1200 x 630). */
export const GET = async (_: Request, { params }: { params: Promise<ShareParams> }): Promise<Response> => {
  const card = (await cards()).get((await params).name.join("/"));
  if (!card) return new Response(null, { status: 404 });
  const { name } = await productFacts();
  return sharedImageResponse({ name, ...card, ...SHARE_SIZE });
};
