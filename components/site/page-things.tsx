import type { ArticleFacts } from "#components/site/articles.ts";
import { JsonLd } from "#components/site/json-ld.tsx";
import { type PagePath, wordsOf } from "#components/site/page-words.ts";
import {
  articleThing,
  breadcrumbThing,
  organizationThing,
  type PlanOffer,
  productThing,
  siteThing,
  type Thing,
  type ThingFacts,
} from "#components/site/things.ts";
import { toDollars } from "#lib/core/money.ts";
import { PLAN_CARDS } from "#lib/features/billing/constants.ts";

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
