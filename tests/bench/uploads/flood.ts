import { randomBytes } from "node:crypto";
import sharp from "sharp";
import { bulkForm } from "#tests/support/bulk-form.ts";
import type { UploadProduct } from "./product.ts";

interface Scenario {
  images: number;
  /** Users who send their share at the same time. */
  senders: number;
  megabytes: number;
}

export const SIZES: Record<"full" | "small", Scenario> = {
  full: { images: 50, senders: 10, megabytes: 10 },
  small: { images: 6, senders: 3, megabytes: 10 },
};

interface Flood {
  drafts: number;
  failed: number;
  sentMb: number;
  seconds: number;
  medianMs: number;
  slowestMs: number;
}

/** A rotated, detailed photo of 24 megapixels, which is about 10 MB as from a camera. */
const makePhoto = async (megabytes: number): Promise<Buffer> => {
  const [width, height] = [1_500, 1_000];
  const noise = sharp(randomBytes(width * height * 3), { raw: { width, height, channels: 3 } });
  const large = await noise
    .resize(6_000, 4_000, { kernel: "cubic" })
    .jpeg({ quality: 90 })
    .withMetadata({ orientation: 6 })
    .toBuffer();
  // Padded like the data that cameras append to an image.
  return Buffer.concat([large, Buffer.alloc(Math.max(0, megabytes * 1_000_000 - large.length))]);
};

/** Sends all images at once. */
export const flood = async (
  product: UploadProduct,
  scenario: Scenario,
  log: (line: string) => void,
): Promise<Flood> => {
  const photo = await makePhoto(scenario.megabytes);
  const each = Math.ceil(scenario.images / scenario.senders);
  const senders = await product.makeSenders(scenario.senders);
  const bodies = senders.map(({ account, boardId }) =>
    bulkForm({
      account,
      pins: Array.from({ length: each }, (_, n) => ({ board_id: boardId, title: `${n}`, image: photo })),
    }),
  );
  log(`${scenario.senders} users send ${each} images each of ${(photo.length / 1e6).toFixed(1)} MB`);
  const polling = await product.startPolling();
  const startedAt = performance.now();
  const responses = await Promise.all(senders.map(({ send }, n) => send(bodies[n] ?? new FormData())));
  const seconds = (performance.now() - startedAt) / 1_000;
  const times = await polling.stop();
  return {
    drafts: responses.reduce((sum, { drafts }) => sum + drafts, 0),
    failed: responses.filter(({ status }) => status !== 200).length,
    sentMb: (photo.length * each * scenario.senders) / 1e6,
    seconds,
    medianMs: times[Math.floor(times.length / 2)] ?? 0,
    slowestMs: times.at(-1) ?? 0,
  };
};
