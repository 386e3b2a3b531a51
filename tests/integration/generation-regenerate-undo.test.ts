import { eq } from "drizzle-orm";
import { afterEach, describe, expect, test } from "vitest";
import { generationGroups } from "#db/schema/generation.ts";
import { users } from "#db/schema/identity.ts";
import { REGENERATION_UNDO_MS, UNCONFIRMED_TEXTS_A_DAY } from "#lib/features/generation/constants.ts";
import { suggestText } from "#lib/features/generation/drafting.ts";
import { purgeImages, readRegeneration, undoRegeneration } from "#lib/features/generation/images.ts";
import { recordReview } from "#lib/features/pins/review.ts";
import { scheduleBatch } from "#lib/features/publishing/scheduling.ts";
import { CHAT, type Creator, generationSetup } from "./generation-harness.ts";
import { regenerationsIn } from "./regenerate-harness.ts";

const setup = generationSetup();
const { draft, pinOf, regenerate } = regenerationsIn(setup);

const code = (expected: string) => expect.objectContaining({ code: expected });

afterEach(async () => {
  await setup.job().db.delete(generationGroups);
});

describe("Undo", () => {
  test("restores the old image and its review once; the credits stay spent", async () => {
    const { creator, pinId } = await draft();
    await recordReview(creator.ctx, { pinId, review: "approved" });
    const before = await pinOf(pinId);
    await setup.drive((await regenerate(creator, pinId)).taskId);
    const made = await pinOf(pinId);
    expect(await readRegeneration(creator.ctx, { pinId })).toMatchObject({ can_undo: true });
    await undoRegeneration(creator.ctx, { pinId });
    const after = await pinOf(pinId);
    expect({ ...after, updatedAt: null }).toEqual({ ...before, updatedAt: null });
    expect(await setup.buckets(creator)).toEqual([3, 0, 0]);
    expect(await readRegeneration(creator.ctx, { pinId })).toMatchObject({ can_undo: false });
    await expect(undoRegeneration(creator.ctx, { pinId })).rejects.toEqual(code("wrong_state"));
    await setup.harness.later(8 * 86_400_000, () => purgeImages(setup.job()));
    expect(await setup.job().storage.get(before.imageKey)).not.toBeNull();
    expect(await setup.job().storage.get(made.imageKey)).toBeNull();
  });

  test("is not available after a day, or while the pin is scheduled", async () => {
    const { creator, pinId } = await draft();
    await setup.drive((await regenerate(creator, pinId)).taskId);
    await setup.harness.later(REGENERATION_UNDO_MS + 1_000, async () => {
      expect(await readRegeneration(creator.ctx, { pinId })).toBeNull();
      await expect(undoRegeneration(creator.ctx, { pinId })).rejects.toEqual(code("wrong_state"));
    });
    await scheduleBatch(creator.ctx, { pinIds: [pinId], intervalMinutes: 60, start: null });
    await expect(undoRegeneration(creator.ctx, { pinId })).rejects.toEqual(code("wrong_state"));
  });
});

describe("suggestions", () => {
  test("are free, change nothing, and differ from the current text", async () => {
    const { creator, pinId } = await draft();
    const before = await pinOf(pinId);
    const first = await suggestText(creator.ctx, { pinId, part: "title", instead: before.title });
    const second = await suggestText(creator.ctx, { pinId, part: "title", instead: first.text });
    const words = await suggestText(creator.ctx, { pinId, part: "description", instead: before.description });
    expect(new Set([before.title, first.text, second.text]).size).toBe(3);
    expect(words.text).not.toBe(before.description);
    expect(await pinOf(pinId)).toEqual(before);
    expect(await setup.buckets(creator)).toEqual([4, 0, 0]);
  });

  test("without a confirmed email, there are ten a day", async () => {
    const { creator, pinId } = await draft();
    const request = () => suggestText(creator.ctx, { pinId, part: "title", instead: "" });
    for (let n = 0; n < UNCONFIRMED_TEXTS_A_DAY; n += 1) await request();
    await expect(request()).rejects.toEqual(code("email_unconfirmed"));
    await creator.ctx.db.update(users).set({ emailVerifiedAt: new Date() }).where(eq(users.id, creator.userId));
    await request();
  });

  test("R-API-31, R-SRV-04: not for another user's or a scheduled pin; refusals and a busy model are reported", async () => {
    const { creator, pinId } = await draft("marsh birds");
    const request = (ctx: Creator["ctx"]) => suggestText(ctx, { pinId, part: "title", instead: "" });
    await expect(request((await setup.insertCreator()).ctx)).rejects.toEqual(code("not_found"));
    const where = { keyword: "marsh birds" };
    for (const [scenario, expected] of [
      ["service_unavailable", "provider_unavailable"],
      ["refusal", "refused"],
      ["truncated", "provider_failed"],
    ] as const) {
      await setup.addFault({ match: CHAT, scenario, times: 1, where });
      await expect(request(creator.ctx), scenario).rejects.toEqual(code(expected));
    }
    await scheduleBatch(creator.ctx, { pinIds: [pinId], intervalMinutes: 60, start: null });
    await expect(request(creator.ctx)).rejects.toEqual(code("wrong_state"));
  });
});
