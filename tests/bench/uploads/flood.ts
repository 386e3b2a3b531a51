import { randomBytes } from "node:crypto";
import sharp from "sharp";
import { bulkForm } from "#tests/support/bulk-form.ts";
import type { UploadProduct } from "./product.ts";

interface Scene {
  images: number;
  /** People who send at the same time, each their share. */
  senders: number;
  megabytes: number;
}

export const SIZES: Record<"full" | "small", Scene> = {
  full: { images: 50, senders: 10, megabytes: 10 },
  small: { images: 6, senders: 3, megabytes: 10 },
};

interface Flood {
  drafts: number;
  failed: number;
  sentMb: number;
  seconds: number;
  middleMs: number;
  slowestMs: number;
}

/** A photograph of 24 million pixels, which a camera writes in about 10 MB: detail everywhere, an odd orientation. */
const makePhoto = async (megabytes: number): Promise<Buffer> => {
  const [width, height] = [1_500, 1_000];
  const noise = sharp(randomBytes(width * height * 3), { raw: { width, height, channels: 3 } });
  const large = await noise
    .resize(6_000, 4_000, { kernel: "cubic" })
    .jpeg({ quality: 90 })
    .withMetadata({ orientation: 6 })
    .toBuffer();
  // What cameras put behind the picture fills it up.
  return Buffer.concat([large, Buffer.alloc(Math.max(0, megabytes * 1_000_000 - large.length))]);
};

/** Sends all images at once and tells what came of it. */
export const flood = async (product: UploadProduct, scene: Scene, say: (line: string) => void): Promise<Flood> => {
  const photo = await makePhoto(scene.megabytes);
  const each = Math.ceil(scene.images / scene.senders);
  const senders = await product.makeSenders(scene.senders);
  const bodies = senders.map(({ account, boardId }) =>
    bulkForm({
      account,
      pins: Array.from({ length: each }, (_, n) => ({ board_id: boardId, title: `${n}`, image: photo })),
    }),
  );
  say(`${scene.senders} people send ${each} images each, of ${(photo.length / 1e6).toFixed(1)} MB`);
  const meanwhile = await product.startAsking();
  const startedAt = performance.now();
  const answers = await Promise.all(senders.map(({ send }, n) => send(bodies[n] ?? new FormData())));
  const seconds = (performance.now() - startedAt) / 1_000;
  const times = await meanwhile.stop();
  return {
    drafts: answers.reduce((sum, { drafts }) => sum + drafts, 0),
    failed: answers.filter(({ status }) => status !== 200).length,
    sentMb: (photo.length * each * scene.senders) / 1e6,
    seconds,
    middleMs: times[Math.floor(times.length / 2)] ?? 0,
    slowestMs: times.at(-1) ?? 0,
  };
};
