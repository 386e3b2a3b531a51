import { articleCard, articleShareName } from "#components/site/articles.ts";
import { PAGE_PATHS, SHARE_SIZE, type ShareCard, shareCardOf, shareName } from "#components/site/page-words.ts";
import { listArticles } from "#lib/server/articles.ts";
import { answerShared } from "#lib/server/responses.ts";
import { productFacts } from "../../facts.ts";

/** Drawn when the product is built; no other name exists. */
export const dynamic = "force-static";
export const dynamicParams = false;

/** Of every page and every article, by the picture's name. */
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

/** The picture that a shared link shows (1200 x 630). */
export const GET = async (_: Request, { params }: { params: Promise<ShareParams> }): Promise<Response> => {
  const card = (await cards()).get((await params).name.join("/"));
  if (!card) return new Response(null, { status: 404 });
  const { name } = await productFacts();
  return answerShared({ name, ...card, ...SHARE_SIZE });
};
