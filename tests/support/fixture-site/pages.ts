import type { PageFacts } from "#lib/features/pages/schema.ts";
import { jsonLd } from "../web-pages/fixture.ts";

/** A page of the fixture site: what it serves, and what must come back from it. */
export interface SitePage {
  path: string;
  kind: "recipe" | "product" | "article" | "listing" | "broken";
  title: string;
  status?: number;
  headers?: Record<string, string>;
  body: string | Buffer;
  expected: Partial<PageFacts> | { reason: string; status?: number };
}

const layout = (title: string, head: string, body: string, language = "en"): string =>
  `<!doctype html><html lang="${language}"><head><meta charset="utf-8"><title>${title} | Fern &amp; Fork</title>
<meta property="og:site_name" content="Fern &amp; Fork">${head}</head><body><nav>Home Shop Recipes</nav>
<main><h1>${title}</h1>${body}</main><footer>Copyright 2026</footer></body></html>`;

interface Recipe {
  path: string;
  name: string;
  ingredients: string[];
  steps: string[];
  minutes: number;
  yields: string;
}

const RECIPES: Recipe[] = [
  {
    ...{ path: "/recipes/rye-crispbread", name: "Rye crispbread", minutes: 55, yields: "24 pieces" },
    ingredients: ["250 g rye flour", "1 tsp caraway", "180 ml water"],
    steps: ["Mix everything and rest the dough for 20 minutes.", "Roll it out and bake it at 220 °C."],
  },
  {
    ...{ path: "/recipes/plum-jam", name: "Plum jam without pectin", minutes: 95, yields: "5 jars" },
    ingredients: ["2 kg plums", "700 g sugar"],
    steps: ["Stone the plums.", "Simmer them until a drop sets on a cold plate."],
  },
  {
    ...{ path: "/recipes/lentil-soup", name: "Smoky lentil soup", minutes: 40, yields: "4 servings" },
    ingredients: ["300 g brown lentils", "2 carrots", "1 tbsp smoked paprika"],
    steps: ["Soften the carrots.", "Add lentils and 1.5 l of stock.", "Season with paprika."],
  },
  {
    ...{ path: "/recipes/oat-cookies", name: "Chewy oat cookies", minutes: 30, yields: "18 cookies" },
    ingredients: ["200 g oats", "120 g butter", "1 egg"],
    steps: ["Melt the butter.", "Stir in oats and egg.", "Bake for 12 minutes."],
  },
  {
    ...{ path: "/recipes/pickled-onions", name: "Pink pickled onions", minutes: 15, yields: "1 jar" },
    ingredients: ["3 red onions", "150 ml cider vinegar"],
    steps: ["Slice the onions thinly.", "Pour hot vinegar over them."],
  },
  {
    ...{ path: "/recipes/pumpkin-gnocchi", name: "Pumpkin gnocchi", minutes: 80, yields: "6 servings" },
    ingredients: ["600 g pumpkin", "250 g flour", "1 egg yolk"],
    steps: ["Roast and mash the pumpkin.", "Knead in flour.", "Boil the gnocchi until they float."],
  },
];

/** Real sites differ in how they say it. */
const RECIPE_STYLES: ((recipe: Recipe) => unknown)[] = [
  ({ steps }) => ({ recipeInstructions: steps.map((text) => ({ "@type": "HowToStep", text })) }),
  ({ steps }) => ({ recipeInstructions: steps }),
  ({ steps }) => ({
    recipeInstructions: [{ "@type": "HowToSection", itemListElement: steps.map((text) => ({ text })) }],
  }),
  ({ steps }) => ({ recipeInstructions: steps.join("\n") }),
];

/** One page of each kind has its data in its HTML, as older sites have. */
const isMarked = (path: string): boolean => path === "/recipes/pumpkin-gnocchi" || path === "/shop/tea-towels";

const markedRecipe = ({ name, ingredients, steps, minutes, yields }: Recipe): string =>
  `<div itemscope itemtype="https://schema.org/Recipe"><h2 itemprop="name">${name}</h2>
<time itemprop="totalTime" datetime="PT${minutes}M">${minutes} minutes</time> <span itemprop="recipeYield">${yields}</span>
<ul>${ingredients.map((one) => `<li itemprop="recipeIngredient">${one}</li>`).join("")}</ul>
<ol itemprop="recipeInstructions">${steps.map((one) => `<li>${one}</li>`).join("")}</ol></div>`;

