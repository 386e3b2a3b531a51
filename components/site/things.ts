import { type ArticleFacts, articleShareName } from "#components/site/articles.ts";
import { type ProductFacts, SUPPORT_HOURS } from "#components/site/product-facts.ts";

/** A thing in the vocabulary of schema.org. */
export type Thing = { "@type": string; [property: string]: unknown };

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
export const siteThing = (facts: ThingFacts): Thing => ({
  "@type": "WebSite",
  "@id": `${facts.appUrl}/#site`,
  name: facts.name,
  url: `${facts.appUrl}/`,
  publisher: refer(organizationId(facts)),
});

/** A plan as it can be bought today. */
export type PlanOffer = { name: string; priceDollars: number; description: string };

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
export type Crumb = { name: string; path: string };

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
