import { eq } from "drizzle-orm";
import sharp from "sharp";
import { describe, expect, test } from "vitest";
import { pins } from "#db/schema/pins.ts";
import { DAY_MS, MINUTE_MS } from "#lib/core/time.ts";
import { PINS_PER_REQUEST_MAX, TEXTS } from "#lib/features/branding/constants.ts";
import { saveKit } from "#lib/features/branding/kit.ts";
import { applyTemplateInput, removeTemplateInput } from "#lib/features/branding/schema.ts";
import { applyTemplate, removeTemplate } from "#lib/features/branding/templates.ts";
import { purgeImages } from "#lib/features/generation/images.ts";
import { duplicatePins } from "#lib/features/pins/drafts.ts";
import { brandingIn, templateInput } from "./branding-harness.ts";
import { pinFixtures } from "./pins-harness.ts";
import { publishingSetup } from "./publishing-harness.ts";

const setup = publishingSetup();
const { incompatiblePins, otherBoards } = pinFixtures(setup);
const { draft, imageStateOf, orphans, stored, bytesOf } = brandingIn(setup);

const code = (expected: string) => expect.objectContaining({ code: expected });

describe("apply-template", () => {
  test("A-15 one or many: each pin gets its own title, the base image stays, and no image is paid for", async () => {
    const creator = await setup.insertCreator();
    const ids = [await draft(creator, { title: "Fern shade" }), await draft(creator, { title: "Moss walls" })];
    const before = await Promise.all(ids.map(imageStateOf));
    // The harness has no image model, so generating an image would fail.
    await applyTemplate(creator.ctx, templateInput(ids, { template: "slip" }));
    for (const [index, id] of ids.entries()) {
      const after = await imageStateOf(id);
      expect(after).toMatchObject({
        status: "draft",
        baseImageKey: before[index]?.imageKey,
        template: { id: "slip", words: ["Fern shade", "Moss walls"][index], signature: "mossandstone", hasLogo: false },
        likeness: expect.stringMatching(/^[0-9a-f]{16}$/),
        placeholder: expect.stringMatching(/^data:image\/webp;base64,/),
      });
      expect(after.imageKey).toMatch(/^pins\/[0-9a-f]{40}\.jpg$/);
      expect(await sharp(await bytesOf(after.imageKey)).metadata()).toMatchObject({ width: 180, height: 280 });
      expect(await bytesOf(after.imageKey)).not.toEqual(await bytesOf(after.baseImageKey ?? ""));
      expect(await orphans()).not.toContain(after.imageKey);
      expect(await orphans()).not.toContain(after.baseImageKey);
    }
  });

  test("a second template is drawn from the base image; the previous image is deleted in a week", async () => {
    const creator = await setup.insertCreator();
    const [pin, duplicate] = [await draft(creator), await draft(creator)];
    await creator.ctx.db
      .update(pins)
      .set({ imageKey: (await imageStateOf(pin)).imageKey })
      .where(eq(pins.id, duplicate));
    const base = (await imageStateOf(pin)).imageKey;
    await applyTemplate(creator.ctx, templateInput([pin]));
    const first = await imageStateOf(pin);
    await applyTemplate(creator.ctx, templateInput([pin], { template: "band", words: "Other words" }));
    await applyTemplate(creator.ctx, templateInput([duplicate], { template: "band", words: "Other words" }));
    const [second, fresh] = [await imageStateOf(pin), await imageStateOf(duplicate)];
    expect(second.baseImageKey).toBe(base);
    expect(await bytesOf(second.imageKey)).toEqual(await bytesOf(fresh.imageKey));
    expect(await orphans()).toContain(first.imageKey);
    await setup.harness.later(7 * DAY_MS + MINUTE_MS, () => purgeImages(setup.job()));
    expect(await stored([first.imageKey])).toBe(0);
    expect(await stored([base, second.imageKey, fresh.imageKey])).toBe(3);
  });

  test("a changed kit affects new images only", async () => {
    const creator = await setup.insertCreator();
    const pin = await draft(creator);
    await applyTemplate(creator.ctx, templateInput([pin]));
    const before = await imageStateOf(pin);
    const colors = { panel: "#3a1f38", words: "#f6eef4", accent: "#e0c849" };
    await saveKit(creator.ctx, { accountId: creator.account.id, colors, fontPairing: "poster" });
    expect(await imageStateOf(pin)).toEqual(before);
    await applyTemplate(creator.ctx, templateInput([pin]));
    expect(await bytesOf((await imageStateOf(pin)).imageKey)).not.toEqual(await bytesOf(before.imageKey));
  });

  test("R-API-31 all or none: another user's, missing, deleted, scheduled and published pins reject the whole change", async () => {
    const [creator, stranger] = [await setup.insertCreator(), await setup.insertCreator()];
    const mine = await draft(creator);
    const before = await imageStateOf(mine);
    const noted = await orphans();
    for (const [expected, ids] of Object.entries(await incompatiblePins(creator, stranger))) {
      for (const id of ids) {
        await expect(applyTemplate(creator.ctx, templateInput([mine, id]))).rejects.toEqual(code(expected));
        await expect(removeTemplate(creator.ctx, { pinIds: [mine, id] })).rejects.toEqual(code(expected));
      }
    }
    expect(await imageStateOf(mine)).toEqual(before);
    expect(await orphans()).toEqual(noted);
  });

  test("R-SRV-03 a pin that may be on Pinterest keeps its image; a failed one can be changed", async () => {
    const creator = await setup.insertCreator();
    const [unclear, failed] = [await draft(creator), await draft(creator)];
    await creator.ctx.db.update(pins).set({ mayBePublished: true }).where(eq(pins.id, unclear));
    await creator.ctx.db.update(pins).set({ status: "failed" }).where(eq(pins.id, failed));
    await expect(applyTemplate(creator.ctx, templateInput([unclear]))).rejects.toEqual(code("wrong_state"));
    await expect(removeTemplate(creator.ctx, { pinIds: [unclear] })).rejects.toEqual(code("wrong_state"));
    await applyTemplate(creator.ctx, templateInput([failed]));
    expect(await imageStateOf(failed)).toMatchObject({ status: "failed", template: { id: "label" } });
  });

  test("unsupported characters are named, and nothing is changed", async () => {
    const creator = await setup.insertCreator();
    const pin = await draft(creator);
    const before = [await imageStateOf(pin), await orphans()];
    const missing = "The fonts don't support these characters: 日 本. Enter different text.";
    const nothing = `${TEXTS.nothingToWrite} Enter different text.`;
    for (const [words, text] of [
      ["日本 tea", missing],
      ["🌿🌿", nothing],
      [" \u200b\u202e ", nothing],
    ]) {
      await expect(applyTemplate(creator.ctx, templateInput([pin], { words: words ?? "" }))).rejects.toMatchObject({
        code: "invalid",
        fields: { words: [text] },
      });
    }
    expect([await imageStateOf(pin), await orphans()]).toEqual(before);
    await applyTemplate(creator.ctx, templateInput([pin], { words: "Fern 🌿 shade\u202e" }));
    expect((await imageStateOf(pin)).template).toMatchObject({ words: "Fern shade" });
  });

  test.each<[string, object]>([
    ["no pin", { pinIds: [] }],
    ["the same pin twice", { pinIds: ["pin_a", "pin_a"] }],
    [
      "one more than a call may change",
      { pinIds: Array.from({ length: PINS_PER_REQUEST_MAX + 1 }, (_, n) => `pin_${n}`) },
    ],
    ["a template of nobody", { template: "../../etc" }],
    ["words of another kind", { words: ["a"] }],
    ["101 characters", { words: "x".repeat(101) }],
    ["a small line of 41", { signature: "x".repeat(41) }],
    ["a logo of another kind", { hasLogo: "yes" }],
  ])("%s is rejected before anything is read", (_, change) => {
    expect(applyTemplateInput.safeParse({ ...templateInput(["pin_a"]), ...change }).success).toBe(false);
    if ("pinIds" in change) expect(removeTemplateInput.safeParse(change).success).toBe(false);
    expect(applyTemplateInput.safeParse(templateInput(["pin_a"])).success).toBe(true);
  });
});

