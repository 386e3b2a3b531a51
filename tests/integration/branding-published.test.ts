import sharp from "sharp";
import { expect, test } from "vitest";
import { storeLogo } from "#lib/features/branding/kit.ts";
import { applyTemplate } from "#lib/features/branding/templates.ts";
import { createBulk } from "#lib/features/pins/bulk-create.ts";
import { thumbnailKeys } from "#lib/features/pins/policy.ts";
import { readMetadata } from "#tests/support/image-metadata.ts";
import { readOwnImage } from "#tests/support/own-images.ts";
import { photo } from "#tests/support/sample-images.ts";
import { brandingIn, templateInput } from "./branding-harness.ts";
import { type Creator, publishingSetup } from "./publishing-harness.ts";

const setup = publishingSetup();
const { draft, upload, imageStateOf, bytesOf } = brandingIn(setup);

/** A photo with location, camera, XMP texts and a color profile. */
const photoWithMetadata = async () =>
  sharp(await photo(360, 240))
    .keepExif()
    .withXmp('<x:xmpmeta xmlns:x="adobe:ns:meta/">Canary</x:xmpmeta>')
    .withIccProfile("p3")
    .jpeg()
    .toBuffer();

/** Publishes a draft. @returns the image that Pinterest's stand-in received. */
const published = async (creator: Creator, pinId: Awaited<ReturnType<typeof draft>>): Promise<Buffer> => {
  await setup.schedule(creator, [pinId]);
  const { scheduleGeneration } = await setup.pin(pinId);
  await setup.drive({ pinId, scheduleGeneration });
  const [there] = await setup.publicPins(creator);
  const answer = await fetch(`${setup.pinterest.url}/media/${Object(there?.image).file}`);
  return Buffer.from(await answer.arrayBuffer());
};

test("R-SRV-07 an uploaded photo with a template is published without metadata, and so are its thumbnails", async () => {
  const creator = await setup.insertCreator();
  const { boardId } = creator;
  const own = {
    boardId,
    boardSectionId: null,
    title: "Moss",
    description: "",
    link: null,
    altText: "",
    image: upload(await photoWithMetadata()),
  };
  const { pins } = await createBulk(creator.ctx, { accountId: creator.account.id, idempotencyKey: null, pins: [own] });
  const [pin] = pins;
  if (!pin) throw new Error("One was made.");
  await storeLogo(creator.ctx, { accountId: creator.account.id, logo: upload(await photoWithMetadata()) });
  await applyTemplate(creator.ctx, templateInput([pin.id], { hasLogo: true }));
  const { imageKey, baseImageKey } = await imageStateOf(pin.id);
  const sent = await published(creator, pin.id);
  expect(sent).toEqual(await bytesOf(imageKey));
  const bare = { parts: [], xmp: "", behindBytes: 0 };
  for (const bytes of [sent, await bytesOf(baseImageKey ?? "")]) {
    expect(readMetadata(bytes)).toEqual({ kind: "jpeg", ...bare });
    expect(bytes.includes("Canary")).toBe(false);
  }
  for (const key of thumbnailKeys(imageKey)) {
    const { bytes } = await readOwnImage(creator.ctx, key);
    expect(readMetadata(bytes)).toEqual({ kind: "webp", ...bare });
  }
});

test("R-SRV-07 an AI image with a template is published with its AI marking, and no other metadata", async () => {
  const creator = await setup.insertCreator();
  const made = await creator.ctx.images.preparePin(await photoWithMetadata(), { widthPx: 216, heightPx: 336 });
  if (!made) throw new Error("The image was not prepared.");
  const imageKey = "pins/made-by-a-model.jpg";
  await creator.ctx.storage.put(imageKey, made.jpeg);
  const pinId = await draft(creator, { imageKey });
  await applyTemplate(creator.ctx, templateInput([pinId], { template: "veil" }));
  const { parts, xmp, behindBytes } = readMetadata(await published(creator, pinId));
  expect([parts, behindBytes]).toEqual([["APP1 XMP"], 0]);
  expect(xmp).toContain("digitalsourcetype/trainedAlgorithmicMedia");
  expect(xmp).not.toContain("Canary");
  expect(await setup.publicPins(creator)).toMatchObject([{ ai_disclosures: expect.anything() }]);
});
