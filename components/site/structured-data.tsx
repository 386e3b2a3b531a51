import { toDollars } from "#lib/core/money.ts";
import { SUPPORT_HOURS } from "#lib/core/support.ts";
import { PLAN_CARDS } from "#lib/features/billing/plans.ts";
import { type ArticleFacts, articleShareName } from "./articles.ts";
import { type PagePath, pageCopyOf } from "./page-copy.ts";

/** The name and contact details of the product. Pages read them on the server and pass them down. */
export type ProductFacts = {
  name: string;
  creatorPath: string;
  creatorLabel: string;
  supportEmail: string;
  supportPhone: string;
  postalAddress: string;
  /** Id of the ad pixel, if the operator uses one. */
  adPixelId?: string | undefined;
};

/** Characters that could end the script element or a line of script. */
const UNSAFE = /[<>&\u2028\u2029]/g;
const escaped = (char: string): string => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** Serializes JSON-LD, with all characters escaped that mean something in HTML. */
export const toJsonLd = (things: readonly Thing[]): string =>
  JSON.stringify({ "@context": "https://schema.org", "@graph": things }).replace(UNSAFE, escaped);

/** Structured data for search engines. This is the only place that sets raw HTML. */
export function JsonLd({ things }: { things: readonly Thing[] }) {
  // biome-ignore lint/security/noDangerouslySetInnerHtml: toJsonLd escapes every character that means something in HTML
  return <script type="application/ld+json" dangerouslySetInnerHTML={{ __html: toJsonLd(things) }} />;
}

/** An item in the schema.org vocabulary. */
type Thing = { "@type": string; [property: string]: unknown };

export type ThingFacts = Pick<ProductFacts, "name" | "supportEmail" | "supportPhone" | "postalAddress"> & {
  /** Public origin without a trailing slash. */
  appUrl: string;
};

const organizationId = ({ appUrl }: ThingFacts) => `${appUrl}/#organization`;
const refer = (id: string) => ({ "@id": id });

/** The operator and its contact details. */
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

const siteThing = (facts: ThingFacts): Thing => ({
  "@type": "WebSite",
  "@id": `${facts.appUrl}/#site`,
  name: facts.name,
  url: `${facts.appUrl}/`,
  publisher: refer(organizationId(facts)),
});

type PlanOffer = { name: string; priceDollars: number; description: string };

/** The product with its plans. */
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

type Crumb = { name: string; path: string };

/** The breadcrumbs of a page. */
export const breadcrumbThing = ({ appUrl }: ThingFacts, trail: readonly Crumb[]): Thing => ({
  "@type": "BreadcrumbList",
  itemListElement: [{ name: "Home", path: "/" }, ...trail].map(({ name, path }, index) => ({
    "@type": "ListItem",
    position: index + 1,
    name,
    item: appUrl + path,
  })),
});

/** Questions and answers in plain text. */
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
  productThing(facts, pageCopyOf("/", facts.name).description, plansOnSale());

const thingsOf = (facts: ThingFacts, path: PagePath): Thing[] => {
  if (path === "/") return [organizationThing(facts), siteThing(facts), productOf(facts)];
  const crumbs = breadcrumbThing(facts, [{ name: pageCopyOf(path, facts.name).title, path }]);
  if (path === "/pricing") return [crumbs, organizationThing(facts), productOf(facts)];
  if (path === "/about-us" || path === "/contact-us") return [crumbs, organizationThing(facts)];
  return [crumbs];
};

/** Structured data of a public page. */
export function PageJsonLd({ product, path }: { product: ThingFacts; path: PagePath }) {
  return <JsonLd things={thingsOf(product, path)} />;
}

/** Structured data of an article. */
export function ArticleJsonLd({ product, article }: { product: ThingFacts; article: ArticleFacts }) {
  const trail = [
    { name: pageCopyOf("/blog", product.name).title, path: "/blog" },
    { name: article.title, path: `/blog/${article.slug}` },
  ];
  return <JsonLd things={[breadcrumbThing(product, trail), articleThing(product, article)]} />;
}
