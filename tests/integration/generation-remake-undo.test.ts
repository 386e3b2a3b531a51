import { afterEach, describe, expect, test } from "vitest";
import { generationGroups } from "#db/schema/generation.ts";
import { REMAKE_UNDO_MS } from "#lib/features/generation/constants.ts";
import { suggestWords } from "#lib/features/generation/drafting.ts";
import { readRemake, retireImages, undoRemake } from "#lib/features/generation/images.ts";
import { recordReview } from "#lib/features/pins/review.ts";
import { scheduleBatch } from "#lib/features/publishing/scheduling.ts";
import { CHAT, generationWorld, type Maker } from "./generation-house.ts";
import { remakesIn } from "./remake-house.ts";

const world = generationWorld();
const { draft, pinOf, remake } = remakesIn(world);

const code = (expected: string) => expect.objectContaining({ code: expected });

afterEach(async () => {
  await world.job().db.delete(generationGroups);
});

describe("Undo", () => {
  test("brings the old picture back with all that was said of it, once; the credits stay spent", async () => {
    const { maker, pinId } = await draft();
    await recordReview(maker.ctx, { pinId, review: "approved" });
    const before = await pinOf(pinId);
    await world.drive((await remake(maker, pinId)).taskId);
    const made = await pinOf(pinId);
    expect(await readRemake(maker.ctx, { pinId })).toMatchObject({ can_undo: true });
    await undoRemake(maker.ctx, { pinId });
    const after = await pinOf(pinId);
    expect({ ...after, updatedAt: null }).toEqual({ ...before, updatedAt: null });
    expect(await world.buckets(maker)).toEqual([3, 0, 0]);
    expect(await readRemake(maker.ctx, { pinId })).toMatchObject({ can_undo: false });
    await expect(undoRemake(maker.ctx, { pinId })).rejects.toEqual(code("wrong_state"));
    await world.house.later(8 * 86_400_000, () => retireImages(world.job()));
    expect(await world.job().storage.get(before.imageKey)).not.toBeNull();
    expect(await world.job().storage.get(made.imageKey)).toBeNull();
  });

  test("is gone after a day, and while the pin is scheduled", async () => {
    const { maker, pinId } = await draft();
    await world.drive((await remake(maker, pinId)).taskId);
    await world.house.later(REMAKE_UNDO_MS + 1_000, async () => {
      expect(await readRemake(maker.ctx, { pinId })).toBeNull();
      await expect(undoRemake(maker.ctx, { pinId })).rejects.toEqual(code("wrong_state"));
    });
    await scheduleBatch(maker.ctx, { pinIds: [pinId], intervalMinutes: 60, start: null });
    await expect(undoRemake(maker.ctx, { pinId })).rejects.toEqual(code("wrong_state"));
  });
});

describe("other words", () => {
  test("are suggested for nothing and change nothing; each time others than those that are there", async () => {
    const { maker, pinId } = await draft();
    const before = await pinOf(pinId);
    const first = await suggestWords(maker.ctx, { pinId, part: "title", instead: before.title });
    const second = await suggestWords(maker.ctx, { pinId, part: "title", instead: first.text });
    const words = await suggestWords(maker.ctx, { pinId, part: "description", instead: before.description });
    expect(new Set([before.title, first.text, second.text]).size).toBe(3);
    expect(words.text).not.toBe(before.description);
    expect(await pinOf(pinId)).toEqual(before);
    expect(await world.buckets(maker)).toEqual([4, 0, 0]);
  });

  test("R-API-31, R-SRV-04: not for another's pin, not for a scheduled one; a refusal and a busy model say so", async () => {
    const { maker, pinId } = await draft("marsh birds");
    const ask = (ctx: Maker["ctx"]) => suggestWords(ctx, { pinId, part: "title", instead: "" });
    await expect(ask((await world.makeMaker()).ctx)).rejects.toEqual(code("not_found"));
    const where = { keyword: "marsh birds" };
    for (const [scenario, expected] of [
      ["service_unavailable", "provider_unavailable"],
      ["refusal", "refused"],
      ["truncated", "provider_failed"],
    ] as const) {
      await world.strike({ match: CHAT, scenario, times: 1, where });
      await expect(ask(maker.ctx), scenario).rejects.toEqual(code(expected));
    }
    await scheduleBatch(maker.ctx, { pinIds: [pinId], intervalMinutes: 60, start: null });
    await expect(ask(maker.ctx)).rejects.toEqual(code("wrong_state"));
  });
});
