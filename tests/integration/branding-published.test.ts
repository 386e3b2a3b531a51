import sharp from "sharp";
import { expect, test } from "vitest";
import { storeLogo } from "#lib/features/branding/kit.ts";
import { applyTemplate } from "#lib/features/branding/templates.ts";
import { createBulk } from "#lib/features/pins/bulk-create.ts";
import { readPicture } from "#lib/features/pins/images.ts";
import { thumbnailKeys } from "#lib/features/pins/policy.ts";
import { readMetadata } from "#tests/support/picture-metadata.ts";
import { photo } from "#tests/support/sample-pictures.ts";
import { asked, brandingIn } from "./branding-house.ts";
import { type Maker, publishingWorld } from "./publishing-house.ts";

const world = publishingWorld();
const { draft, upload, lookOf, bytesOf } = brandingIn(world);

/** A photograph with its place, its camera, words in XMP and a profile. */
const talkative = async () =>
  sharp(await photo(360, 240))
    .keepExif()
    .withXmp('<x:xmpmeta xmlns:x="adobe:ns:meta/">Canary</x:xmpmeta>')
    .withIccProfile("p3")
    .jpeg()
    .toBuffer();

/** Publishes a draft. @returns the picture as Pinterest's stand-in got it. */
const published = async (maker: Maker, pinId: Awaited<ReturnType<typeof draft>>): Promise<Buffer> => {
  await world.schedule(maker, [pinId]);
  const { scheduleGeneration } = await world.pin(pinId);
  await world.drive({ pinId, scheduleGeneration });
  const [there] = await world.publicPins(maker);
  const answer = await fetch(`${world.pinterest.url}/media/${Object(there?.picture).file}`);
  return Buffer.from(await answer.arrayBuffer());
};

test("R-SRV-07 a person's own photograph with words on it is published as pixels alone, and so are its thumbnails", async () => {
  const maker = await world.makeMaker();
  const { boardId } = maker;
  const own = { boardId, title: "Moss", description: "", link: null, altText: "", picture: upload(await talkative()) };
  const { pins } = await createBulk(maker.ctx, { accountId: maker.account.id, idempotencyKey: null, pins: [own] });
  const [pin] = pins;
  if (!pin) throw new Error("One was made.");
  await storeLogo(maker.ctx, { accountId: maker.account.id, logo: upload(await talkative()) });
  await applyTemplate(maker.ctx, asked([pin.id], { hasLogo: true }));
  const { imageKey, baseImageKey } = await lookOf(pin.id);
  const sent = await published(maker, pin.id);
  expect(sent).toEqual(await bytesOf(imageKey));
  const bare = { parts: [], xmp: "", behindBytes: 0 };
  for (const bytes of [sent, await bytesOf(baseImageKey ?? "")]) {
    expect(readMetadata(bytes)).toEqual({ kind: "jpeg", ...bare });
    expect(bytes.includes("Canary")).toBe(false);
  }
  for (const key of thumbnailKeys(imageKey)) {
    const { bytes } = await readPicture(maker.ctx, { key });
    expect(readMetadata(bytes)).toEqual({ kind: "webp", ...bare });
  }
});

test("D10 R-SRV-07 a model's picture with words on it is published as what it is, and tells nothing else", async () => {
  const maker = await world.makeMaker();
  const made = await maker.ctx.pictures.preparePin(await talkative(), { widthPx: 216, heightPx: 336 });
  if (!made) throw new Error("A picture was prepared.");
  const imageKey = "pins/made-by-a-model.jpg";
  await maker.ctx.storage.put(imageKey, made.jpeg);
  const pinId = await draft(maker, { imageKey });
  await applyTemplate(maker.ctx, asked([pinId], { template: "veil" }));
  const { parts, xmp, behindBytes } = readMetadata(await published(maker, pinId));
  expect([parts, behindBytes]).toEqual([["APP1 XMP"], 0]);
  expect(xmp).toContain("digitalsourcetype/trainedAlgorithmicMedia");
  expect(xmp).not.toContain("Canary");
  expect(await world.publicPins(maker)).toMatchObject([{ ai_disclosures: expect.anything() }]);
});