describe("remove-template", () => {
  test("restores the base image with its hash and placeholder; a pin without a template is unchanged", async () => {
    const creator = await setup.insertCreator();
    const [templated, bare] = [await draft(creator), await draft(creator)];
    const before = [await imageStateOf(templated), await imageStateOf(bare)];
    await applyTemplate(creator.ctx, templateInput([templated]));
    const withTemplate = await imageStateOf(templated);
    await removeTemplate(creator.ctx, { pinIds: [bare, templated] });
    const after = await imageStateOf(templated);
    expect(after).toMatchObject({ imageKey: before[0]?.imageKey, baseImageKey: null, template: null });
    expect(after.likeness).toMatch(/^[0-9a-f]{16}$/);
    expect(after.placeholder).not.toBe(withTemplate.placeholder);
    expect(await imageStateOf(bare)).toEqual(before[1]);
    expect(await orphans()).toContain(withTemplate.imageKey);
    await setup.harness.later(7 * DAY_MS + MINUTE_MS, () => purgeImages(setup.job()));
    expect([await stored([withTemplate.imageKey]), await stored([after.imageKey])]).toEqual([0, 1]);
  });

  test("removing a template from a pin does not affect its duplicate, and the sweep keeps the images of both", async () => {
    const creator = await setup.insertCreator();
    const pin = await draft(creator);
    await applyTemplate(creator.ctx, templateInput([pin]));
    const [boardId] = await otherBoards(creator);
    const { ids } = await duplicatePins(creator.ctx, { pinIds: [pin], boardIds: [boardId] });
    const copy = ids[0] ?? "";
    const withTemplate = await imageStateOf(pin);
    expect(await imageStateOf(copy)).toMatchObject(withTemplate);
    await removeTemplate(creator.ctx, { pinIds: [pin] });
    await setup.harness.later(7 * DAY_MS + MINUTE_MS, () => purgeImages(setup.job()));
    expect(await imageStateOf(copy)).toMatchObject({
      imageKey: withTemplate.imageKey,
      template: withTemplate.template,
    });
    expect(await stored([withTemplate.imageKey, withTemplate.baseImageKey ?? ""])).toBe(2);
  });
});
