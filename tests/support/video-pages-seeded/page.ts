import { createRandom, type Random } from "../random.ts";
import type { Card, CardInput, Shown } from "./card.ts";
import { discoverCard, exploreCard, relatedCard, watchedCard } from "./cards-feeds.ts";
import { hashtagCard, profileCard, searchCard } from "./cards-lists.ts";
import { createDisguise, type Disguise } from "./disguise.ts";
import { captionOf, hashtagsOf, PERIODS, type Period, randomFacts, type VideoFacts } from "./facts.ts";
import { frameOf } from "./frame.ts";
import { answerOf, embeddedData } from "./scripts.ts";

export const LAYOUTS = ["search", "hashtag", "profile", "explore", "discover", "video", "api"] as const;
export type Layout = (typeof LAYOUTS)[number];

/** The expected record of a video, without sources. */
export interface ExpectedVideo {
  id: number;
  video_url: string;
  title: string | null;
  description: string | null;
  author: string | null;
  author_url: string | null;
  thumbnail_url: string | null;
  views_count: string | null;
  likes_count: string | null;
  date_posted: string | null;
  uploaded_at: string | null;
  duration_seconds: number | null;
  hashtags: string[];
}

interface PageInput {
  /** Determines the videos and their contents. */
  seed: number;
  /** Seed of class names, attribute order, wrappers and escaping, none of which may affect the result. */
  disguise?: number;
  layout: Layout;
  period: Period;
  /** Cards are added until both minimums, videos and characters, are reached. */
  videos?: number;
  length?: number;
}

interface SeededPage {
  html: string;
  expected: ExpectedVideo[];
}

/** The periods for which a layout is known. */
export const periodsOf = (layout: Layout): Period[] =>
  PERIODS.filter(
    (period) =>
      period >= { explore: 2023, discover: 2022 }[layout as "explore" | "discover"] ||
      !["explore", "discover"].includes(layout),
  );

const CARDS: Record<Exclude<Layout, "api">, (input: CardInput) => Card> = {
  search: searchCard,
  hashtag: hashtagCard,
  profile: profileCard,
  explore: exploreCard,
  discover: discoverCard,
  video: (input) => (input.index === 0 ? watchedCard(input) : relatedCard(input)),
};

const expect = (facts: VideoFacts, id: number, shown: Shown, isInJson: boolean): ExpectedVideo => {
  const author_url = `https://www.tiktok.com/@${facts.author}`;
  const uploaded_at = facts.uploadedAt.toISOString();
  return {
    id,
    video_url: `${author_url}/${facts.kind}/${facts.id}`,
    title: captionOf(facts),
    description: captionOf(facts),
    author: facts.author,
    author_url,
    thumbnail_url: shown.thumbnail || isInJson ? facts.cover : null,
    views_count: isInJson ? String(facts.views) : (shown.views ?? null),
    likes_count: isInJson ? String(facts.likes) : (shown.likes ?? null),
    date_posted: shown.date ?? uploaded_at.slice(0, 10),
    uploaded_at,
    duration_seconds: (isInJson && facts.durationSeconds) || null,
    hashtags: hashtagsOf(facts),
  };
};

/** Shares of a page's characters: embedded data, and styles. */
const SHARE = { json: 0.35, styles: 0.05 } as const;
/** The approximate size of embedded data per video. */
const ITEM_LENGTH = 1_600;
const BARE = { json: 700, styles: 600 } as const;

interface Written {
  cards: Card[];
  all: VideoFacts[];
  length: number;
}

const writeCards = (
  random: Random,
  disguise: Disguise,
  input: PageInput & { layout: Exclude<Layout, "api"> },
): Written => {
  const { layout, period, videos = 1, length = 0 } = input;
  const perItem = period <= 2023 && layout !== "video" ? ITEM_LENGTH : 0;
  const aim = length * (1 - SHARE.styles - (perItem > 0 ? 0 : SHARE.json));
  const hasViews = period < 2026 || random.below(2) === 0;
  // A profile has one author.
  const owner = randomFacts(random, period);
  const written: Written = { cards: [], all: [], length: 0 };
  while (written.all.length < videos || written.length < aim) {
    const drawn = randomFacts(random, period);
    const facts = layout === "profile" ? { ...drawn, author: owner.author, nickname: owner.nickname } : drawn;
    const card = CARDS[layout]({ facts, period, disguise, index: written.all.length, hasViews });
    written.cards.push(card);
    written.all.push(facts);
    written.length += card.html.length + perItem;
  }
  return written;
};

/** Which videos are in the embedded data: none on lists since 2024, and not all before. */
const inJson = (random: Random, { layout, period }: PageInput, all: readonly VideoFacts[]): VideoFacts[] => {
  if (layout === "video") return random.below(4) === 0 ? [] : all.slice(0, 1);
  return period <= 2023 ? all.filter(() => random.below(5) > 0) : [];
};

const makeAnswer = (random: Random, { period, videos = 1, length = 0 }: PageInput): SeededPage => {
  const all: VideoFacts[] = [];
  for (let n = 0; n < videos || n * ITEM_LENGTH < length; n += 1) all.push(randomFacts(random, period));
  return {
    html: answerOf(random, all, period),
    expected: all.map((facts, n) => ({ ...expect(facts, n + 1, { caption: true, thumbnail: true }, true) })),
  };
};

/** Generates a random page and its expected records. The same input gives the same page. */
export function makePage(input: PageInput): SeededPage {
  const { seed, layout, period, length = 0 } = input;
  const random = createRandom(seed);
  if (layout === "api") return makeAnswer(random, input);
  const disguise = createDisguise(createRandom((input.disguise ?? 0) * 7_919 + 17), period);
  const { cards, all } = writeCards(random, disguise, { ...input, layout });
  const items = inJson(random, input, all);
  const data = embeddedData(random, {
    period,
    items,
    isVideoPage: layout === "video",
    fillerLength: Math.max(BARE.json, length * SHARE.json - items.length * ITEM_LENGTH * 1.25),
  });
  const known = new Set(items.map(({ id }) => id));
  return {
    html: frameOf({
      layout,
      period,
      disguise,
      data,
      first: all[0],
      cards: cards.map(({ html }) => html),
      stylesLength: Math.max(BARE.styles, length * SHARE.styles),
    }),
    expected: all.map((facts, n) =>
      expect(facts, n + 1, cards[n]?.shown ?? { caption: false, thumbnail: false }, known.has(facts.id)),
    ),
  };
}
