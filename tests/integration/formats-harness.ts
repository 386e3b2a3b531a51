import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll } from "vitest";
import { createCarousel, createVideoPin } from "#lib/features/formats/creation.ts";
import { createCarouselInput, createVideoInput } from "#lib/features/formats/schema.ts";
import { sampleVideo } from "#tests/support/sample-videos.ts";
import type { Creator } from "./publishing-harness.ts";

const paint = (width: number, height: number, background: string): Promise<Buffer> =>
  sharp({ create: { width, height, channels: 3, background } })
    .jpeg()
    .toBuffer();

interface VideoOptions {
  video?: Buffer;
  key?: string;
  title?: string;
}

/** Creates video pins and carousels as the routes do, from files on disk. */
export const formatPins = () => {
  const folder = mkdtempSync(join(tmpdir(), "formats-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  let files = 0;
  const received = (bytes: Buffer) => {
    files += 1;
    const path = join(folder, String(files));
    writeFileSync(path, bytes);
    return { path, bytes: bytes.length, sha256: createHash("sha256").update(bytes).digest("hex") };
  };
  const fieldsOf = ({ account, boardId }: Creator, more: Record<string, unknown>) => ({
    pinterest_account: account.id,
    pin: JSON.stringify({ board_id: boardId, title: "A quiet pin", url: "https://example.com/video", ...more }),
  });

  const makeVideo = async (creator: Creator, { video = sampleVideo(), key, title }: VideoOptions = {}) => {
    const input = createVideoInput.parse({
      fields: fieldsOf(creator, title === undefined ? {} : { title }),
      files: { video: received(video), cover: received(await paint(400, 600, "#204030")) },
      idempotencyKey: key ?? null,
    });
    return (await createVideoPin(creator.ctx, input)).pin;
  };

  /** Three slides, the last one in another shape. @param first the image of the first slide */
  const makeCarousel = async (creator: Creator, slideLink = "https://example.com/1", first?: Buffer) => {
    const slides = [{ title: "One", url: slideLink }, { description: "The second" }, {}];
    const sizes = [
      [400, 600],
      [400, 600],
      [600, 600],
    ] as const;
    const painted = await Promise.all(sizes.map(([width, height], at) => paint(width, height, `#60${at}040`)));
    const images = first === undefined ? painted : painted.with(0, first);
    const input = createCarouselInput.parse({
      fields: fieldsOf(creator, { slides }),
      files: Object.fromEntries(images.map((bytes, at) => [`slides[${at}]`, received(bytes)])),
      idempotencyKey: null,
    });
    return (await createCarousel(creator.ctx, input)).pin;
  };

  return { makeVideo, makeCarousel };
};
