import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { linkChecks } from "#db/schema/links.ts";
import { pins } from "#db/schema/pins.ts";
import { TEXTS } from "#lib/features/pins/constants.ts";
import { deleteDrafts } from "#lib/features/pins/drafts.ts";
import { editDraft, editDrafts, previewEdits, undoEdits } from "#lib/features/pins/edits.ts";
import { recordReview } from "#lib/features/pins/review.ts";
import { undoEditsInput } from "#lib/features/pins/schema.ts";
import { companyOf } from "./pins-company.ts";
import { CREATE, type Maker, publishingWorld } from "./publishing-house.ts";

const world = publishingWorld();
const { badCompany, otherBoards } = companyOf(world);

const code = (expected: string) => expect.objectContaining({ code: expected });

const textsOf = async (ids: readonly string[]) =>
  Promise.all(
    ids.map(async (id) => {
      const [row] = await world.job().db.select().from(pins).where(eq(pins.id, id));
      return row && { boardId: row.boardId, link: row.link, description: row.description };
    }),
  );

/** A draft that was taken off its schedule before its outcome was known. */
const unclearDraft = async (maker: Maker) => {
  const pinId = await world.draft(maker);
  await maker.ctx.db.update(pins).set({ mayBePublished: true }).where(eq(pins.id, pinId));
  return pinId;
};

