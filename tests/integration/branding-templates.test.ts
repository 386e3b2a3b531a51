import { eq } from "drizzle-orm";
import sharp from "sharp";
import { describe, expect, test } from "vitest";
import { pins } from "#db/schema/pins.ts";
import { DAY_MS, MINUTE_MS } from "#lib/core/time.ts";
import { PINS_AT_ONCE, TEXTS } from "#lib/features/branding/constants.ts";
import { saveKit } from "#lib/features/branding/kit.ts";
import { applyTemplateInput, removeTemplateInput } from "#lib/features/branding/schema.ts";
import { applyTemplate, removeTemplate } from "#lib/features/branding/templates.ts";
import { retireImages } from "#lib/features/generation/images.ts";
import { duplicatePins } from "#lib/features/pins/drafts.ts";
import { asked, brandingIn } from "./branding-house.ts";
import { companyOf } from "./pins-company.ts";
import { publishingWorld } from "./publishing-house.ts";

const world = publishingWorld();
const { badCompany, otherBoards } = companyOf(world);
const { draft, lookOf, orphans, stored, bytesOf } = brandingIn(world);

const code = (expected: string) => expect.objectContaining({ code: expected });

describe("apply-template", () => {
  test("A-15 one or many: each pin its own title, the picture below stays, and no picture is paid for", async () => {
    const maker = await world.makeMaker();
    const ids = [await draft(maker, { title: "Fern shade" }), await draft(maker, { title: "Moss walls" })];
    const before = await Promise.all(ids.map(lookOf));
    // The house has no model to draw with: whoever asked for a new picture would fail.
    await applyTemplate(maker.ctx, asked(ids, { template: "slip" }));
    for (const [index, id] of ids.entries()) {
      const after = await lookOf(id);
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

  test("changed later it is drawn from the picture below, as if it were the first; the one before goes in a week", async () => {
    const maker = await world.makeMaker();
    const [pin, twin] = [await draft(maker), await draft(maker)];
    await maker.ctx.db
      .update(pins)
      .set({ imageKey: (await lookOf(pin)).imageKey })
      .where(eq(pins.id, twin));
    const base = (await lookOf(pin)).imageKey;
    await applyTemplate(maker.ctx, asked([pin]));
    const first = await lookOf(pin);
    await applyTemplate(maker.ctx, asked([pin], { template: "band", words: "Other words" }));
    await applyTemplate(maker.ctx, asked([twin], { template: "band", words: "Other words" }));
    const [second, fresh] = [await lookOf(pin), await lookOf(twin)];
    expect(second.baseImageKey).toBe(base);
    expect(await bytesOf(second.imageKey)).toEqual(await bytesOf(fresh.imageKey));
    expect(await orphans()).toContain(first.imageKey);
    await world.house.later(7 * DAY_MS + MINUTE_MS, () => retireImages(world.job()));
    expect(await stored([first.imageKey])).toBe(0);
    expect(await stored([base, second.imageKey, fresh.imageKey])).toBe(3);
  });

  test("another kit changes what is drawn from now on, and no picture that is there", async () => {
    const maker = await world.makeMaker();
    const pin = await draft(maker);
    await applyTemplate(maker.ctx, asked([pin]));
    const before = await lookOf(pin);
    const colours = { panel: "#3a1f38", words: "#f6eef4", accent: "#e0c849" };
    await saveKit(maker.ctx, { accountId: maker.account.id, colours, fontPairing: "poster" });
    expect(await lookOf(pin)).toEqual(before);
    await applyTemplate(maker.ctx, asked([pin]));
    expect(await bytesOf((await lookOf(pin)).imageKey)).not.toEqual(await bytesOf(before.imageKey));
  });

  test("R-API-31 all or none: foreign, absent, deleted, scheduled and published pins refuse the whole change", async () => {
    const [maker, stranger] = [await world.makeMaker(), await world.makeMaker()];
    const mine = await draft(maker);
    const before = await lookOf(mine);
    const noted = await orphans();
    for (const [expected, ids] of Object.entries(await badCompany(maker, stranger))) {
      for (const id of ids) {
        await expect(applyTemplate(maker.ctx, asked([mine, id]))).rejects.toEqual(code(expected));
        await expect(removeTemplate(maker.ctx, { pinIds: [mine, id] })).rejects.toEqual(code(expected));
      }
    }
    expect(await lookOf(mine)).toEqual(before);
    expect(await orphans()).toEqual(noted);
  });

  test("R-SRV-03 one that may be on Pinterest keeps its picture; one that failed may get another", async () => {
    const maker = await world.makeMaker();
    const [unclear, failed] = [await draft(maker), await draft(maker)];
    await maker.ctx.db.update(pins).set({ mayBePublished: true }).where(eq(pins.id, unclear));
    await maker.ctx.db.update(pins).set({ status: "failed" }).where(eq(pins.id, failed));
    await expect(applyTemplate(maker.ctx, asked([unclear]))).rejects.toEqual(code("wrong_state"));
    await expect(removeTemplate(maker.ctx, { pinIds: [unclear] })).rejects.toEqual(code("wrong_state"));
    await applyTemplate(maker.ctx, asked([failed]));
    expect(await lookOf(failed)).toMatchObject({ status: "failed", template: { id: "label" } });
  });

  test("words that cannot be written are told with their letters, and nothing is changed", async () => {
    const maker = await world.makeMaker();
    const pin = await draft(maker);
    const before = [await lookOf(pin), await orphans()];
    const missing = "The fonts have no letters for: 日 本. Write other words.";
    const nothing = `${TEXTS.nothingToWrite} Write other words.`;
    for (const [words, text] of [
      ["日本 tea", missing],
      ["🌿🌿", nothing],
      [" \u200b\u202e ", nothing],
    ]) {
      await expect(applyTemplate(maker.ctx, asked([pin], { words: words ?? "" }))).rejects.toMatchObject({
        code: "invalid",
        fields: { words: [text] },
      });
    }
    expect([await lookOf(pin), await orphans()]).toEqual(before);
    await applyTemplate(maker.ctx, asked([pin], { words: "Fern 🌿 shade\u202e" }));
    expect((await lookOf(pin)).template).toMatchObject({ words: "Fern shade" });
  });

  test.each<[string, object]>([
    ["no pin", { pinIds: [] }],
    ["the same pin twice", { pinIds: ["pin_a", "pin_a"] }],
    ["one more than a call may change", { pinIds: Array.from({ length: PINS_AT_ONCE + 1 }, (_, n) => `pin_${n}`) }],
    ["a template of nobody", { template: "../../etc" }],
    ["words of another kind", { words: ["a"] }],
    ["101 characters", { words: "x".repeat(101) }],
    ["a small line of 41", { signature: "x".repeat(41) }],
    ["a logo of another kind", { hasLogo: "yes" }],
  ])("%s is refused before anything is read", (_, change) => {
    expect(applyTemplateInput.safeParse({ ...asked(["pin_a"]), ...change }).success).toBe(false);
    if ("pinIds" in change) expect(removeTemplateInput.safeParse(change).success).toBe(false);
    expect(applyTemplateInput.safeParse(asked(["pin_a"])).success).toBe(true);
  });
});

describe("remove-template", () => {
  test("brings the very picture below back, with how it looks; one without a template stays as it is", async () => {
    const maker = await world.makeMaker();
    const [worn, bare] = [await draft(maker), await draft(maker)];
    const before = [await lookOf(worn), await lookOf(bare)];
    await applyTemplate(maker.ctx, asked([worn]));
    const dressed = await lookOf(worn);
    await removeTemplate(maker.ctx, { pinIds: [bare, worn] });
    const after = await lookOf(worn);
    expect(after).toMatchObject({ imageKey: before[0]?.imageKey, baseImageKey: null, template: null });
    expect(after.likeness).toMatch(/^[0-9a-f]{16}$/);
    expect(after.placeholder).not.toBe(dressed.placeholder);
    expect(await lookOf(bare)).toEqual(before[1]);
    expect(await orphans()).toContain(dressed.imageKey);
    await world.house.later(7 * DAY_MS + MINUTE_MS, () => retireImages(world.job()));
    expect([await stored([dressed.imageKey]), await stored([after.imageKey])]).toEqual([0, 1]);
  });

  test("a duplicate keeps its own: what one takes off stays on the other, and the sweep knows both", async () => {
    const maker = await world.makeMaker();
    const pin = await draft(maker);
    await applyTemplate(maker.ctx, asked([pin]));
    const [boardId] = await otherBoards(maker);
    const { ids } = await duplicatePins(maker.ctx, { pinIds: [pin], boardIds: [boardId] });
    const copy = ids[0] ?? "";
    const dressed = await lookOf(pin);
    expect(await lookOf(copy)).toMatchObject(dressed);
    await removeTemplate(maker.ctx, { pinIds: [pin] });
    await world.house.later(7 * DAY_MS + MINUTE_MS, () => retireImages(world.job()));
    expect(await lookOf(copy)).toMatchObject({ imageKey: dressed.imageKey, template: dressed.template });
    expect(await stored([dressed.imageKey, dressed.baseImageKey ?? ""])).toBe(2);
  });
});
