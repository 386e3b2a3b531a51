import { toDollars } from "#lib/core/money.ts";
import { SUPPORT_HOURS } from "#lib/core/support.ts";
import { PLAN_CARDS } from "#lib/features/billing/plans.ts";
import { type ArticleFacts, articleShareName } from "./articles.ts";
import { type PagePath, wordsOf } from "./page-words.ts";

/** What the screens say about the product and its operator. Pages read it on the server and pass it down. */
export type ProductFacts = {
  name: string;
  creatorPath: string;
  creatorLabel: string;
  supportEmail: string;
  supportPhone: string;
  postalAddress: string;
  /** The ad pixel's id, where the operator has one. */
  adPixelId?: string | undefined;
};

/** Letters that could end the element, or a line of script where a reader takes the block for one. */
const RISKY = /[<>&\u2028\u2029]/g;
const escaped = (letter: string): string => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** Things as the text of a data block: the same JSON, without a letter that means something to HTML. */
export const toJsonLd = (things: readonly Thing[]): string =>
  JSON.stringify({ "@context": "https://schema.org", "@graph": things }).replace(RISKY, escaped);

/** What a page is about, for search engines. The one place where HTML is set as text (QUALITY §2, row 20). */
export function JsonLd({ things }: { things: readonly Thing[] }) {
  // biome-ignore lint/security/noDangerouslySetInnerHtml: toJsonLd leaves no letter that means something to HTML
  return <script type="application/ld+json" dangerouslySetInnerHTML={{ __html: toJsonLd(things) }} />;
}

/** A thing in the vocabulary of schema.org. */
type Thing = { "@type": string; [property: string]: unknown };

/** What things need to know of the product. */
export type ThingFacts = Pick<ProductFacts, "name" | "supportEmail" | "supportPhone" | "postalAddress"> & {
  /** Public origin, without a slash at the end. */
  appUrl: string;
};

const organizationId = ({ appUrl }: ThingFacts) => `${appUrl}/#organization`;
const refer = (id: string) => ({ "@id": id });

/** Who makes the product, and how to reach them (R-GEN-05, R-GEN-06). */
export const organizationThing = (facts: ThingFacts): Thing => ({
  "@type": "Organization",
  "@id": organizationId(facts),
  name: facts.name,
  url: `${facts.appUrl}/`,
  logo: `${facts.appUrl}/icons/app-512.png`,
  email: facts.supportEmail,
  telephone: facts.supportPhone,
  address: facts.postalAddress.replace(/\s*\n\s*/g, ", "),
  contactPoint: {
    "@type": "ContactPoint",
    contactType: "customer support",
    email: facts.supportEmail,
    telephone: facts.supportPhone,
    url: `${facts.appUrl}/contact-us`,
    availableLanguage: "English",
    description: SUPPORT_HOURS,
  },
});

/** The site as a whole. */
const siteThing = (facts: ThingFacts): Thing => ({
  "@type": "WebSite",
  "@id": `${facts.appUrl}/#site`,
  name: facts.name,
  url: `${facts.appUrl}/`,
  publisher: refer(organizationId(facts)),
});

/** A plan as it can be bought today. */
type PlanOffer = { name: string; priceDollars: number; description: string };

/** The product with the plans that are on sale. */
export const productThing = (facts: ThingFacts, description: string, plans: readonly PlanOffer[]): Thing => ({
  "@type": "Product",
  "@id": `${facts.appUrl}/#product`,
  name: facts.name,
  description,
  image: `${facts.appUrl}/share/home.jpg`,
  url: `${facts.appUrl}/pricing`,
  brand: refer(organizationId(facts)),
  offers: plans.map((plan) => ({
    "@type": "Offer",
    name: plan.name,
    description: plan.description,
    price: plan.priceDollars,
    priceCurrency: "USD",
    availability: "https://schema.org/InStock",
    url: `${facts.appUrl}/pricing`,
  })),
});

/** A step on the way from the home page to where one is. */
type Crumb = { name: string; path: string };

/** The way to a page. */
export const breadcrumbThing = ({ appUrl }: ThingFacts, trail: readonly Crumb[]): Thing => ({
  "@type": "BreadcrumbList",
  itemListElement: [{ name: "Home", path: "/" }, ...trail].map(({ name, path }, index) => ({
    "@type": "ListItem",
    position: index + 1,
    name,
    item: appUrl + path,
  })),
});

/** Questions and answers in plain text (R-FAQ-02). */
export const faqThing = (items: readonly { question: string; answer: string }[]): Thing => ({
  "@type": "FAQPage",
  mainEntity: items.map(({ question, answer }) => ({
    "@type": "Question",
    name: question,
    acceptedAnswer: { "@type": "Answer", text: answer },
  })),
});

/** An article of the blog. */
export const articleThing = (facts: ThingFacts, article: ArticleFacts): Thing => {
  const url = `${facts.appUrl}/blog/${article.slug}`;
  return {
    "@type": "BlogPosting",
    "@id": `${url}#article`,
    headline: article.title,
    description: article.description,
    url,
    mainEntityOfPage: url,
    datePublished: article.publishedAt,
    dateModified: article.updatedAt ?? article.publishedAt,
    inLanguage: "en",
    author: article.author ? { "@type": "Person", name: article.author } : refer(organizationId(facts)),
    publisher: organizationThing(facts),
    image: facts.appUrl + (article.image?.path ?? `/share/${articleShareName(article.slug)}`),
  };
};

const plansOnSale = (): PlanOffer[] =>
  PLAN_CARDS.map((plan) => ({
    name: plan.name,
    priceDollars: toDollars(plan.priceTenthsOfCent),
    description: plan.features.join(", "),
  }));

const productOf = (facts: ThingFacts): Thing =>
  productThing(facts, wordsOf("/", facts.name).description, plansOnSale());

const thingsOf = (facts: ThingFacts, path: PagePath): Thing[] => {
  if (path === "/") return [organizationThing(facts), siteThing(facts), productOf(facts)];
  const crumbs = breadcrumbThing(facts, [{ name: wordsOf(path, facts.name).title, path }]);
  if (path === "/pricing") return [crumbs, organizationThing(facts), productOf(facts)];
  if (path === "/about-us" || path === "/contact-us") return [crumbs, organizationThing(facts)];
  return [crumbs];
};

/** What search engines are told of a public page: the way to it, and on some the product and its maker. */
export function PageThings({ product, path }: { product: ThingFacts; path: PagePath }) {
  return <JsonLd things={thingsOf(product, path)} />;
}

/** The same of an article of the blog. */
export function ArticleThings({ product, article }: { product: ThingFacts; article: ArticleFacts }) {
  const trail = [
    { name: wordsOf("/blog", product.name).title, path: "/blog" },
    { name: article.title, path: `/blog/${article.slug}` },
  ];
  return <JsonLd things={[breadcrumbThing(product, trail), articleThing(product, article)]} />;
}
