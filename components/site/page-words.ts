/** What a page says of itself to search engines, and to whoever is sent a link to it. */
export type PageWords = {
  /** Without the product's name, which is added to it. */
  title: string;
  /** `{product}` stands for the product's name. */
  description: string;
  /** What the shared picture says; between asterisks its one italic phrase. */
  headline: string;
  /** Pictures of public/posters that hang below it. */
  posters: readonly string[];
  /** False: search engines leave it out, and so does the sitemap. */
  isIndexed?: boolean;
};

/** One entry for each public page with an address of its own (R-ROUTE-01 to R-ROUTE-14, A-39, A-85). */
export const PAGE_WORDS = {
  "/": {
    title: "A few keywords in, a wall of pins up",
    description:
      "{product} writes and draws Pinterest pins from your keywords, waits for you to choose, and publishes each one once, at the hour you set.",
    headline: "A few keywords in, a *wall of pins* up",
    posters: ["bread", "herbs", "wardrobe", "wreath", "ridge"],
  },
  "/features": {
    title: "Features",
    description:
      "Titles, descriptions and pictures made from your keywords, boards read live from Pinterest, and a schedule that publishes each pin you chose once.",
    headline: "What grows from *a single keyword*",
    posters: ["eucalypt", "lisbon", "pasta", "night", "meadow"],
  },
  "/pricing": {
    title: "Pricing",
    description:
      "Four plans, counted in credits. You pay for pins that finish and never for ones that fail, and the free plan is renewed every month.",
    headline: "You pay for pins *that finish*",
    posters: ["citrus", "quilt", "figs", "dunes", "swim"],
  },
  "/upgrade-success": {
    title: "Upgrade finished",
    description:
      "Where the payment provider leads back to after a payment. The plan of your {product} account is marked here once that payment has settled.",
    headline: "After *a payment*",
    posters: ["citrus", "quilt", "figs", "dunes", "wreath"],
    isIndexed: false,
  },
  "/upgrade-error": {
    title: "Upgrade not finished",
    description:
      "Where the payment provider leads back to when a payment did not go through. Without one, the plan of your {product} account stays as it is.",
    headline: "Try it *once more*",
    posters: ["citrus", "quilt", "figs", "dunes", "night"],
    isIndexed: false,
  },
  "/blog": {
    title: "Blog",
    description:
      "Practical notes for Pinterest creators: pin sizes, keyword research, a steady pace of publishing, and how to label pictures made with AI.",
    headline: "Notes *from the wall*",
    posters: ["read", "herbs", "kitchen", "fir", "paper"],
  },
  "/faqs": {
    title: "FAQs",
    description:
      "Plain answers about connecting Pinterest, making and scheduling pins, credits, refunds and your {product} account.",
    headline: "Questions, *answered plainly*",
    posters: ["pots", "wreath", "bread", "lisbon", "balcony"],
  },
  "/about-us": {
    title: "Our Story",
    description:
      "Why we make {product}: software that does the tedious part of publishing to Pinterest and leaves every choice to the creator.",
    headline: "The tedious part is ours, *the choice is yours*",
    posters: ["fir", "ridge", "bedroom", "meadow", "night"],
  },
  "/terms-of-service": {
    title: "Terms of Service",
    description:
      "The agreement between you and {product}: who may use it, what stays yours, what you pay for, and what happens when something goes wrong.",
    headline: "Terms *of service*",
    posters: ["still-paper", "still-ridge", "still-pots", "still-dunes", "still-night"],
  },
  "/privacy-policy": {
    title: "Privacy Policy",
    description:
      "What {product} stores about you, why and for how long, which companies are involved, and how to take all of it with you or have it deleted.",
    headline: "What we store, *and for how long*",
    posters: ["still-eucalypt", "still-citrus", "still-paper", "still-pots", "still-ridge"],
  },
  "/refund-policy": {
    title: "Refund Policy",
    description:
      "When a subscription fee is paid back, how long a review takes, how the money reaches you, and why purchased credits are not refunded.",
    headline: "When money *comes back*",
    posters: ["still-citrus", "still-night", "still-dunes", "still-eucalypt", "still-pots"],
  },
  "/contact-us": {
    title: "Contact us",
    description:
      "Write to the people behind {product} about your account, a pin, a payment or an idea. With opening hours, e-mail, phone and postal address.",
    headline: "Write *to us*",
    posters: ["paper", "swim", "figs", "wardrobe", "eucalypt"],
  },
  "/status": {
    title: "Status",
    description:
      "Whether {product} works right now, and its measured uptime over the last day, week, month and 90 days, recorded minute by minute.",
    headline: "Measured, *minute by minute*",
    posters: ["night", "dunes", "ridge", "swim", "fir"],
  },
  "/login": {
    title: "Sign in",
    description:
      "Sign in to {product} to make pins from keywords, choose the ones you like, and see what is scheduled and what is published.",
    headline: "Your wall hangs *as you left it*",
    posters: ["citrus", "night", "lisbon", "swim", "wreath"],
  },
  "/register": {
    title: "Create an account",
    description:
      "Start free with {product}: connect a Pinterest account, type a few keywords, and choose from the pins that come back.",
    headline: "Start with *a few keywords*",
    posters: ["bedroom", "figs", "paper", "ridge", "fir"],
  },
  "/forgot-password": {
    title: "Forgot password",
    description: "Ask for a link to set a new password. It goes to the e-mail address of your {product} account.",
    headline: "A new password, *by e-mail*",
    posters: ["bedroom", "night", "read", "fir", "paper"],
  },
  "/reset-password": {
    title: "Reset password",
    description: "Set a new password for your {product} account with the link from the e-mail we sent you.",
    headline: "Set *a new password*",
    posters: ["bedroom", "night", "read", "fir", "paper"],
    isIndexed: false,
  },
} as const satisfies Record<string, PageWords>;

/** The address of a public page that has words. */
export type PagePath = keyof typeof PAGE_WORDS;

/** The addresses of all public pages that have words. */
export const PAGE_PATHS = Object.keys(PAGE_WORDS) as PagePath[];

/** The words of a page, with the product's name in its place. */
export const wordsOf = (path: PagePath, productName: string): PageWords => {
  const words: PageWords = PAGE_WORDS[path];
  return { ...words, description: words.description.replaceAll("{product}", productName) };
};

/** The picture that a shared link shows, in the size that the networks ask for. */
export const SHARE_SIZE = { widthPx: 1200, heightPx: 630 } as const;

/** What the picture of a shared link is drawn from. */
export type ShareCard = { headline: string; posters: readonly string[]; label?: string };

/** The name of a page's picture, below `/share/`. */
export const shareName = (path: PagePath): string => `${path === "/" ? "home" : path.slice(1)}.jpg`;

/** What the picture of a page shows. */
export const shareCardOf = (path: PagePath): ShareCard => {
  const { headline, posters } = PAGE_WORDS[path];
  return { headline, posters };
};
