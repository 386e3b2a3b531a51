import { describe, expect, test } from "vitest";
import { PAGE_PATHS } from "#components/site/page-copy.ts";
import { callApp } from "#tests/support/contract-client.ts";

const ENTITIES: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', "#x27": "'" };

/** The visible text of a page, in one line. */
const textOf = (html: string): string =>
  html
    .replace(/<(script|style|template)\b[\s\S]*?<\/\1>/g, "")
    .replace(/<!--[\s\S]*?-->/g, "")
    .replace(/<[^>]+>/g, " ")
    .replace(/&([a-z]+|#x27);/g, (whole, name: string) => ENTITIES[name] ?? whole)
    .replace(/\s+/g, " ");

const page = async (path: string) => {
  const { status, text } = await callApp(path);
  expect(status, path).toBe(200);
  return { html: text, words: textOf(text) };
};

const hasLink = (html: string, href: string): boolean => html.includes(`href="${href}"`);

test("R-FEAT-01, R-FEAT-02, A-83, A-84: the features page shows four main and four secondary features", async () => {
  const { words } = await page("/features");
  for (const title of ["Manual Pin Creation", "Evertack Creator", "Board Manager", "Advanced Analytics"]) {
    expect(words).toContain(title);
  }
  const secondary = ["Pinterest account management", "Generated posts library", "AI optimization", "Custom settings"];
  for (const title of secondary) expect(words).toContain(title);
  expect(words).not.toMatch(/\bcoming\b|being built|building it/i);
});

test("R-FAQ-02, R-FAQ-03, R-FAQ-04: the FAQ has four categories, a link to support, and all answers in the page", async () => {
  const { html, words } = await page("/faqs");
  for (const title of ["Getting Started", "Features & Usage", "Analytics & Performance", "Account & Billing"]) {
    expect(words).toContain(title);
  }
  expect(hasLink(html, "/contact-us")).toBe(true);
  expect(words).toContain("14-day money-back guarantee");
  expect(words).toContain("5 free credits every calendar month");
});

test("R-ABOUT-01 shows our story and a link to register", async () => {
  const { html, words } = await page("/about-us");
  expect(words).toContain("Our Story");
  expect(html).toMatch(/<a[^>]+href="\/register"[^>]*>Get Started Free</);
});

const KEPT_FOR = [
  ["Sign-in sessions", "30 days after they end"],
  ["Links that confirm an email address", "7 days after they were used or expired"],
  ["Password reset links", "7 days after they were used or expired"],
  ["Email address changes", "7 days after they were completed or expired"],
  ["Sign-ins that were started but not finished", "1 day after they expired"],
  ["Your security log: sign-ins and changes to your account, with device and network", "365 days"],
  ["API keys and connected apps", "90 days after they were revoked or expired"],
  ["App connections that were started but not finished", "1 day after they expired"],
  ["Apps that can ask for access: the name and web addresses they registered", "180 days after they were last used"],
  ["What was done with your API keys: calls, results, and networks", "90 days"],
  ["How many credits your API keys spent in a day", "2 days"],
  ["Responses to API calls, kept so that a repeated request isn’t run twice", "1 day"],
  ["Emails that couldn’t be delivered", "7 days; sent emails are deleted immediately"],
  ["Items waiting for your next email: titles of failed pins, disconnected accounts", "7 days after the event"],
  [
    "Pinterest’s metrics for pins you published with Evertack",
    "Up to 1 day (up to 2 in an email that couldn’t be delivered). Deleted when you remove the account from Evertack. We keep a note of which pins are no longer on Pinterest for 30 days",
  ],
  ["Messages to support", "365 days"],
  ["Pinterest connections that were started but not finished", "1 day after they expired"],
  [
    "Generation details: keywords, links, text drafts",
    "90 days after the last pin of a batch was generated; the pins stay",
  ],
  ["Deleted pins, so that you can restore them", "1 day"],
  ["Deleted saved videos, so that you can restore them", "1 day"],
  ["Images of deleted drafts and failed pins, and images and logos that you replaced", "7 days"],
  ["Images from uploads that were rejected or interrupted, so that you don’t have to send them again", "1 day"],
  [
    "Spreadsheets you import, with their rows and images, unless you finish or discard the import earlier",
    "3 days after your last change",
  ],
  ["Results of link checks", "30 days after a pin last used the link"],
  ["Results of link checks when no pin uses the link anymore", "1 day after a pin last used the link"],
  [
    "Text we read from public pages to write your drafts",
    "1 day after the page was read; the generation details keep a summary",
  ],
  [
    "New pages of sites that you watch",
    "60 days after we found them, or as soon as you dismiss them or stop watching the site",
  ],
  ["Records that an upload was received, so no pin is created twice", "3 days"],
  [
    "Counts of requests and failed sign-ins, stored with an irreversible code made from an IP address or email",
    "1 day after the limit ended",
  ],
  [
    "A hash of the Pinterest ID that free credits were given for, even if you remove the account or delete yours",
    "62 days after the last free credits for it",
  ],
  ["What we sent to your webhooks, and how they responded", "30 days, or until you delete the webhook"],
  ["Live update events (IDs only)", "1 day"],
  ["Payment messages as the payment provider sent them", "90 days"],
  ["Checkouts that were opened but never paid", "30 days"],
  ["Uptime records (no personal data)", "91 days"],
];

describe("legal texts", () => {
  test.each(["/terms-of-service", "/privacy-policy", "/refund-policy"])(
    "R-LEGAL-01 %s has a date, the operator and a contact address",
    async (path) => {
      const { html, words } = await page(path);
      expect(words).toContain("Last updated February 8, 2025");
      expect(words).toContain("London");
      expect(html).toContain('href="mailto:');
    },
  );

  test("R-LEGAL-02, R-LEGAL-03, R-LEGAL-04, R-LEGAL-05, R-LEGAL-06, A-07, A-08, A-42: the refund policy states its windows and times", async () => {
    const { words } = await page("/refund-policy");
    expect(words).toContain("A monthly subscription fee Refundable within 14 days");
    expect(words).toContain("An annual subscription fee Refundable within 30 days");
    expect(words).toContain("We currently sell monthly plans only");
    expect(words).toContain("within 2 business days");
    expect(words).toMatch(/Card 5-10 business days PayPal 3-5 business days Bank transfer 5-7 business days/);
    expect(words).toContain("within 24 hours on business days");
    expect(words).toContain("Purchased credits are not refundable");
    expect(words).toContain("The refund windows cover subscription fees only");
  });

  test("R-GEN-07, A-07: the terms require users to be 18 and say what is refunded", async () => {
    const { html, words } = await page("/terms-of-service");
    expect(words).toContain("You must be 18 or older");
    expect(words).toContain("Purchased credits are not refundable");
    expect(hasLink(html, "/refund-policy")).toBe(true);
  });

  test("the privacy policy lists every retention time", async () => {
    const { html } = await page("/privacy-policy");
    const lines = [...html.matchAll(/<dt>([\s\S]*?)<\/dt><dd>([\s\S]*?)<\/dd>/g)];
    const rows = lines.map(([, what = "", how = ""]) => [textOf(what), textOf(how)]);
    expect(rows).toEqual(expect.arrayContaining(KEPT_FOR));
    expect(rows.filter(([, how = ""]) => /\d days?\b/.test(how))).toHaveLength(KEPT_FOR.length);
  });

  test("the policies say who sells, what Paddle receives, and which payment data remains after deletion", async () => {
    const terms = (await page("/terms-of-service")).words;
    expect(terms).toContain("Paddle.com, our payment provider, which sells to you as merchant of record");
    expect(terms).toContain("ends any active plan immediately");
    expect(terms).toContain("rest of the period, rounded up");
    expect(terms).toContain("the plan will be paused or end, and you’ll move to the Free plan");
    const refunds = (await page("/refund-policy")).words;
    expect(refunds).toContain("Paddle.com, the merchant of record for your purchase, sends approved refunds");
    expect(refunds).toContain("ends any active plan immediately and doesn’t refund anything");
    const privacy = (await page("/privacy-policy")).words;
    expect(privacy).toContain("the IDs of your Evertack account and purchase");
    expect(privacy).toContain("the credit ledger, the payments, and the record that the account was deleted");
    expect(privacy).toContain(
      "your customer ID with the payment provider and how you paid are deleted with the account",
    );
    expect(privacy).toContain("We don’t read the names, addresses, or card numbers in them");
  });
});

test("R-ROUTE-07, A-05, R-PRICE-04, R-PRICE-05, R-PRICE-06, R-PRICE-07, A-41: the prices are public", async () => {
  const { words } = await page("/pricing");
  for (const price of ["$0 a month", "$29 a month", "$49 a month", "$79 a month"]) expect(words).toContain(price);
  expect(words).toContain("Priority support 24/7");
  expect(words.match(/Most popular/g)).toHaveLength(1);
  expect(words).toMatch(/500 Popular \$30\.00 \$25\.00 \$22\.50 \$20\.00/);
});

test("A-06 no public page claims 50 free pins", async () => {
  const { text } = await callApp("/sitemap.xml");
  const indexed = [...text.matchAll(/<loc>([^<]+)<\/loc>/g)].map(([, address = ""]) => new URL(address).pathname);
  expect(indexed).toEqual(expect.arrayContaining(["/faqs", "/blog/pinterest-pin-sizes"]));
  for (const path of new Set([...PAGE_PATHS, ...indexed])) {
    const { words } = await page(path);
    expect(words.match(/\b50\s+free\b|\bfree\s+50\b|\b50\s+pins\s+(?:a|per|each|every)\s+month/gi), path).toBeNull();
  }
});

test.each([
  ["/upgrade-success", "Just paid?"],
  ["/upgrade-error", "Payment didn’t go through?"],
])(
  "R-ROUTE-15, A-04, A-05 %s shows Pricing without claiming what its URL says, and is not indexed",
  async (path, text) => {
    const { html, words } = await page(`${path}?plan=pro&transaction_id=txn_1`);
    expect(words).toContain(text);
    expect(words).toContain("$79");
    expect(words).not.toMatch(/Successfully upgraded|Current plan/);
    expect(html).toMatch(/<meta name="robots" content="[^"]*noindex/);
    expect(hasLink(html, `/login?next=${encodeURIComponent(path)}`)).toBe(true);
  },
);