const toRecipePage = (recipe: Recipe, at: number): SitePage => {
  const { path, name, ingredients, steps, minutes, yields } = recipe;
  const said = RECIPE_STYLES[at % RECIPE_STYLES.length]?.(recipe) ?? {};
  const data = { "@type": "Recipe", name, recipeIngredient: ingredients, ...said };
  const whole = { ...data, totalTime: `PT${minutes}M`, recipeYield: yields, image: `${path}.jpg` };
  const head = jsonLd(
    at % 2 === 0 ? whole : { "@context": "https://schema.org", "@graph": [{ "@type": "WebSite" }, whole] },
  );
  return {
    ...{ path, kind: "recipe", title: name },
    body: isMarked(path)
      ? layout(name, "", markedRecipe(recipe))
      : layout(name, head, `<p>Our way to make ${name.toLowerCase()}.</p>`),
    expected: {
      ...{ title: `${name} | Fern & Fork`, siteName: "Fern & Fork", language: "en" },
      recipe: {
        ...{ name, ingredients, steps, prepMinutes: null, cookMinutes: null },
        ...{ totalMinutes: minutes, yield: yields },
      },
    },
  };
};

interface Product {
  path: string;
  name: string;
  brand: string;
  price: string;
  currency: string;
  availability: string;
}

const PRODUCTS: Product[] = [
  ["linen-apron", "Linen apron", "Fern & Fork", "49.00", "USD", "in stock"],
  ["oak-board", "Oak cutting board", "Grain Works", "78.50", "USD", "in stock"],
  ["enamel-pot", "Enamel pot, 3 liters", "Kettle House", "64.90", "EUR", "out of stock"],
  ["walnut-spoon", "Walnut spoon", "Grain Works", "14", "USD", "in stock"],
  ["beeswax-wraps", "Beeswax wraps", "Hive", "18.25", "GBP", "pre-order"],
  ["bread-knife", "Bread knife", "Edge & Co", "89.00", "USD", "limited availability"],
  ["storage-jars", "Storage jars, set of 4", "Clear", "32.00", "CAD", "back order"],
  ["tea-towels", "Tea towels", "Fern & Fork", "24.00", "USD", "discontinued"],
].map(([slug = "", name = "", brand = "", price = "", currency = "", availability = ""]) => {
  return { path: `/shop/${slug}`, name, brand, price, currency, availability };
});

const STATES: Readonly<Record<string, string>> = {
  ...{ "in stock": "InStock", "out of stock": "OutOfStock", "pre-order": "PreOrder", discontinued: "Discontinued" },
  ...{ "limited availability": "LimitedAvailability", "back order": "BackOrder" },
};

const markedProduct = ({ name, brand, price, currency, availability }: Product): string =>
  `<div itemscope itemtype="https://schema.org/Product"><h2 itemprop="name">${name}</h2><p itemprop="brand">${brand}</p>
<p itemprop="offers" itemscope itemtype="https://schema.org/Offer"><span itemprop="price">${price}</span>
<meta itemprop="priceCurrency" content="${currency}">
<link itemprop="availability" href="https://schema.org/${STATES[availability]}"></p></div>`;

const toProductPage = (product: Product, at: number): SitePage => {
  const { path, name, brand, price, currency, availability } = product;
  const offer = { priceCurrency: currency, availability: `https://schema.org/${STATES[availability]}` };
  const offers = at % 2 === 0 ? { ...offer, price } : [{ ...offer, priceSpecification: { price } }];
  const data = { "@type": "Product", name, brand: at % 3 === 0 ? brand : { name: brand }, offers };
  const image = `<meta property="og:image" content="${path}.jpg">`;
  return {
    ...{ path, kind: "product", title: name },
    body: isMarked(path)
      ? layout(name, image, markedProduct(product))
      : layout(name, `${image}${jsonLd(data)}`, `<p>Made to be used daily.</p><button>Add to cart</button>`),
    expected: {
      title: `${name} | Fern & Fork`,
      product: { name, brand, price, highPrice: null, currency, availability },
    },
  };
};

