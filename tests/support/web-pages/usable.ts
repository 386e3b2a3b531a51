import { facts, jsonLd, NO_PRODUCT, NO_RECIPE, type PageFixture } from "./fixture.ts";

const RECIPE: PageFixture = {
  name: "a recipe",
  html: `<!doctype html><html lang="en-US"><head><title>Lemon tart | Moss Kitchen</title>
    <meta name="description" content="A tart lemon tart &amp; a crisp crust.">
    <meta property="og:site_name" content="Moss Kitchen"><link rel="canonical" href="/lemon-tart">
    ${jsonLd({
      "@context": "https://schema.org",
      "@type": "Recipe",
      name: "Lemon tart",
      image: ["https://cdn.example/tart.jpg"],
      recipeIngredient: ["200 g flour", "3 lemons", "  100&nbsp;g sugar "],
      recipeInstructions: [
        { "@type": "HowToStep", text: "Rub the butter into the flour." },
        {
          "@type": "HowToSection",
          name: "Filling",
          itemListElement: [{ "@type": "HowToStep", text: "<p>Whisk the eggs.</p>" }],
        },
      ],
      prepTime: "PT20M",
      cookTime: "PT1H10M",
      totalTime: "PT1H30M",
      recipeYield: ["8 slices"],
    })}</head>
    <body><nav>Home Recipes</nav><main><h1>Lemon tart</h1><p>Our favorite tart for spring.</p>
    <script>var price = 99;</script></main><footer>Copyright 2026</footer></body></html>`,
  expected: facts({
    canonicalUrl: "https://moss.example/lemon-tart",
    language: "en-US",
    siteName: "Moss Kitchen",
    title: "Lemon tart | Moss Kitchen",
    description: "A tart lemon tart & a crisp crust.",
    headings: ["Lemon tart"],
    text: "Lemon tart Our favorite tart for spring.",
    recipe: {
      name: "Lemon tart",
      ingredients: ["200 g flour", "3 lemons", "100 g sugar"],
      steps: ["Rub the butter into the flour.", "Whisk the eggs."],
      prepMinutes: 20,
      cookMinutes: 70,
      totalMinutes: 90,
      yield: "8 slices",
    },
    images: ["https://cdn.example/tart.jpg"],
  }),
};

const PRODUCT: PageFixture = {
  name: "a product with variants",
  html: `<html lang="en"><head><title>Fern mug</title><meta property="og:title" content="Fern mug">
    <meta property="og:image" content="//cdn.example/mug.jpg">${jsonLd({
      "@type": ["Product"],
      name: "Fern mug",
      brand: { "@type": "Brand", name: "Moss & Co" },
      offers: [
        { "@type": "Offer", price: 24.5, priceCurrency: "EUR", availability: "https://schema.org/InStock" },
        { "@type": "Offer", price: "19.00", priceCurrency: "EUR", availability: "http://schema.org/InStock" },
      ],
    })}</head><body><h1>Fern <em>mug</em></h1><img src="icon.png" width="16"><img data-src="/mug-2.jpg">
    <p>Holds 350 ml.</p><button>Add to cart for 24.50</button></body></html>`,
  expected: facts({
    language: "en",
    title: "Fern mug",
    headings: ["Fern mug"],
    text: "Fern mug Holds 350 ml.",
    product: {
      name: "Fern mug",
      brand: "Moss & Co",
      price: "19.00",
      highPrice: "24.5",
      currency: "EUR",
      availability: "in stock",
    },
    images: ["https://cdn.example/mug.jpg", "https://moss.example/mug-2.jpg"],
  }),
};

const OPEN_GRAPH_PRODUCT: PageFixture = {
  name: "a product by Open Graph alone",
  html: `<html><head><meta property="og:title" content="Teapot"><meta property="og:locale" content="de_DE">
    <meta property="product:price:amount" content="49,90"><meta property="product:price:currency" content="EUR">
    <meta property="product:availability" content="out of stock"></head>
    <body><p>Eine Teekanne aus Steingut, die sechs große Tassen füllt und lange warm hält.</p></body></html>`,
  expected: facts({
    language: "de-DE",
    title: "Teapot",
    text: "Eine Teekanne aus Steingut, die sechs große Tassen füllt und lange warm hält.",
    product: { ...NO_PRODUCT, name: "Teapot", price: "49,90", currency: "EUR", availability: "out of stock" },
  }),
};

