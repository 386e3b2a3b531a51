import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { pins } from "#db/schema/pins.ts";
import { COPIES_MAX, TEXTS } from "#lib/features/pins/constants.ts";
import { duplicatePins } from "#lib/features/pins/drafts.ts";
import { duplicatePinsInput } from "#lib/features/pins/schema.ts";
import { companyOf } from "./pins-company.ts";
import { publishingWorld } from "./publishing-house.ts";

const world = publishingWorld();
const { badCompany, otherBoards } = companyOf(world);

const code = (expected: string) => expect.objectContaining({ code: expected });

describe("duplicate-pins", () => {
  test("makes drafts on other boards, of pins in any state, with the same picture; the original stays", async () => {
    const maker = await world.makeMaker();
    const boardIds = [...(await otherBoards(maker))];
    const published = await world.scheduled(maker, {
      title: "Published",
      altText: "Seen.",
      link: "https://example.com/p",
    });
    await world.drive(published);
    const draft = await world.draft(maker, { title: "Draft" });
    await maker.ctx.db
      .update(pins)
      .set({ baseImageKey: "pins/base.jpg", review: "approved" })
      .where(eq(pins.id, draft));
    const { ids } = await duplicatePins(maker.ctx, { pinIds: [published.pinId, draft], boardIds });
    const copies = await Promise.all(ids.map(world.pin));
    expect(copies.map(({ title, boardId }) => [title, boardId])).toEqual([
      ["Published", boardIds[0]],
      ["Published", boardIds[1]],
      ["Draft", boardIds[0]],
      ["Draft", boardIds[1]],
    ]);
    const original = await world.pin(published.pinId);
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
    await world.schedule(maker, [copy]);
    expect(await world.drive({ pinId: copy, scheduleGeneration: 1 })).toMatchObject({ result: "published" });
    expect((await world.publicPins(maker)).map(({ board_id }) => board_id).toSorted()).toEqual(
      [maker.boardId, boardIds[0]].toSorted(),
    );
  });

  test("R-API-31 nothing for foreign, absent or deleted pins, foreign boards, or an account to reconnect", async () => {
    const [maker, stranger] = [await world.makeMaker(), await world.makeMaker()];
    const draft = await world.draft(maker);
    const [boardId] = await otherBoards(maker);
    const count = () => maker.ctx.db.$count(pins, eq(pins.userId, maker.userId));
    const { not_found } = await badCompany(maker, stranger);
    const before = await count();
    for (const id of not_found) {
      await expect(duplicatePins(maker.ctx, { pinIds: [draft, id], boardIds: [boardId] })).rejects.toEqual(
        code("not_found"),
      );
      await expect(duplicatePins(maker.ctx, { pinIds: [id], boardIds: [boardId] })).rejects.toEqual(code("not_found"));
    }
    const foreign = { pinIds: [draft], boardIds: [boardId, stranger.boardId] };
    await expect(duplicatePins(maker.ctx, foreign)).rejects.toMatchObject({ message: TEXTS.boardForeign });
    expect(await count()).toBe(before);
  });

  test("R-BULK-05 the same copies sent again under their key are answered and not made again, also at the same time", async () => {
    const maker = await world.makeMaker();
    const pinIds = [await world.draft(maker), await world.draft(maker)];
    const boardIds = [...(await otherBoards(maker))];
    const ask = { pinIds, boardIds, idempotencyKey: "one-press" };
    const [first, second] = await Promise.all([duplicatePins(maker.ctx, ask), duplicatePins(maker.ctx, ask)]);
    expect(second).toEqual(first);
    expect(await duplicatePins(maker.ctx, ask)).toEqual(first);
    const count = () => maker.ctx.db.$count(pins, eq(pins.userId, maker.userId));
    expect(await count()).toBe(2 + 4);
    const other = { ...ask, boardIds: boardIds.slice(1) };
    await expect(duplicatePins(maker.ctx, other)).rejects.toMatchObject({
      code: "wrong_state",
      message: TEXTS.keyUsed,
    });
    await duplicatePins(maker.ctx, { ...ask, idempotencyKey: "another-press" });
    expect(await count()).toBe(2 + 4 + 4);
    for (const idempotencyKey of ["", "x".repeat(101), "a b", 7]) {
      expect(duplicatePinsInput.safeParse({ ...ask, idempotencyKey }).success).toBe(false);
    }
  });

  test("at most 200 at once, each pin and each board once", () => {
    const ids = (count: number, start = 1) => Array.from({ length: count }, (_, n) => String(start + n));
    const isTaken = (pinIds: unknown, boardIds: unknown) => duplicatePinsInput.safeParse({ pinIds, boardIds }).success;
    expect(isTaken(ids(20), ids(10))).toBe(true);
    expect(20 * 10).toBe(COPIES_MAX);
    expect(isTaken(ids(201), ids(1))).toBe(false);
    expect(isTaken(ids(21), ids(10))).toBe(false);
    expect(isTaken(["1", "1"], ids(1))).toBe(false);
    expect(isTaken(ids(1), ["1", "1"])).toBe(false);
    expect(isTaken(ids(1), [])).toBe(false);
    expect(isTaken([], ids(1))).toBe(false);
    expect(isTaken(ids(1), ["one"])).toBe(false);
  });
});
