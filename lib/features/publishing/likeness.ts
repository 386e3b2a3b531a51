import "server-only";
import type { Ctx } from "#lib/context.ts";
import { forEachConcurrently } from "#lib/core/concurrency.ts";
import { LIKENESS_LIGHTNESS_BITS, NEAR_DUPLICATE_BITS_MAX, PLAIN_LIGHTNESS_BITS_MAX } from "#lib/core/images.ts";
import { IMAGE_BYTES_MAX } from "#lib/features/pins/constants.ts";
import { withImageFile } from "#lib/features/pins/images.ts";
import { IMAGE_CHECK_MS, IMAGE_CHECKS_AT_ONCE, IMAGE_CHECKS_MAX } from "./constants.ts";
import type { ImageMatches } from "./policy.ts";

/** What pins are compared by: the perceptual hash has 64 bits as 16 hexadecimal digits. */
interface Comparable {
  title: string;
  likeness: string | null;
}

/** A pin prepared for comparison: its perceptual hash as two 32-bit numbers. */
export interface Fingerprint {
  /** The title's letters and digits; empty without any. */
  titleKey: string;
  /** Null without a hash, and when the hash does not distinguish this image from others. */
  image: { high: number; low: number } | null;
}

const titleKeyOf = (title: string): string =>
  title
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();

const bitCount = (value: number): number => {
  const pairs = value - ((value >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
};

const TINT_BITS = 64 - LIKENESS_LIGHTNESS_BITS;

/** Plain images are compared by title only: by their hashes all of them would be duplicates. */
const isDistinctive = (high: number, low: number): boolean =>
  bitCount(high) + bitCount(low >>> TINT_BITS) > PLAIN_LIGHTNESS_BITS_MAX;

export const fingerprintOf = ({ title, likeness }: Comparable): Fingerprint => {
  const half = (from: number, to: number): number => Number.parseInt(likeness?.slice(from, to) ?? "0", 16) | 0;
  const [high, low] = [half(0, 8), half(8, 16)];
  return { titleKey: titleKeyOf(title), image: isDistinctive(high, low) ? { high, low } : null };
};

const differingBits = (high: number, low: number, otherHigh: number, otherLow: number): number =>
  bitCount(high ^ otherHigh) + bitCount(low ^ otherLow);

/** Whether two images are nearly identical; false for plain ones. */
const isSameImage = ({ image: one }: Fingerprint, { image: other }: Fingerprint): boolean =>
  one !== null && other !== null && differingBits(one.high, one.low, other.high, other.low) <= NEAR_DUPLICATE_BITS_MAX;

/** Answers after which the image may be there the next time. */
const TEMPORARY: readonly string[] = ["no_answer", "offline", "no_route"];

/** Null: there is none to compare with. `later`: it couldn't be read for now. */
const fetchLikeness = (ctx: Ctx<"images" | "links">, url: string): Promise<string | null | "later"> =>
  withImageFile(async (path) => {
    const answer = await ctx.links.fetchImage(url, { path, bytesMax: IMAGE_BYTES_MAX, timeoutMs: IMAGE_CHECK_MS });
    if (TEMPORARY.includes(answer.kind) || (answer.kind === "status" && answer.status >= 500)) return "later";
    const prepared = answer.kind === "fetched" ? await ctx.images.prepareUpload(path) : null;
    return prepared?.kind === "prepared" ? (await ctx.images.describeJpeg(prepared.jpeg)).likeness : null;
  });

/** Which of these images are nearly identical to one with this hash; a plain one is compared with none. */
export const findLookalikes = async (
  ctx: Ctx<"images" | "links">,
  likeness: string | null,
  images: readonly { id: string; imageUrl: string }[],
): Promise<ImageMatches> => {
  const [lookalikeIds, uncomparedIds] = [new Set<string>(), new Set<string>()];
  const wanted = fingerprintOf({ title: "", likeness });
  if (!wanted.image) return { lookalikeIds, uncomparedIds };
  await forEachConcurrently(images.slice(0, IMAGE_CHECKS_MAX), IMAGE_CHECKS_AT_ONCE, async ({ id, imageUrl }) => {
    const other = await fetchLikeness(ctx, imageUrl);
    if (other === "later") uncomparedIds.add(id);
    else if (isSameImage(wanted, fingerprintOf({ title: "", likeness: other }))) lookalikeIds.add(id);
  });
  for (const { id } of images.slice(IMAGE_CHECKS_MAX)) uncomparedIds.add(id);
  return { lookalikeIds, uncomparedIds };
};

/** Pins of one account, found by their image or title. */
export interface LikenessIndex<T> {
  add(item: T, print: Fingerprint): void;
  /** Calls `visit` for each nearly identical image, in the order of adding; `bits`: how many bits differ. */
  forEachNearImage(print: Fingerprint, visit: (item: T, bits: number) => void): void;
  /** Those with this title, in the order of adding. */
  sameTitle(print: Fingerprint): readonly T[];
}

export const createLikenessIndex = <T>(): LikenessIndex<T> => {
  const withImage: T[] = [];
  // Bits are kept in separate lists, since there may be millions of comparisons.
  const highs: number[] = [];
  const lows: number[] = [];
  const byTitle = new Map<string, T[]>();
  return {
    add: (item, { titleKey, image }) => {
      if (image) {
        withImage.push(item);
        highs.push(image.high);
        lows.push(image.low);
      }
      if (titleKey === "") return;
      const same = byTitle.get(titleKey);
      if (same) same.push(item);
      else byTitle.set(titleKey, [item]);
    },
    forEachNearImage: ({ image }, visit) => {
      if (!image) return;
      const { high, low } = image;
      for (let at = 0; at < highs.length; at += 1) {
        const bits = differingBits(high, low, highs[at] ?? 0, lows[at] ?? 0);
        const match = bits <= NEAR_DUPLICATE_BITS_MAX ? withImage[at] : undefined;
        if (match !== undefined) visit(match, bits);
      }
    },
    sameTitle: ({ titleKey }) => byTitle.get(titleKey) ?? [],
  };
};
