/** The texts of a page for search engines and shared links. */
type PageCopy = {
  /** Without the product's name, which is added. */
  title: string;
  /** `{product}` is replaced with the product's name. */
  description: string;
  /** The text on the share image, with one italic phrase between asterisks. */
  headline: string;
  /** Names of images in public/posters, shown on the share image. */
  posters: readonly string[];
  /** When false, the page is not indexed and not in the sitemap. */
  isIndexed?: boolean;
};

/** One entry per public page. */
const PAGE_COPY = {
  "/": {
    title: "Turn a few keywords into weeks of pins",
    description:
      "{product} writes and designs Pinterest pins from your keywords. You pick the ones you like, and it publishes each one once, at the time you set.",
    headline: "Turn a few keywords into *weeks of pins*",
    posters: ["bread", "herbs", "wardrobe", "wreath", "ridge"],
  },
  "/features": {
    title: "Features",
    description:
      "AI-generated titles, descriptions, and images from your keywords, live boards from Pinterest, and a schedule that publishes each pin exactly once.",
    headline: "What *one keyword* can become",
    posters: ["eucalypt", "lisbon", "pasta", "night", "meadow"],
  },
  "/pricing": {
    title: "Pricing",
    description:
      "Four plans, priced in credits. You pay for finished pins and never for failed ones, and the Free plan renews every month.",
    headline: "Only pay for *finished pins*",
    posters: ["citrus", "quilt", "figs", "dunes", "swim"],
  },
  "/upgrade-success": {
    title: "Thanks for your payment",
    description: "Your {product} plan and credits will update as soon as your payment has been processed.",
    headline: "Thanks for *your payment*",
    posters: ["citrus", "quilt", "figs", "dunes", "wreath"],
    isIndexed: false,
  },
  "/upgrade-error": {
    title: "Payment problems",
    description: "Your payment didn’t go through. Your {product} plan hasn’t changed, and you can try again.",
    headline: "Please *try again*",
    posters: ["citrus", "quilt", "figs", "dunes", "night"],
    isIndexed: false,
  },
  "/blog": {
    title: "Blog",
    description:
      "Practical guides for Pinterest creators: pin sizes, keyword research, a steady publishing schedule, and how to label AI-generated images.",
    headline: "Notes for *people who pin*",
    posters: ["read", "herbs", "kitchen", "fir", "paper"],
  },
  "/faqs": {
    title: "FAQs",
    description:
      "Straight answers about connecting Pinterest, creating and scheduling pins, credits, refunds, and your {product} account.",
    headline: "Questions, *answered*",
    posters: ["pots", "wreath", "bread", "lisbon", "balcony"],
  },
  "/developers": {
    title: "API for developers",
    description:
      "Generate, edit, and schedule Pinterest pins from your own programs: the {product} API with scoped keys, safe retries, and an OpenAPI document.",
    headline: "Pins from *your own programs*",
    posters: ["paper", "ridge", "herbs", "night", "citrus"],
  },
  "/about-us": {
    title: "Our Story",
    description:
      "Why we built {product}: software that handles the busywork of publishing to Pinterest and leaves every decision to you.",
    headline: "We do the busywork, *you decide*",
    posters: ["fir", "ridge", "bedroom", "meadow", "night"],
  },
  "/terms-of-service": {
    title: "Terms of service",
    description:
      "The agreement between you and {product}: who can use it, what you own, what you pay for, and what happens when something goes wrong.",
    headline: "Terms *of service*",
    posters: ["still-paper", "still-ridge", "still-pots", "still-dunes", "still-night"],
  },
  "/privacy-policy": {
    title: "Privacy policy",
    description:
      "What {product} stores about you, why and for how long, which companies are involved, and how to download or delete all of it.",
    headline: "What we store, *and for how long*",
    posters: ["still-eucalypt", "still-citrus", "still-paper", "still-pots", "still-ridge"],
  },
  "/refund-policy": {
    title: "Refund policy",
    description:
      "When subscription fees are refunded, how long a review takes, how you get your money back, and why purchased credits are not refundable.",
    headline: "When you get *a refund*",
    posters: ["still-citrus", "still-night", "still-dunes", "still-eucalypt", "still-pots"],
  },
  "/contact-us": {
    title: "Contact us",
    description:
      "Contact us about your account, a pin, a payment, or an idea. You’ll find our support hours, email address, phone number, and mailing address here.",
    headline: "Get *in touch*",
    posters: ["paper", "swim", "figs", "wardrobe", "eucalypt"],
  },
  "/status": {
    title: "Status",
    description:
      "Whether {product} is up right now, and its measured uptime over the last day, week, month, and 90 days, recorded every minute.",
    headline: "Uptime, measured *every minute*",
    posters: ["night", "dunes", "ridge", "swim", "fir"],
  },
  "/login": {
    title: "Sign in",
    description:
      "Sign in to {product} to create pins from keywords, pick the ones you like, and see what is scheduled and published.",
    headline: "Welcome *back*",
    posters: ["citrus", "night", "lisbon", "swim", "wreath"],
  },
  "/register": {
    title: "Create an account",
    description:
      "Start free with {product}: connect a Pinterest account, enter a few keywords, and pick from the drafts you get.",
    headline: "Start with *a few keywords*",
    posters: ["bedroom", "figs", "paper", "ridge", "fir"],
  },
  "/forgot-password": {
    title: "Forgot password",
    description: "Enter the email address of your {product} account, and we’ll send you a link to set a new password.",
    headline: "A new password, *by email*",
    posters: ["bedroom", "night", "read", "fir", "paper"],
  },
  "/reset-password": {
    title: "Reset password",
    description: "Set a new password for your {product} account with the link from the email we sent you.",
    headline: "Set *a new password*",
    posters: ["bedroom", "night", "read", "fir", "paper"],
    isIndexed: false,
  },
} as const satisfies Record<string, PageCopy>;

/** Path of a public page with copy. */
export type PagePath = keyof typeof PAGE_COPY;

/** Paths of all public pages with copy. */
export const PAGE_PATHS = Object.keys(PAGE_COPY) as PagePath[];

/** Returns the copy of a page, with the product's name filled in. */
export const pageCopyOf = (path: PagePath, productName: string): PageCopy => {
  const copy: PageCopy = PAGE_COPY[path];
  return { ...copy, description: copy.description.replaceAll("{product}", productName) };
};

/** Size of share images, as social networks expect it. */
export const SHARE_SIZE = { widthPx: 1200, heightPx: 630 } as const;

/** Content of a share image. */
export type ShareCard = { headline: string; posters: readonly string[]; label?: string };

/** Returns the file name of a page's share image under `/share/`. */
export const shareName = (path: PagePath): string => `${path === "/" ? "home" : path.slice(1)}.jpg`;

/** Returns the content of a page's share image. */
export const shareCardOf = (path: PagePath): ShareCard => {
  const { headline, posters } = PAGE_COPY[path];
  return { headline, posters };
};
