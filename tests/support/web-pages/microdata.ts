import { facts, jsonLd, NO_PRODUCT, NO_RECIPE, type PageFixture } from "./fixture.ts";

const PRODUCT: PageFixture = {
  name: "a product marked in its HTML",
  html: `<html lang="en" itemscope itemtype="https://schema.org/WebPage"><head><title>Fern mug</title></head><body>
    <nav itemscope itemtype="https://schema.org/Product"><b itemprop="name">Gift card</b></nav>
    <main itemscope itemtype="http://schema.org/Product"><h1><a itemprop="name" href="/mug">Fern
      <b>mug</b></a></h1><img itemprop="image" src="/mug.jpg"><p itemprop="brand" itemscope
      itemtype="https://schema.org/Brand"><span itemprop="name">Moss &amp; Co</span></p>
    <div itemprop="offers" itemscope itemtype="https://schema.org/Offer"><del itemprop="price">$24.50</del>
      <ins itemprop="price" content="9.00">$9</ins><meta itemprop="priceCurrency" content="USD">
      <link itemprop="availability" href="https://schema.org/InStock"></div>
    <ul><li itemscope itemtype="http://schema.org/Product"><i itemprop="name">Moss mug</i></ul></main></body></html>`,
  expected: facts({
    ...{ language: "en", title: "Fern mug", headings: ["Fern mug"] },
    text: "Fern mug Moss & Co $24.50 $9 Moss mug",
    product: {
      ...{ name: "Fern mug", brand: "Moss & Co", price: "9.00", highPrice: "$24.50" },
      ...{ currency: "USD", availability: "in stock" },
    },
    images: ["https://moss.example/mug.jpg"],
  }),
};

const RECIPE: PageFixture = {
  name: "a recipe marked in an article marked in its HTML, with steps in a list",
  html: `<html lang="en"><body><article itemscope itemtype="https://schema.org/BlogPosting">
    <h1 itemprop="headline">Spring tart</h1><span itemprop="author" itemscope itemtype="https://schema.org/Person"><i
    itemprop="name">Ada Fern</i></span><time itemprop="datePublished" datetime="2026-03-01">March 1</time>
    <div itemscope itemtype="https://schema.org/Recipe"><h2 itemprop="name">Lemon tart</h2>
    <meta itemprop="totalTime" content="PT1H30M"><span itemprop="recipeYield">8 slices</span><ul>
    <li itemprop="recipeIngredient"><b>200</b> g flour</li><li itemprop="recipeIngredient">3 lemons</li></ul>
    <ol itemprop="recipeInstructions"><li>Rub the butter
      into the flour.<li>Whisk the eggs.</ol></div></article></body></html>`,
  expected: facts({
    ...{ language: "en", title: "Spring tart", headings: ["Spring tart", "Lemon tart"] },
    text: "Spring tart Ada FernMarch 1 Lemon tart 8 slices 200 g flour 3 lemons Rub the butter into the flour. Whisk the eggs.",
    recipe: {
      ...{ ...NO_RECIPE, name: "Lemon tart", ingredients: ["200 g flour", "3 lemons"] },
      ...{ steps: ["Rub the butter into the flour.", "Whisk the eggs."], totalMinutes: 90, yield: "8 slices" },
    },
    article: { headline: "Spring tart", author: "Ada Fern", publishedAt: "2026-03-01" },
  }),
};

const STEPS: PageFixture = {
  name: "a recipe marked as its page's main entity, with steps marked one by one",
  html: `<body itemscope itemtype="https://schema.org/WebPage"><div itemprop="mainEntity" itemscope
    itemtype="https://schema.org/Recipe"><meta itemprop="name" content="Tea"><div itemprop="recipeInstructions" itemscope
    itemtype="https://schema.org/HowToStep"><p itemprop="text">Boil water.</p></div><div itemprop="recipeInstructions"
    itemscope itemtype="https://schema.org/HowToStep"><p itemprop="text">Wait.</p></div></div></body>`,
  expected: facts({
    text: "Boil water. Wait.",
    recipe: { ...NO_RECIPE, name: "Tea", steps: ["Boil water.", "Wait."] },
  }),
};

const BOTH: PageFixture = {
  name: "a product in JSON-LD, and another one and an article in its HTML",
  html: `${jsonLd({ "@type": "Product", name: "Fern mug" })}<div itemscope itemtype="https://schema.org/Product"><b
    itemprop="name">Moss mug</b></div><div itemscope itemtype="https://schema.org/Article"><b itemprop="headline">Mugs</b></div>`,
  expected: facts({
    text: "Moss mug Mugs",
    product: { ...NO_PRODUCT, name: "Fern mug" },
    article: { headline: "Mugs", author: null, publishedAt: null },
  }),
};

const card = (name: string): string =>
  `<li itemscope itemtype="https://schema.org/Product"><h2 itemprop="name">${name}</h2></li>`;

const LISTING: PageFixture = {
  name: "a listing of products marked in its HTML, and an article without a name",
  html: `<main itemscope itemtype="https://schema.org/Article"><ul>${card("Fern mug")}${card("Moss mug")}</ul>
    <p>Every mug is thrown by hand, fired twice, and safe in the dishwasher.</p></main>`,
  expected: facts({
    ...{ title: "Fern mug", headings: ["Fern mug", "Moss mug"] },
    text: "Fern mug Moss mug Every mug is thrown by hand, fired twice, and safe in the dishwasher.",
  }),
};

export const MARKED_PAGES: readonly PageFixture[] = [PRODUCT, RECIPE, STEPS, BOTH, LISTING];
