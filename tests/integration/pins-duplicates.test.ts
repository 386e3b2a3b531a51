import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { pins } from "#db/schema/pins.ts";
import { COPIES_MAX, TEXTS } from "#lib/features/pins/constants.ts";
import { duplicatePins } from "#lib/features/pins/drafts.ts";
import { duplicatePinsInput } from "#lib/features/pins/schema.ts";
import { pinFixtures } from "./pins-harness.ts";
import { publishingSetup } from "./publishing-harness.ts";

const setup = publishingSetup();
const { incompatiblePins, otherBoards } = pinFixtures(setup);

const code = (expected: string) => expect.objectContaining({ code: expected });

describe("duplicate-pins", () => {
  test("copies pins in any status as drafts to other boards with the same image", async () => {
    const creator = await setup.insertCreator();
    const boardIds = [...(await otherBoards(creator))];
    const published = await setup.scheduled(creator, {
      title: "Published",
      altText: "Seen.",
      link: "https://example.com/p",
    });
    await setup.drive(published);
    const draft = await setup.draft(creator, { title: "Draft" });
    await creator.ctx.db
      .update(pins)
      .set({ baseImageKey: "pins/base.jpg", review: "approved" })
      .where(eq(pins.id, draft));
    const { ids } = await duplicatePins(creator.ctx, { pinIds: [published.pinId, draft], boardIds });
    const copies = await Promise.all(ids.map(setup.pin));
    expect(copies.map(({ title, boardId }) => [title, boardId])).toEqual([
      ["Published", boardIds[0]],
      ["Published", boardIds[1]],
      ["Draft", boardIds[0]],
      ["Draft", boardIds[1]],
    ]);
    const original = await setup.pin(published.pinId);
    expect(copies[0]).toMatchObject({
      status: "draft",
      source: "ai",
      altText: "Seen.",
      link: "https://example.com/p",
      imageKey: original.imageKey,
      scheduledAt: null,
      publishedAt: null,
      pinterestPinId: null,
      scheduleGeneration: 0,
    });
    expect(copies[2]).toMatchObject({ baseImageKey: "pins/base.jpg", review: null });
    expect(original.status).toBe("published");
    const [copy] = ids;
    if (!copy) throw new Error("Four were made.");
    await setup.schedule(creator, [copy]);
    expect(await setup.drive({ pinId: copy, scheduleGeneration: 1 })).toMatchObject({ result: "published" });
    expect((await setup.publicPins(creator)).map(({ board_id }) => board_id).toSorted()).toEqual(
      [creator.boardId, boardIds[0]].toSorted(),
    );
  });

  test("R-API-31 rejects missing, deleted or other users' pins, boards of other accounts, and disconnected accounts", async () => {
    const [creator, stranger] = [await setup.insertCreator(), await setup.insertCreator()];
    const draft = await setup.draft(creator);
    const [boardId] = await otherBoards(creator);
    const count = () => creator.ctx.db.$count(pins, eq(pins.userId, creator.userId));
    const { not_found } = await incompatiblePins(creator, stranger);
    const before = await count();
    for (const id of not_found) {
      await expect(duplicatePins(creator.ctx, { pinIds: [draft, id], boardIds: [boardId] })).rejects.toEqual(
        code("not_found"),
      );
      await expect(duplicatePins(creator.ctx, { pinIds: [id], boardIds: [boardId] })).rejects.toEqual(
        code("not_found"),
      );
    }
    const foreign = { pinIds: [draft], boardIds: [boardId, stranger.boardId] };
    await expect(duplicatePins(creator.ctx, foreign)).rejects.toMatchObject({ message: TEXTS.boardForeign });
    expect(await count()).toBe(before);
  });

  test("R-BULK-05 returns the same copies for a repeated key, also concurrently", async () => {
    const creator = await setup.insertCreator();
    const pinIds = [await setup.draft(creator), await setup.draft(creator)];
    const boardIds = [...(await otherBoards(creator))];
    const input = { pinIds, boardIds, idempotencyKey: "one-press" };
    const [first, second] = await Promise.all([duplicatePins(creator.ctx, input), duplicatePins(creator.ctx, input)]);
    expect(second).toEqual(first);
    expect(await duplicatePins(creator.ctx, input)).toEqual(first);
    const count = () => creator.ctx.db.$count(pins, eq(pins.userId, creator.userId));
    expect(await count()).toBe(2 + 4);
    const other = { ...input, boardIds: boardIds.slice(1) };
    await expect(duplicatePins(creator.ctx, other)).rejects.toMatchObject({
      code: "wrong_state",
      message: TEXTS.keyUsed,
    });
    await duplicatePins(creator.ctx, { ...input, idempotencyKey: "another-press" });
    expect(await count()).toBe(2 + 4 + 4);
    for (const idempotencyKey of ["", "x".repeat(101), "a b", 7]) {
      expect(duplicatePinsInput.safeParse({ ...input, idempotencyKey }).success).toBe(false);
    }
  });

  test("allows up to 200 copies, each pin and board once", () => {
    const ids = (count: number, start = 1) => Array.from({ length: count }, (_, n) => String(start + n));
    const isAccepted = (pinIds: unknown, boardIds: unknown) =>
      duplicatePinsInput.safeParse({ pinIds, boardIds }).success;
    expect(isAccepted(ids(20), ids(10))).toBe(true);
    expect(20 * 10).toBe(COPIES_MAX);
    expect(isAccepted(ids(201), ids(1))).toBe(false);
    expect(isAccepted(ids(21), ids(10))).toBe(false);
    expect(isAccepted(["1", "1"], ids(1))).toBe(false);
    expect(isAccepted(ids(1), ["1", "1"])).toBe(false);
    expect(isAccepted(ids(1), [])).toBe(false);
    expect(isAccepted([], ids(1))).toBe(false);
    expect(isAccepted(ids(1), ["one"])).toBe(false);
  });
});
