import { z } from "zod";

const optionalText = z.string().nullable();

/** Prices, dates, and yields are as written on the page; times are whole minutes. */
export const pageFacts = z.object({
  /** Of the URL after redirects. The whole URL isn't kept, since it may hold a token that only its user knows. */
  host: z.string(),
  canonicalUrl: optionalText,
  language: optionalText,
  siteName: optionalText,
  title: optionalText,
  description: optionalText,
  headings: z.array(z.string()),
  /** The beginning of the main text. */
  text: z.string(),
  recipe: z
    .object({
      name: optionalText,
      ingredients: z.array(z.string()),
      steps: z.array(z.string()),
      prepMinutes: z.number().nullable(),
      cookMinutes: z.number().nullable(),
      totalMinutes: z.number().nullable(),
      yield: optionalText,
    })
    .nullable(),
  product: z
    .object({
      name: optionalText,
      brand: optionalText,
      price: optionalText,
      /** The highest price, if there are several. */
      highPrice: optionalText,
      currency: optionalText,
      availability: optionalText,
    })
    .nullable(),
  article: z.object({ headline: optionalText, author: optionalText, publishedAt: optionalText }).nullable(),
  howTo: z.object({ name: optionalText, steps: z.array(z.string()) }).nullable(),
  /** URLs, those that the page names first. */
  images: z.array(z.string()),
});
export type PageFacts = z.output<typeof pageFacts>;

/** Any text: an older release may not know a newer one's reason. `status`: of the site's refusal. */
const unread = z.object({ kind: z.literal("unread"), reason: z.string(), status: z.number().nullable() });

export type UnreadPage = z.output<typeof unread>;

export type PageReading = { kind: "read"; facts: PageFacts } | UnreadPage;

const takenFact = z.object({ label: z.string(), value: z.string() });
export type TakenFact = z.output<typeof takenFact>;

/** What a draft keeps of a reading: `taken` is for people. */
export const pageSummary = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("read"), taken: z.array(takenFact) }),
  unread,
]);
export type PageSummary = z.output<typeof pageSummary>;

/** `problem`: why the page was not used, in one sentence; null when it was. */
export interface PageWire {
  taken: TakenFact[];
  problem: string | null;
}
