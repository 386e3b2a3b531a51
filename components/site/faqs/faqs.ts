import { accountBilling } from "#components/site/faqs/account-billing.ts";
import { analyticsPerformance } from "#components/site/faqs/analytics-performance.ts";
import type { FaqCategory } from "#components/site/faqs/faq-text.ts";
import { featuresUsage } from "#components/site/faqs/features-usage.ts";
import { gettingStarted } from "#components/site/faqs/getting-started.ts";
import type { ProductFacts } from "#components/site/product-facts.ts";

/** The four categories in their order (R-FAQ-02). */
export const faqs = (product: ProductFacts): readonly FaqCategory[] => [
  gettingStarted(product),
  featuresUsage(product),
  analyticsPerformance(product),
  accountBilling(),
];
