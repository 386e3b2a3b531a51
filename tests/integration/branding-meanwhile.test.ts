import { describe, expect, test } from "vitest";
import { orphanedImages } from "#db/schema/images.ts";
import { DAY_MS, MINUTE_MS } from "#lib/core/time.ts";
import { TEXTS } from "#lib/features/branding/constants.ts";
import { applyTemplate, removeTemplate } from "#lib/features/branding/templates.ts";
import { retireImages } from "#lib/features/generation/images.ts";
import { editDraft } from "#lib/features/pins/edits.ts";
import { recordReview } from "#lib/features/pins/review.ts";
import { asked, beforeRead, brandingIn, dying, watched, whileStored } from "./branding-house.ts";
import { publishingWorld } from "./publishing-house.ts";

const world = publishingWorld();
const { draft, lookOf, stored } = brandingIn(world);

describe("what happens meanwhile", () => {
  test("a pin that is scheduled while it is drawn goes out as it was chosen", async () => {
    const maker = await world.makeMaker();
    const [pin, other] = [await draft(maker), await draft(maker)];
    const before = [await lookOf(pin), await lookOf(other)];
    const ctx = whileStored(maker.ctx, () => world.schedule(maker, [other]));
    await expect(applyTemplate(ctx, asked([pin, other]))).rejects.toMatchObject({
      code: "wrong_state",
      message: TEXTS.notChangeable,
    });
    expect(await lookOf(pin)).toEqual(before[0]);
    expect(await lookOf(other)).toEqual({ ...before[1], status: "scheduled" });
  });

  test("a title that is edited while it is drawn is kept, and so is the template", async () => {
    const maker = await world.makeMaker();
    const pin = await draft(maker);
    const ctx = whileStored(maker.ctx, () => editDraft(maker.ctx, { pinId: pin, title: "Edited meanwhile" }));
    await applyTemplate(ctx, asked([pin]));
    expect((await lookOf(pin)).template).toMatchObject({ id: "label" });
    expect((await world.pin(pin)).title).toBe("Edited meanwhile");
  });

  test("two templates at once on the same pins: one is there whole, the other is told and leaves nothing", async () => {
    const maker = await world.makeMaker();
    const ids = [await draft(maker), await draft(maker), await draft(maker)];
    const [one, two] = [watched(maker.ctx), watched(maker.ctx)];
    // Each has drawn something before the other is done: one after the other both would be right.
    const { promise: bothDraw, resolve: allDraw } = Promise.withResolvers<void>();
    let drawing = 0;
    const besides = ({ ctx }: typeof one) =>
      whileStored(ctx, () => {
        drawing += 1;
        if (drawing === 2) allDraw();
        return bothDraw;
      });
    const both = await Promise.allSettled([
      applyTemplate(besides(one), asked(ids, { template: "veil" })),
      applyTemplate(besides(two), asked(ids.toReversed(), { template: "disc" })),
    ]);
    expect(both.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    expect(both.find(({ status }) => status === "rejected")).toMatchObject({
      reason: { code: "wrong_state", message: TEXTS.changedMeanwhile },
    });
    const looks = await Promise.all(ids.map(lookOf));
    expect(new Set(looks.map(({ template }) => Object(template).id)).size).toBe(1);
    const shown = looks.map(({ imageKey }) => imageKey);
    const lost = [...one.keys, ...two.keys].filter((key) => !shown.includes(key));
    await retireImages(world.job());
    expect([await stored(shown), await stored(lost), lost.length > 0]).toEqual([3, 0, true]);
  });

  test("a template put on and taken off at once: either, and never a picture that is not there", async () => {
    const maker = await world.makeMaker();
    const pin = await draft(maker);
    await applyTemplate(maker.ctx, asked([pin]));
    await Promise.allSettled([
      applyTemplate(maker.ctx, asked([pin], { template: "arch" })),
      removeTemplate(maker.ctx, { pinIds: [pin] }),
    ]);
    const { imageKey, baseImageKey, template } = await lookOf(pin);
    expect(template === null).toBe(baseImageKey === null);
    await world.house.later(7 * DAY_MS + MINUTE_MS, () => retireImages(world.job()));
    expect(await stored([imageKey, ...(baseImageKey === null ? [] : [baseImageKey])])).toBe(baseImageKey ? 2 : 1);
  });

  test("a template that is taken off while pictures are swept: the one that is shown now stays", async () => {
    const maker = await world.makeMaker();
    const pin = await draft(maker);
    const { imageKey } = await lookOf(pin);
    await applyTemplate(maker.ctx, asked([pin]));
    // As if a duplicate had lost it long ago.
    const since = new Date(Date.now() - 8 * DAY_MS);
    await maker.ctx.db
      .insert(orphanedImages)
      .values({ key: imageKey, since })
      .onConflictDoUpdate({ target: orphanedImages.key, set: { since } });
    const takeOff = () => removeTemplate(maker.ctx, { pinIds: [pin] });
    // Its first read is of what is due, its second of what is in use: a third one would see the pin as it is later.
    await retireImages(beforeRead(world.job(), 3, takeOff));
    await takeOff();
    expect(await lookOf(pin)).toMatchObject({ imageKey, baseImageKey: null });
    expect(await stored([imageKey])).toBe(1);
  });

  test("D9 what was said in a review was said of the picture before: with and without a template it counts no more", async () => {
    const maker = await world.makeMaker();
    const pin = await draft(maker);
    for (const change of [applyTemplate, removeTemplate]) {
      await recordReview(maker.ctx, { pinId: pin, review: "approved" });
      await change(maker.ctx, asked([pin]));
      expect(await world.pin(pin)).toMatchObject({ review: null, reviewedAt: null });
    }
  });

  test("killed between storing and committing: pins as before, pictures gone a week later, and it can be done again", async () => {
    const maker = await world.makeMaker();
    const ids = [await draft(maker), await draft(maker)];
    const before = await Promise.all(ids.map(lookOf));
    const { ctx, keys } = watched(maker.ctx);
    // The first transaction reads the pins, the second one hangs the pictures.
    const killed = dying(ctx, 2);
    void applyTemplate(killed.ctx, asked(ids));
    await killed.death;
    expect(await Promise.all(ids.map(lookOf))).toEqual(before);
    expect([keys.length, await stored(keys)]).toEqual([2, 2]);
    await retireImages(world.job());
    expect(await stored(keys)).toBe(2);
    await world.house.later(7 * DAY_MS + MINUTE_MS, () => retireImages(world.job()));
    expect(await stored(keys)).toBe(0);
    await applyTemplate(maker.ctx, asked(ids));
    expect((await Promise.all(ids.map(lookOf))).map(({ template }) => Object(template).id)).toEqual(["label", "label"]);
  });

  test("a storage that fails midway changes no pin, and what was stored goes with the next sweep", async () => {
    const maker = await world.makeMaker();
    const ids = [await draft(maker), await draft(maker)];
    const before = await Promise.all(ids.map(lookOf));
    const { ctx, keys } = watched(maker.ctx, 2);
    await expect(applyTemplate(ctx, asked(ids))).rejects.toThrow("The disk is full.");
    expect(await Promise.all(ids.map(lookOf))).toEqual(before);
    await retireImages(world.job());
    expect([keys.length, await stored(keys)]).toEqual([1, 0]);
  });
});
