import "server-only";
import type { Ctx } from "#lib/context.ts";
import { durationText } from "#lib/features/pages/policy.ts";
import type { PageFacts } from "#lib/features/pages/schema.ts";
import type { CopyOutcome, PageData } from "#lib/integrations/ai/port.ts";
import { inventedNumbers } from "./invented-numbers.ts";

const minutesText = (minutes: number | null): string | null =>
  // Both, because either way of writing it is true to the page.
  minutes === null ? null : minutes < 60 ? durationText(minutes) : `${durationText(minutes)} (${minutes} minutes)`;

const isSaid = (value: unknown): boolean => value !== null && value !== "" && !(Array.isArray(value) && !value.length);

const saidIn = (fields: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => isSaid(value)));

const priceOf = ({ price, highPrice, currency }: NonNullable<PageFacts["product"]>): string | null =>
  price && [price, highPrice].flatMap((one) => (one ? [[one, currency].filter(Boolean).join(" ")] : [])).join(" to ");

/** What a model gets to see of a page. */
export const toPageData = ({ recipe, product, article, howTo, ...facts }: PageFacts): PageData =>
  saidIn({
    title: facts.title,
    site: facts.siteName,
    language: facts.language,
    description: facts.description,
    product:
      product &&
      saidIn({
        name: product.name,
        brand: product.brand,
        price: priceOf(product),
        availability: product.availability,
      }),
    recipe:
      recipe &&
      saidIn({
        name: recipe.name,
        ingredients: recipe.ingredients,
        steps: recipe.steps,
        prep_time: minutesText(recipe.prepMinutes),
        cook_time: minutesText(recipe.cookMinutes),
        total_time: minutesText(recipe.totalMinutes),
        yield: recipe.yield,
      }),
    how_to: howTo && saidIn({ name: howTo.name, steps: howTo.steps }),
    article: article && saidIn({ headline: article.headline, author: article.author, published: article.publishedAt }),
    headings: facts.headings,
    text: facts.text,
  });

const textsIn = (value: unknown): string[] => {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
};

interface CopyRequest {
  keyword: string;
  url: string | null;
  /** Null when there is no page, or it couldn't be used. */
  facts: PageFacts | null;
  safetyId: string;
  insteadOf?: string;
}

/** Texts that numbers may come from. A URL may say what its page says, so it counts while the page is unknown. */
const sourcesOf = ({ keyword, url, facts, insteadOf = "" }: CopyRequest): string[] => [
  keyword,
  insteadOf,
  ...(facts ? [facts.host, ...textsIn(toPageData(facts))] : [url ?? ""]),
];

const fixFor = (invented: readonly string[]): string =>
  `Your last answer had numbers that are neither in "page" nor in "keyword": ${invented.slice(0, 10).join("; ")}. Write the three texts again without these and without any other number that is not there.`;

/** `invented`: the repaired text still had numbers that are on no page. */
export type GroundedCopy = CopyOutcome | { kind: "invented" };

/**
 * Copy whose numbers all come from its page or keyword. A text with other numbers is sent back once. Rows without a URL
 * aren't checked: there is no page to contradict.
 */
export const writeGroundedCopy = async (
  ctx: Pick<Ctx<"ai">, "ai" | "log">,
  request: CopyRequest,
): Promise<GroundedCopy> => {
  const { facts, ...row } = request;
  const input = { ...row, ...(facts && { page: toPageData(facts) }) };
  const findInvented = ({ title, description, altText }: Extract<CopyOutcome, { kind: "written" }>["copy"]) =>
    request.url === null ? [] : inventedNumbers([title, description, altText], sourcesOf(request));
  const first = await ctx.ai.writeCopy(input);
  const invented = first.kind === "written" ? findInvented(first.copy) : [];
  if (invented.length === 0) return first;
  ctx.log.count("copy_repairs");
  const second = await ctx.ai.writeCopy({ ...input, fix: fixFor(invented) });
  return second.kind === "written" && findInvented(second.copy).length > 0 ? { kind: "invented" } : second;
};
