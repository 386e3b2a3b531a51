import { expect, test } from "vitest";
import { TEXTS } from "#lib/features/branding/constants.ts";
import { readBranding } from "#lib/features/branding/kit.ts";
import { applyTemplate } from "#lib/features/branding/templates.ts";
import { insertSlides, insertVideo } from "#tests/support/fixtures/formats.ts";
import { brandingIn, templateInput } from "./branding-harness.ts";
import { publishingSetup } from "./publishing-harness.ts";

const setup = publishingSetup();
const { draft, imageStateOf, orphans } = brandingIn(setup);

const NO_LETTERS = "The fonts don't support these characters: 日 本.";

test("A-15 among pins with their own titles, those with unsupported titles are skipped by name, and the others are drawn", async () => {
  const creator = await setup.insertCreator();
  const ids = [
    await draft(creator, { title: "Fern shade" }),
    await draft(creator, { title: "日本 tea" }),
    await draft(creator, { title: "🌿🌿" }),
    await draft(creator, { title: "Moss walls" }),
  ];
  const before = await Promise.all(ids.map(imageStateOf));
  const noted = await orphans();
  expect(await applyTemplate(creator.ctx, templateInput(ids))).toEqual({
    skipped: [
      { id: ids[1], title: "日本 tea", text: NO_LETTERS },
      { id: ids[2], title: "🌿🌿", text: TEXTS.nothingToWrite },
    ],
  });
  const after = await Promise.all(ids.map(imageStateOf));
  expect(after.map(({ template }) => Object(template).words)).toEqual([
    "Fern shade",
    undefined,
    undefined,
    "Moss walls",
  ]);
  expect([after[1], after[2]]).toEqual([before[1], before[2]]);
  expect(await orphans()).toEqual(noted);
});

test("A-15 videos and carousels are skipped by name, and the images among them are drawn", async () => {
  const creator = await setup.insertCreator();
  const [image, video, carousel] = [
    await draft(creator, { title: "Fern shade" }),
    await draft(creator, { title: "Moss walk" }),
    await draft(creator, { title: "Rock garden" }),
  ];
  await insertVideo(creator.ctx, creator.ctx.storage, { pinId: video });
  await insertSlides(creator.ctx, [carousel, image], ["One", "Two"]);
  expect(await applyTemplate(creator.ctx, templateInput([video, image, carousel], { words: "Spring" }))).toEqual({
    skipped: [
      { id: video, title: "Moss walk", text: TEXTS.imagesOnly },
      { id: carousel, title: "Rock garden", text: TEXTS.imagesOnly },
    ],
  });
  const templates = await Promise.all([image, video, carousel].map(imageStateOf));
  expect(templates.map(({ template }) => template === null)).toEqual([false, true, true]);
});

test("A-15 when no title is supported, no pin is changed and each is named", async () => {
  const creator = await setup.insertCreator();
  const pin = await draft(creator, { title: "日本" });
  const before = [await imageStateOf(pin), await orphans()];
  expect(await applyTemplate(creator.ctx, templateInput([pin]))).toEqual({
    skipped: [{ id: pin, title: "日本", text: NO_LETTERS }],
  });
  expect([await imageStateOf(pin), await orphans()]).toEqual(before);
});

test("A-15 an unsupported signature rejects all pins, and the error names the text", async () => {
  const creator = await setup.insertCreator();
  const ids = [await draft(creator, { title: "Fern shade" }), await draft(creator, { title: "日本 tea" })];
  const before = await Promise.all(ids.map(imageStateOf));
  const text = "The fonts don't support these characters: 語. Enter a different signature.";
  await expect(applyTemplate(creator.ctx, templateInput(ids, { signature: "語" }))).rejects.toMatchObject({
    code: "invalid",
    fields: { signature: [text] },
  });
  expect(await Promise.all(ids.map(imageStateOf))).toEqual(before);
});

test("A-15 the dialog lists pins once each, in the order of selection", async () => {
  const creator = await setup.insertCreator();
  const made: string[] = [];
  for (let count = 0; count < 6; count += 1) made.push(await draft(creator));
  for (const pinIds of [made, made.toReversed(), [...made.slice(3), ...made.slice(0, 3)]]) {
    const { pins } = await readBranding(creator.ctx, {
      accountId: creator.account.id,
      pinIds: [...pinIds, pinIds[0] ?? ""],
    });
    expect(pins.map(({ id }) => id)).toEqual(pinIds);
  }
});
