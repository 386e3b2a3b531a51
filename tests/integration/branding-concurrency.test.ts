import { describe, expect, test } from "vitest";
import { orphanedImages } from "#db/schema/images.ts";
import { DAY_MS, MINUTE_MS } from "#lib/core/time.ts";
import { TEXTS } from "#lib/features/branding/constants.ts";
import { applyTemplate, removeTemplate } from "#lib/features/branding/templates.ts";
import { purgeImages } from "#lib/features/generation/images.ts";
import { editDraft } from "#lib/features/pins/edits.ts";
import { recordReview } from "#lib/features/pins/review.ts";
import {
  beforeRead,
  brandingIn,
  dyingContext,
  templateInput,
  whileStored,
  withRecordedStorage,
} from "./branding-harness.ts";
import { publishingSetup } from "./publishing-harness.ts";

const setup = publishingSetup();
const { draft, imageStateOf, stored } = brandingIn(setup);

describe("concurrent changes", () => {
  test("a pin that is scheduled during drawing is published unchanged", async () => {
    const creator = await setup.insertCreator();
    const [pin, other] = [await draft(creator), await draft(creator)];
    const before = [await imageStateOf(pin), await imageStateOf(other)];
    const ctx = whileStored(creator.ctx, () => setup.schedule(creator, [other]));
    await expect(applyTemplate(ctx, templateInput([pin, other]))).rejects.toMatchObject({
      code: "wrong_state",
      message: TEXTS.notChangeable,
    });
    expect(await imageStateOf(pin)).toEqual(before[0]);
    expect(await imageStateOf(other)).toEqual({ ...before[1], status: "scheduled" });
  });

  test("a title that is edited during drawing is kept, and so is the template", async () => {
    const creator = await setup.insertCreator();
    const pin = await draft(creator);
    const ctx = whileStored(creator.ctx, () => editDraft(creator.ctx, { pinId: pin, title: "Edited meanwhile" }));
    await applyTemplate(ctx, templateInput([pin]));
    expect((await imageStateOf(pin)).template).toMatchObject({ id: "label" });
    expect((await setup.pin(pin)).title).toBe("Edited meanwhile");
  });

  test("of two concurrent templates on the same pins one is applied completely, and the other fails without a trace", async () => {
    const creator = await setup.insertCreator();
    const ids = [await draft(creator), await draft(creator), await draft(creator)];
    const [one, two] = [withRecordedStorage(creator.ctx), withRecordedStorage(creator.ctx)];
    // Both render before either finishes; sequentially both would succeed.
    const { promise: bothDraw, resolve: allDraw } = Promise.withResolvers<void>();
    let drawn = 0;
    const besides = ({ ctx }: typeof one) =>
      whileStored(ctx, () => {
        drawn += 1;
        if (drawn === 2) allDraw();
        return bothDraw;
      });
    const both = await Promise.allSettled([
      applyTemplate(besides(one), templateInput(ids, { template: "veil" })),
      applyTemplate(besides(two), templateInput(ids.toReversed(), { template: "disc" })),
    ]);
    expect(both.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    expect(both.find(({ status }) => status === "rejected")).toMatchObject({
      reason: { code: "wrong_state", message: TEXTS.changedMeanwhile },
    });
    const states = await Promise.all(ids.map(imageStateOf));
    expect(new Set(states.map(({ template }) => Object(template).id)).size).toBe(1);
    const shown = states.map(({ imageKey }) => imageKey);
    const orphaned = [...one.keys, ...two.keys].filter((key) => !shown.includes(key));
    await purgeImages(setup.job());
    expect([await stored(shown), await stored(orphaned), orphaned.length > 0]).toEqual([3, 0, true]);
  });

  test("applying and removing a template concurrently never leaves a missing image", async () => {
    const creator = await setup.insertCreator();
    const pin = await draft(creator);
    await applyTemplate(creator.ctx, templateInput([pin]));
    await Promise.allSettled([
      applyTemplate(creator.ctx, templateInput([pin], { template: "arch" })),
      removeTemplate(creator.ctx, { pinIds: [pin] }),
    ]);
    const { imageKey, baseImageKey, template } = await imageStateOf(pin);
    expect(template === null).toBe(baseImageKey === null);
    await setup.harness.later(7 * DAY_MS + MINUTE_MS, () => purgeImages(setup.job()));
    expect(await stored([imageKey, ...(baseImageKey === null ? [] : [baseImageKey])])).toBe(baseImageKey ? 2 : 1);
  });

  test("when a template is removed during a sweep, the image that is shown now stays", async () => {
    const creator = await setup.insertCreator();
    const pin = await draft(creator);
    const { imageKey } = await imageStateOf(pin);
    await applyTemplate(creator.ctx, templateInput([pin]));
    // Simulates an image that was orphaned long ago.
    const since = new Date(Date.now() - 8 * DAY_MS);
    await creator.ctx.db
      .insert(orphanedImages)
      .values({ key: imageKey, since })
      .onConflictDoUpdate({ target: orphanedImages.key, set: { since } });
    const remove = () => removeTemplate(creator.ctx, { pinIds: [pin] });
    // The first read is of due images, the second of used ones; a third would see the later state of the pin.
    await purgeImages(beforeRead(setup.job(), 3, remove));
    await remove();
    expect(await imageStateOf(pin)).toMatchObject({ imageKey, baseImageKey: null });
    expect(await stored([imageKey])).toBe(1);
  });

  test("a review no longer counts when a template is applied or removed", async () => {
    const creator = await setup.insertCreator();
    const pin = await draft(creator);
    for (const change of [applyTemplate, removeTemplate]) {
      await recordReview(creator.ctx, { pinId: pin, review: "approved" });
      await change(creator.ctx, templateInput([pin]));
      expect(await setup.pin(pin)).toMatchObject({ review: null, reviewedAt: null });
    }
  });

  test("a crash between storing and committing leaves the pins unchanged; the images are deleted a week later, and a retry works", async () => {
    const creator = await setup.insertCreator();
    const ids = [await draft(creator), await draft(creator)];
    const before = await Promise.all(ids.map(imageStateOf));
    const { ctx, keys } = withRecordedStorage(creator.ctx);
    // The first transaction reads the pins, the second saves the images.
    const killed = dyingContext(ctx, 2);
    void applyTemplate(killed.ctx, templateInput(ids));
    await killed.death;
    expect(await Promise.all(ids.map(imageStateOf))).toEqual(before);
    expect([keys.length, await stored(keys)]).toEqual([2, 2]);
    await purgeImages(setup.job());
    expect(await stored(keys)).toBe(2);
    await setup.harness.later(7 * DAY_MS + MINUTE_MS, () => purgeImages(setup.job()));
    expect(await stored(keys)).toBe(0);
    await applyTemplate(creator.ctx, templateInput(ids));
    expect((await Promise.all(ids.map(imageStateOf))).map(({ template }) => Object(template).id)).toEqual([
      "label",
      "label",
    ]);
  });

  test("a storage failure midway changes no pin, and the next sweep deletes what was stored", async () => {
    const creator = await setup.insertCreator();
    const ids = [await draft(creator), await draft(creator)];
    const before = await Promise.all(ids.map(imageStateOf));
    const { ctx, keys } = withRecordedStorage(creator.ctx, 2);
    await expect(applyTemplate(ctx, templateInput(ids))).rejects.toThrow("The disk is full.");
    expect(await Promise.all(ids.map(imageStateOf))).toEqual(before);
    await purgeImages(setup.job());
    expect([keys.length, await stored(keys)]).toEqual([1, 0]);
  });
});
