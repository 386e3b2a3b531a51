import type { PageFacts } from "#lib/features/pages/schema.ts";

/** A handwritten page and what must be read from it: facts, or why the page can't be used. */
export interface PageFixture {
  name: string;
  html: string;
  expected: PageFacts | "charset" | "no_text" | "login" | "robot_check";
}

export const PAGE_URL = "https://moss.example/a/page?b=1";

export const NO_RECIPE = {
  ...{ name: null, ingredients: [], steps: [] },
  ...{ prepMinutes: null, cookMinutes: null, totalMinutes: null, yield: null },
};
export const NO_PRODUCT = {
  ...{ name: null, brand: null, price: null },
  ...{ highPrice: null, currency: null, availability: null },
};

/** Facts with everything that the page doesn't say. */
export const facts = (said: Partial<PageFacts>): PageFacts => ({
  host: "moss.example",
  canonicalUrl: null,
  language: null,
  siteName: null,
  title: null,
  description: null,
  headings: [],
  text: "",
  recipe: null,
  product: null,
  article: null,
  howTo: null,
  images: [],
  ...said,
});

export const jsonLd = (data: unknown): string => `<script type="application/ld+json">${JSON.stringify(data)}</script>`;
