import { facts, jsonLd, NO_PRODUCT, NO_RECIPE, type PageFixture } from "./fixture.ts";

const marked = (type: string, inside: string): string =>
  `<div itemscope itemtype="https://schema.org/${type}">${inside}</div>`;

const prop = (name: string, content: string): string => `<meta itemprop="${name}" content="${content}">`;

const offer = (price: string, currency: string, more = ""): string =>
  `<p itemprop="offers" itemscope itemtype="https://schema.org/Offer">${prop("price", price)}${
    currency && prop("priceCurrency", currency)
  }${more}</p>`;

const shopTags = (title: string, price: string, currency: string): string =>
  `<meta property="og:title" content="${title}"><meta property="product:price:amount" content="${price}">
  <meta property="product:price:currency" content="${currency}"><meta property="product:availability" content="instock">`;

const TEXT = "Every mug is thrown by hand, fired twice, and safe in the dishwasher.";

const PRODUCT: PageFixture = {
  name: "a product without price and image in JSON-LD, which its HTML has, beside a related one",
  html: `${jsonLd({ "@type": "Product", name: "Fern mug", brand: "Moss & Co", description: "A mug" })}
    ${marked("Product", `${prop("name", "FERN  Mug!")}${prop("brand", "Other brand")}${prop("image", "/mug.jpg")}${offer("24.50", "EUR")}`)}
    ${marked("Product", `${prop("name", "Ivy mug")}${prop("image", "/ivy.jpg")}${offer("9.00", "USD")}`)}<p>${TEXT}</p>`,
  expected: facts({
    text: TEXT,
    product: { ...NO_PRODUCT, name: "Fern mug", brand: "Moss & Co", price: "24.50", currency: "EUR" },
    images: ["https://moss.example/mug.jpg"],
  }),
};

const RECIPE: PageFixture = {
  name: "a recipe without ingredients and times in JSON-LD, which its HTML has",
  html: `${jsonLd({ "@type": "Recipe", name: "Lemon tart", recipeInstructions: ["Bake it."], recipeIngredient: [] })}
    ${marked("Recipe", `${prop("name", "Lemon tart")}${prop("recipeIngredient", "3 lemons")}${prop("totalTime", "PT1H")}${prop("recipeInstructions", "Another step.")}`)}`,
  expected: facts({
    recipe: {
      ...{ ...NO_RECIPE, name: "Lemon tart", ingredients: ["3 lemons"] },
      ...{ steps: ["Bake it."], totalMinutes: 60 },
    },
  }),
};

const OTHER_KIND: PageFixture = {
  name: "a recipe with gaps in JSON-LD, and an article of that name in its HTML",
  html: `${jsonLd({ "@type": "Recipe", name: "Lemon tart" })}
    ${marked("Article", `${prop("headline", "Lemon tart")}${prop("recipeIngredient", "9 lemons")}${prop("recipeYield", "8 slices")}`)}`,
  expected: facts({
    recipe: { ...NO_RECIPE, name: "Lemon tart" },
    article: { headline: "Lemon tart", author: null, publishedAt: null },
  }),
};

const TWO_OF_THE_NAME: PageFixture = {
  name: "a product without a price in JSON-LD, and two of its name in its HTML",
  html: `${jsonLd({ "@type": "Product", name: "Fern mug" })}${["9.00", "19.00"]
    .map((price) => marked("Product", `${prop("name", "Fern mug")}${offer(price, "EUR")}`))
    .join("")}`,
  expected: facts({ product: { ...NO_PRODUCT, name: "Fern mug" } }),
};

const OPEN_GRAPH: PageFixture = {
  name: "a product whose price is only in Open Graph",
  html: `${shopTags("Fern mug - Moss Shop", "24.50", "EUR")}${jsonLd({ "@type": "Product", name: "Fern mug" })}`,
  expected: facts({
    title: "Fern mug - Moss Shop",
    product: { ...NO_PRODUCT, name: "Fern mug", price: "24.50", currency: "EUR", availability: "in stock" },
  }),
};

const CURRENCY: PageFixture = {
  name: "a price without its currency, which Open Graph has, written in another way",
  html: `${shopTags("Fern mug", "24,50", "EUR")}${jsonLd({ "@type": "Product", name: "Fern mug", offers: { price: 24.5 } })}`,
  expected: facts({
    title: "Fern mug",
    product: { ...NO_PRODUCT, name: "Fern mug", price: "24.5", currency: "EUR", availability: "in stock" },
  }),
};

const OTHER_PRICE: PageFixture = {
  name: "a price without its currency, and another price in Open Graph",
  html: `${shopTags("Fern mug", "21.00", "USD")}${jsonLd({ "@type": "Product", name: "Fern mug", offers: { price: 24.5 } })}`,
  expected: facts({
    title: "Fern mug",
    product: { ...NO_PRODUCT, name: "Fern mug", price: "24.5", availability: "in stock" },
  }),
};

const OTHER_PAGE: PageFixture = {
  name: "a product without a price on the page of another one",
  html: `${shopTags("Gift card", "50.00", "EUR")}${jsonLd({ "@type": "Product", name: "Fern mug" })}`,
  expected: facts({ title: "Gift card", product: { ...NO_PRODUCT, name: "Fern mug" } }),
};

const VARIANTS: PageFixture = {
  name: "variants of which some are sold out, and Open Graph that says in stock",
  html: `${shopTags("Fern mug", "19.00", "EUR")}${jsonLd({
    ...{ "@type": "Product", name: "Fern mug" },
    offers: ["InStock", "SoldOut"].map((availability) => ({ price: "19.00", priceCurrency: "EUR", availability })),
  })}`,
  expected: facts({
    title: "Fern mug",
    product: { ...NO_PRODUCT, name: "Fern mug", price: "19.00", currency: "EUR" },
  }),
};

/** Pages whose JSON-LD says less about a thing than their HTML or Open Graph does. */
export const GAP_PAGES: readonly PageFixture[] = [
  ...[PRODUCT, RECIPE, OTHER_KIND, TWO_OF_THE_NAME, OPEN_GRAPH],
  ...[CURRENCY, OTHER_PRICE, OTHER_PAGE, VARIANTS],
];