const LISTING: PageFixture = {
  name: "a listing of several products",
  html: `<html lang="en"><head><title>Mugs</title>${jsonLd([
    { "@type": "Product", name: "Fern mug", offers: { price: "24" } },
    { "@type": "Product", name: "Moss mug", offers: { price: "26" } },
  ])}${jsonLd({ "@type": "ItemList", itemListElement: [{ "@type": "Product", name: "Ivy mug" }] })}</head>
    <body><h1>Mugs</h1><ul><li><h2>Fern mug</h2><span>$24</span></li><li><h2>Moss mug</h2><span>$26</span></li></ul>
    <p>Every mug is thrown by hand, fired twice, and safe in the dishwasher.</p></body></html>`,
  expected: facts({
    language: "en",
    title: "Mugs",
    headings: ["Mugs", "Fern mug", "Moss mug"],
    text: "Mugs Fern mug $24 Moss mug $26 Every mug is thrown by hand, fired twice, and safe in the dishwasher.",
  }),
};

const ARTICLE: PageFixture = {
  name: "an article in a graph, with its main text in an article element",
  html: `<html lang="en"><head><title>Why moss | Blog</title><base href="https://cdn.example/">${jsonLd({
    "@context": "https://schema.org",
    "@graph": [
      { "@type": "Organization", name: "Moss Inc" },
      {
        "@type": "BlogPosting",
        headline: "Why moss",
        author: [{ "@type": "Person", name: "Ada Fern" }],
        datePublished: "2026-03-01",
        image: { "@type": "ImageObject", url: "moss.jpg" },
      },
    ],
  })}</head><body><div role="navigation">Menu</div><p>Subscribe to 12 letters</p>
    <article><h1>Why moss</h1><p>${"Moss needs shade and water. ".repeat(10)}</p></article>
    <aside>Related: 99 plants</aside></body></html>`,
  expected: facts({
    language: "en",
    title: "Why moss | Blog",
    headings: ["Why moss"],
    text: `Why moss ${"Moss needs shade and water. ".repeat(10)}`.trim(),
    article: { headline: "Why moss", author: "Ada Fern", publishedAt: "2026-03-01" },
    images: ["https://cdn.example/moss.jpg"],
  }),
};

const HOW_TO: PageFixture = {
  name: "instructions as the main entity of a page",
  html: `<html><head>${jsonLd({
    "@type": "https://schema.org/WebPage",
    mainEntity: { "@type": "HowTo", name: "Repot a fern", step: [{ name: "Loosen the roots" }, "Fill the pot"] },
  })}</head><body></body></html>`,
  expected: facts({ howTo: { name: "Repot a fern", steps: ["Loosen the roots", "Fill the pot"] } }),
};

const BROKEN: PageFixture = {
  name: "broken markup: unclosed elements, stray closing tags, comments in data, and bad URLs",
  html: `<title>Broken</title><link rel=canonical href="javascript:alert(1)"><meta property=og:image content="data:image/png,x">
    <script type="application/ld+json"><!-- {"@type":"Recipe","name":"Bread
and butter","recipeIngredient":"1 loaf","totalTime":"soon"} --></script>
    <script type="application/ld+json">{"@type":"Recipe","name":</script>
    </p></div><h1>Bread<p>Cut the bread<ul><li>thin<li>even</div></main> slices <b>and <i>butter</b> them`,
  expected: facts({
    title: "Broken",
    headings: ["Bread"],
    text: "Bread Cut the bread thin even slices and butter them",
    recipe: { ...NO_RECIPE, name: "Bread and butter", ingredients: ["1 loaf"] },
  }),
};

const WITHOUT_DATA: PageFixture = {
  name: "a plain page whose cells don't run into one number",
  html: `<html xml:lang="en"><body><table><tr><td>24</td><td>99</td></tr></table><p>5<sup>2</sup> tiles cover the
    whole hallway floor&nbsp;if you cut the last row.</p><div hidden>Hidden 77</div>
    <div aria-hidden="true">Icon 88</div></body></html>`,
  expected: facts({
    language: "en",
    text: "24 99 5 2 tiles cover the whole hallway floor if you cut the last row.",
  }),
};

export const USABLE_PAGES: readonly PageFixture[] = [
  ...[RECIPE, PRODUCT, OPEN_GRAPH_PRODUCT, LISTING, ARTICLE],
  ...[HOW_TO, BROKEN, WITHOUT_DATA],
];