describe("edit-drafts", () => {
  test("R-BULK-05 changes board, link and description of several as the preview said, and all of it back", async () => {
    const maker = await world.makeMaker();
    const [boardId] = await otherBoards(maker);
    const first = await world.draft(maker, { link: "https://example.com/a?x=1#top", description: "One." });
    const second = await world.draft(maker, { link: null, description: "" });
    const input = {
      pinIds: [second, first],
      change: { boardId, utm: { source: "pinterest", campaign: "{keyword}" }, descriptionSuffix: "#green" },
    };
    const before = await textsOf([first, second]);
    const { edits } = await previewEdits(maker.ctx, input);
    const tagged = "https://example.com/a?x=1&utm_source=pinterest&utm_campaign=green-sheets#top";
    expect(edits).toMatchObject([
      {
        id: second,
        problem: null,
        changes: [
          { field: "board", before: maker.boardId, after: boardId },
          { field: "description", before: "", after: "#green" },
        ],
      },
      {
        id: first,
        problem: null,
        changes: [
          { field: "board" },
          { field: "link", before: "https://example.com/a?x=1#top", after: tagged },
          { field: "description", before: "One.", after: "One. #green" },
        ],
      },
    ]);
    expect(await textsOf([first, second])).toEqual(before);

    const { edited, undo } = await editDrafts(maker.ctx, input);
    expect(edited).toBe(2);
    expect(await textsOf([first, second])).toEqual([
      { boardId, link: tagged, description: "One. #green" },
      { boardId, link: null, description: "#green" },
    ]);
    expect(await maker.ctx.db.$count(linkChecks, eq(linkChecks.url, tagged))).toBe(1);
    // What is there already is no change, and needs no undoing.
    expect(await editDrafts(maker.ctx, input)).toEqual({ edited: 0, undo: null });
    await undoEdits(maker.ctx, undoEditsInput.parse(undo));
    expect(await textsOf([first, second])).toEqual(before);
  });

  test("R-API-31 all or none: foreign, absent, deleted, scheduled and published pins refuse the whole change", async () => {
    const [maker, stranger] = [await world.makeMaker(), await world.makeMaker()];
    const draft = await world.draft(maker);
    const before = await textsOf([draft]);
    const change = { link: null };
    for (const [expected, ids] of Object.entries(await badCompany(maker, stranger))) {
      for (const id of ids) {
        const input = { pinIds: [draft, id], change };
        await expect(editDrafts(maker.ctx, input)).rejects.toEqual(code(expected));
        await expect(previewEdits(maker.ctx, input)).rejects.toEqual(code(expected));
        const edits = [draft, id].map((pinId) => ({ pinId, link: null }));
        const editedAt = (await world.pin(draft)).updatedAt.toISOString();
        await expect(undoEdits(maker.ctx, { editedAt, edits })).rejects.toEqual(code(expected));
      }
    }
    expect(await textsOf([draft])).toEqual(before);
  });

  test("a board of somebody else, and one board for pins of two accounts, are refused", async () => {
    const [maker, stranger] = [await world.makeMaker(), await world.makeMaker()];
    const [mine, theirs] = [await world.draft(maker), await world.draft(stranger)];
    const foreign = { pinIds: [mine], change: { boardId: stranger.boardId } };
    await expect(editDrafts(maker.ctx, foreign)).rejects.toMatchObject({
      code: "invalid",
      message: TEXTS.boardForeign,
    });
    await expect(editDraft(maker.ctx, { pinId: mine, boardId: stranger.boardId })).rejects.toEqual(code("invalid"));
    // As if the user had connected both.
    await maker.ctx.db
      .update(pins)
      .set({ accountId: stranger.account.id, userId: maker.userId })
      .where(eq(pins.id, theirs));
    const [boardId] = await otherBoards(maker);
    const both = { pinIds: [mine, theirs], change: { boardId } };
    await expect(editDrafts(maker.ctx, both)).rejects.toMatchObject({ message: TEXTS.accountsDiffer });
    expect((await world.pin(mine)).boardId).toBe(maker.boardId);
  });

  test("R-BULK-04 undoing is no other way to a board of somebody else's", async () => {
    const [maker, stranger] = [await world.makeMaker(), await world.makeMaker()];
    const [pinId, other] = [await world.draft(maker), await world.draft(maker)];
    for (const boardId of [stranger.boardId, "9"]) {
      const { updatedAt } = await world.pin(pinId);
      const undo = { editedAt: updatedAt.toISOString(), edits: [{ pinId, boardId }] };
      await expect(undoEdits(maker.ctx, undo)).rejects.toMatchObject({ code: "invalid", message: TEXTS.boardForeign });
    }
    expect((await world.pin(pinId)).boardId).toBe(maker.boardId);
    // As if the user had connected both.
    const { updatedAt } = await world.pin(pinId);
    await maker.ctx.db.update(pins).set({ accountId: stranger.account.id, updatedAt }).where(eq(pins.id, other));
    const edits = [pinId, other].map((id) => ({ pinId: id, boardId: maker.boardId }));
    const both = { editedAt: updatedAt.toISOString(), edits };
    await expect(undoEdits(maker.ctx, both)).rejects.toMatchObject({ message: TEXTS.accountsDiffer });
  });

  test("D9 what was said in a review counts no more for one that is changed with others, and stays for one left alone", async () => {
    const maker = await world.makeMaker();
    const [plain, same] = [await world.draft(maker, { link: null }), await world.draft(maker)];
    for (const pinId of [plain, same]) await recordReview(maker.ctx, { pinId, review: "approved" });
    const { link } = await world.pin(same);
    await editDraft(maker.ctx, { pinId: plain, title: "Written by itself" });
    expect((await world.pin(plain)).review).toBe("approved");
    await editDrafts(maker.ctx, { pinIds: [plain, same], change: { link } });
    expect(await world.pin(plain)).toMatchObject({ review: null, reviewedAt: null });
    expect((await world.pin(same)).review).toBe("approved");
  });

  test("R-SRV-03 one that may be on Pinterest stays as it was sent; a text too long is told before, and refuses all", async () => {
    const maker = await world.makeMaker();
    const good = await world.draft(maker);
    const unclear = await unclearDraft(maker);
    const full = await world.draft(maker, { title: "Full", description: "d".repeat(799) });
    const change = { descriptionSuffix: "#green" };
    const { edits } = await previewEdits(maker.ctx, { pinIds: [good, unclear, full], change });
    expect(edits.map(({ problem }) => problem)).toEqual([null, TEXTS.mayBePublished, TEXTS.suffixTooLong]);
    const refusal = (pinIds: string[]) => editDrafts(maker.ctx, { pinIds, change });
    await expect(refusal([good, unclear])).rejects.toEqual(code("wrong_state"));
    await expect(refusal([good, full])).rejects.toMatchObject({
      code: "invalid",
      message: `Full: ${TEXTS.suffixTooLong}`,
    });
    expect((await world.pin(good)).description).not.toContain("#green");
  });

  test("undoing leaves alone what was changed, scheduled or deleted since, and then all of it", async () => {
    const maker = await world.makeMaker();
    const since = [
      (pinId: string) => editDraft(maker.ctx, { pinId, description: "Later." }),
      (pinId: string) => world.schedule(maker, [pinId as Parameters<typeof world.pin>[0]]),
      (pinId: string) => deleteDrafts(maker.ctx, { pinIds: [pinId] }),
    ];
    for (const happens of since) {
      const pinIds = [await world.draft(maker), await world.draft(maker)] as const;
      const { undo } = await editDrafts(maker.ctx, { pinIds: [...pinIds], change: { link: null } });
      if (!undo) throw new Error("They had links.");
      await world.moveClock(5);
      await happens(pinIds[1]);
      await expect(undoEdits(maker.ctx, undo)).rejects.toMatchObject({
        code: expect.stringMatching(/wrong_state|not_found/),
      });
      expect((await world.pin(pinIds[0])).link).toBeNull();
    }
  });

  test("changed and scheduled at the same time: what goes out is what was written, and nothing is half done", async () => {
    const maker = await world.makeMaker();
    const pinIds = [await world.draft(maker), await world.draft(maker)];
    const change = { descriptionSuffix: "#green" };
    const [edited, scheduled] = await Promise.allSettled([
      editDrafts(maker.ctx, { pinIds, change }),
      world.schedule(maker, pinIds.toReversed()),
    ]);
    expect(scheduled.status).toBe("fulfilled");
    const ends = (await textsOf(pinIds)).map((texts) => texts?.description.endsWith("#green"));
    expect(ends).toEqual([edited.status === "fulfilled", edited.status === "fulfilled"]);
  });

  test("500 pins in one statement", async () => {
    const maker = await world.makeMaker();
    const first = await world.pin(await world.draft(maker));
    const copies = Array.from({ length: 499 }, () => ({ ...first, id: maker.ctx.newId("pin") }));
    await maker.ctx.db.insert(pins).values(copies);
    const pinIds = [first.id, ...copies.map(({ id }) => id)];
    const { undo } = await editDrafts(maker.ctx, { pinIds, change: { descriptionSuffix: '🎉 \\ "' } });
    expect(undo?.edits).toHaveLength(500);
    expect((await world.pin(first.id)).description).toBe(`${first.description} 🎉 \\ "`);
    await undoEdits(maker.ctx, undoEditsInput.parse(undo));
    expect((await world.pin(first.id)).description).toBe(first.description);
  });
});

test("a failed pin is changed with others, and keeps its state", async () => {
  const maker = await world.makeMaker();
  const [failed, draft] = [await world.scheduled(maker), await world.draft(maker)];
  await world.pinterest.strike({ match: CREATE, scenario: "link-invalid", where: { account: maker.account.username } });
  await world.drive(failed);
  await editDrafts(maker.ctx, { pinIds: [failed.pinId, draft], change: { link: "https://example.com/new" } });
  expect(await world.pin(failed.pinId)).toMatchObject({ status: "failed", link: "https://example.com/new" });
});
