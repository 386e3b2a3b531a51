import { describe, expect, test } from "vitest";
import { PAGE_PATHS } from "#components/site/page-words.ts";
import { callApp } from "#tests/support/contract-client.ts";

const ENTITIES: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', "#x27": "'" };

/** What a reader sees of a page, in one line. */
const wordsOf = (html: string): string =>
  html
    .replace(/<(script|style|template)\b[\s\S]*?<\/\1>/g, "")
    .replace(/<!--[\s\S]*?-->/g, "")
    .replace(/<[^>]+>/g, " ")
    .replace(/&([a-z]+|#x27);/g, (whole, name: string) => ENTITIES[name] ?? whole)
    .replace(/\s+/g, " ");

const page = async (path: string) => {
  const { status, text } = await callApp(path);
  expect(status, path).toBe(200);
  return { html: text, words: wordsOf(text) };
};

const hasLink = (html: string, href: string): boolean => html.includes(`href="${href}"`);

test("R-FEAT-01, R-FEAT-02, A-83, A-84: four main and four secondary features, all of them there", async () => {
  const { words } = await page("/features");
  for (const title of ["Manual Pin Creation", "Evertack Creator", "Board Manager", "Advanced Analytics"]) {
    expect(words).toContain(title);
  }
  const secondary = ["Pinterest account management", "Generated posts library", "AI optimization", "Custom settings"];
  for (const title of secondary) expect(words).toContain(title);
  expect(words).not.toMatch(/\bcoming\b|being built|building it/i);
});

test("R-FAQ-02, R-FAQ-03, R-FAQ-04: four categories, the way to support, all answers in the page itself", async () => {
  const { html, words } = await page("/faqs");
  for (const title of ["Getting Started", "Features & Usage", "Analytics & Performance", "Account & Billing"]) {
    expect(words).toContain(title);
  }
  expect(hasLink(html, "/contact-us")).toBe(true);
  expect(words).toContain("14-day money-back guarantee");
  expect(words).toContain("5 free credits every calendar month");
});

test("R-ABOUT-01 our story, and the way to begin", async () => {
  const { html, words } = await page("/about-us");
  expect(words).toContain("Our Story");
  expect(html).toMatch(/<a[^>]+href="\/register"[^>]*>Get Started Free</);
});

const KEPT_FOR = [
  ["Logins", "30 days after they ended"],
  ["Links that confirm an address", "7 days after they were used or ran out"],
  ["Links for a new password", "7 days after they were used or ran out"],
  ["Changes of an address", "7 days after they ended or ran out"],
  ["Mails that no mail server took", "7 days; those that were sent go at once"],
  [
    "What a mail is to tell you: titles of pins that failed, accounts that lost their connection",
    "7 days after it happened",
  ],
  [
    "Pinterest’s figures of the pins that you published here",
    "1 day at most, in a mail that no mail server takes 1 day more; erased with that account when you remove it here. Which pins are gone there: 30 days",
  ],
  ["Messages to support", "365 days"],
  ["Connections to Pinterest that were begun", "1 day after they ran out"],
  [
    "The course of making pins: keywords, links, drafts of texts",
    "90 days after the last of them was made; the pins stay",
  ],
  ["Deleted pins, so that you can bring them back", "1 day"],
  ["Deleted saved videos, so that you can bring them back", "1 day"],
  ["Pictures of deleted drafts and of pins that failed, and pictures and logos that you replaced", "7 days"],
  ["Pictures of sets of pins that were refused or broke off, so that you need not send them again", "1 day"],
  ["What was found behind the links of pins", "30 days after a pin last asked for it"],
  ["The same, when no pin leads there any more", "1 day after a pin last asked for it"],
  ["Marks of sets of pins that were sent, so that none is made twice", "3 days"],
  ["The feed of live updates, ids only", "1 day"],
  ["What the payment provider told us of a payment, as it was told", "90 days"],
  ["Checkouts that were opened and never paid", "30 days"],
  ["Minutes in which the service worked; nothing about anybody", "91 days"],
];

describe("legal texts", () => {
  test.each(["/terms-of-service", "/privacy-policy", "/refund-policy"])(
    "R-LEGAL-01 %s is dated, names its operator and whom to write to",
    async (path) => {
      const { html, words } = await page(path);
      expect(words).toContain("Last updated February 8, 2025");
      expect(words).toContain("London");
      expect(html).toContain('href="mailto:');
    },
  );

  test("R-LEGAL-02, R-LEGAL-03, R-LEGAL-04, R-LEGAL-05, R-LEGAL-06, A-07, A-08, A-42: the refund policy", async () => {
    const { words } = await page("/refund-policy");
    expect(words).toContain("A monthly subscription fee Refundable within 14 days");
    expect(words).toContain("An annual subscription fee Refundable within 30 days");
    expect(words).toContain("We sell monthly plans only at present");
    expect(words).toContain("within 2 business days");
    expect(words).toMatch(/Card 5-10 business days PayPal 3-5 business days Bank transfer 5-7 business days/);
    expect(words).toContain("within 24 hours on business days");
    expect(words).toContain("Purchased credits are not refundable");
    expect(words).toContain("The windows cover subscription fees only");
  });

  test("R-GEN-07, A-07: the terms ask for 18 years, and say what is refunded", async () => {
    const { html, words } = await page("/terms-of-service");
    expect(words).toContain("You must be 18 or over");
    expect(words).toContain("Purchased credits are not refundable");
    expect(hasLink(html, "/refund-policy")).toBe(true);
  });

  test("the privacy policy tells each time after which something is deleted", async () => {
    const { html } = await page("/privacy-policy");
    const lines = [...html.matchAll(/<dt>([\s\S]*?)<\/dt><dd>([\s\S]*?)<\/dd>/g)];
    const told = lines.map(([, what = "", how = ""]) => [wordsOf(what), wordsOf(how)]);
    expect(told).toEqual(expect.arrayContaining(KEPT_FOR));
    expect(told.filter(([, how = ""]) => /\d days?\b/.test(how))).toHaveLength(KEPT_FOR.length);
  });

  test("who sells, what Paddle gets, and what stays of payments when an account is deleted", async () => {
    const terms = (await page("/terms-of-service")).words;
    expect(terms).toContain("Paddle.com, our payment provider, which sells to you as merchant of record");
    expect(terms).toContain("ends a running plan at once");
    expect(terms).toContain("the plan is paused or ends, and your account goes on with the free plan");
    const refunds = (await page("/refund-policy")).words;
    expect(refunds).toContain("An approved refund is paid by Paddle.com");
    expect(refunds).toContain("ends a running plan at once; it pays nothing back");
    const privacy = (await page("/privacy-policy")).words;
    expect(privacy).toContain("the ids of your account and of the purchase here");
    expect(privacy).toContain("the ledger of credits, the payments and the record that the account was erased");
    expect(privacy).toContain("the payment provider’s id of you, and how you paid, go with the account");
    expect(privacy).toContain("Names, addresses and card numbers in them are not read");
  });
});

test("R-ROUTE-07, A-05, R-PRICE-04, R-PRICE-05, R-PRICE-06, R-PRICE-07, A-41: anybody can read the prices", async () => {
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