const ARTICLES = [
  ["sharpen-knives", "How to sharpen knives at home", "Ada Fern", "2026-09-14", "en"],
  ["pantry-plan", "A pantry plan for small kitchens", "Mo Reed", "2026-10-02", "en"],
  ["herbs-in-winter", "Herbs that grow indoors in winter", "Ada Fern", "2026-10-20", "en"],
  ["caring-for-wood", "Caring for wooden boards", "Lin Oak", "2026-11-01", "en"],
  ["vorratskammer", "Eine Vorratskammer einrichten", "Jo Moos", "2026-11-05", "de"],
  ["cuisine-lente", "La cuisine lente, pas à pas", "Zoé Tilleul", "2026-11-11", "fr"],
] as const;

const toArticlePage = ([slug, title, author, date, language]: (typeof ARTICLES)[number], at: number): SitePage => {
  const path = `/journal/${slug}`;
  const text = `${title}: what we learned in our own kitchen, in plain words and with 3 photos.`;
  const data = { "@type": at % 2 === 0 ? "BlogPosting" : "NewsArticle", headline: title, author: { name: author } };
  return {
    ...{ path, kind: "article", title },
    body: layout(title, jsonLd({ ...data, datePublished: date }), `<h2>First</h2><p>${text}</p>`, language),
    expected: {
      ...{ language, headings: [title, "First"] },
      article: { headline: title, author, publishedAt: date },
    },
  };
};

const LISTINGS = [
  ["/shop", "All products", PRODUCTS.map(({ name, price }) => `${name} ${price}`)],
  ["/recipes", "All recipes", RECIPES.map(({ name }) => name)],
  ["/journal", "The journal", ARTICLES.map(([, title]) => title)],
] as const;

const toListingPage = ([path, title, names]: (typeof LISTINGS)[number]): SitePage => {
  const data = { "@type": "ItemList", itemListElement: names.map((name) => ({ "@type": "Product", name })) };
  const items = names.map((name) => `<li>${name}</li>`).join("");
  return {
    ...{ path, kind: "listing", title },
    body: layout(title, jsonLd(data), `<ul>${items}</ul><p>Everything that we make, write, and cook at one place.</p>`),
    expected: { ...{ headings: [title], recipe: null, product: null, article: null, howTo: null } },
  };
};

const broken = (
  name: string,
  body: SitePage["body"],
  expected: SitePage["expected"],
  more: Partial<Pick<SitePage, "status" | "headers">> = {},
): SitePage => ({ path: `/broken/${name}`, kind: "broken", title: name, body, expected, ...more });

const BROKEN: SitePage[] = [
  broken("gone", "", { reason: "status", status: 410 }, { status: 410 }),
  broken("members", layout("Sign in", "", '<p>Members only.</p><input type="password">'), { reason: "login" }),
  broken("wall", "<title>Just a moment...</title><p>Checking your browser.</p>", { reason: "robot_check" }),
  broken("app", '<div id="root"></div><script src="/app.js"></script>', { reason: "no_text" }),
  broken("loop", "", { reason: "too_many_redirects" }, { status: 302, headers: { location: "/broken/loop" } }),
  broken("download", "%PDF-1.7", { reason: "not_page" }, { headers: { "content-type": "application/pdf" } }),
  broken(
    // Latin-1 that claims to be UTF-8.
    "charset",
    Buffer.from(layout("Crème brûlée", "", `<p>${"Une crème brûlée dorée à la minute. ".repeat(4)}</p>`), "latin1"),
    { headings: ["Crème brûlée"] },
  ),
];

/** Thirty pages of kinds that real sites have. */
export const SITE_PAGES: readonly SitePage[] = [
  ...RECIPES.map(toRecipePage),
  ...PRODUCTS.map(toProductPage),
  ...ARTICLES.map(toArticlePage),
  ...LISTINGS.map(toListingPage),
  ...BROKEN,
];

/** Those that can be read. */
export const READABLE_PAGES = SITE_PAGES.filter(({ expected }) => !("reason" in expected));
