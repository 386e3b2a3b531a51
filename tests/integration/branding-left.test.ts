import { expect, test } from "vitest";
import { TEXTS } from "#lib/features/branding/constants.ts";
import { readBranding } from "#lib/features/branding/kit.ts";
import { applyTemplate } from "#lib/features/branding/templates.ts";
import { asked, brandingIn } from "./branding-house.ts";
import { publishingWorld } from "./publishing-house.ts";

const world = publishingWorld();
const { draft, lookOf, orphans } = brandingIn(world);

const NO_LETTERS = "The fonts have no letters for: 日 本.";

test("A-15 of several with their own titles, those that cannot be written are named and stay, the others are drawn", async () => {
  const maker = await world.makeMaker();
  const ids = [
    await draft(maker, { title: "Fern shade" }),
    await draft(maker, { title: "日本 tea" }),
    await draft(maker, { title: "🌿🌿" }),
    await draft(maker, { title: "Moss walls" }),
  ];
  const before = await Promise.all(ids.map(lookOf));
  const noted = await orphans();
  expect(await applyTemplate(maker.ctx, asked(ids))).toEqual({
    left: [
      { id: ids[1], title: "日本 tea", text: NO_LETTERS },
      { id: ids[2], title: "🌿🌿", text: TEXTS.nothingToWrite },
    ],
  });
  const after = await Promise.all(ids.map(lookOf));
  expect(after.map(({ template }) => Object(template).words)).toEqual([
    "Fern shade",
    undefined,
    undefined,
    "Moss walls",
  ]);
  expect([after[1], after[2]]).toEqual([before[1], before[2]]);
  expect(await orphans()).toEqual(noted);
});

test("A-15 none of whose titles can be written is changed, and each is named", async () => {
  const maker = await world.makeMaker();
  const pin = await draft(maker, { title: "日本" });
  const before = [await lookOf(pin), await orphans()];
  expect(await applyTemplate(maker.ctx, asked([pin]))).toEqual({
    left: [{ id: pin, title: "日本", text: NO_LETTERS }],
  });
  expect([await lookOf(pin), await orphans()]).toEqual(before);
});

test("A-15 a small line that cannot be written is all pins' alone: it refuses them, and says which text it is", async () => {
  const maker = await world.makeMaker();
  const ids = [await draft(maker, { title: "Fern shade" }), await draft(maker, { title: "日本 tea" })];
  const before = await Promise.all(ids.map(lookOf));
  const text = "The fonts have no letters for: 語. Write another small line.";
  await expect(applyTemplate(maker.ctx, asked(ids, { signature: "語" }))).rejects.toMatchObject({
    code: "invalid",
    fields: { signature: [text] },
  });
  expect(await Promise.all(ids.map(lookOf))).toEqual(before);
});

test("A-15 the chooser has pins in the order in which they were selected, each once", async () => {
  const maker = await world.makeMaker();
  const made: string[] = [];
  for (let count = 0; count < 6; count += 1) made.push(await draft(maker));
  for (const pinIds of [made, made.toReversed(), [...made.slice(3), ...made.slice(0, 3)]]) {
    const { pins } = await readBranding(maker.ctx, {
      accountId: maker.account.id,
      pinIds: [...pinIds, pinIds[0] ?? ""],
    });
    expect(pins.map(({ id }) => id)).toEqual(pinIds);
  }
});
