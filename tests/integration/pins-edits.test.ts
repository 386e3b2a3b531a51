import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { linkChecks } from "#db/schema/links.ts";
import { pins } from "#db/schema/pins.ts";
import type { PinId } from "#lib/core/ids.ts";
import { withAccessToken } from "#lib/features/accounts/access-tokens.ts";
import { createSection, listBoards, listSections } from "#lib/features/accounts/accounts.ts";
import { TEXTS } from "#lib/features/pins/constants.ts";
import { deleteDrafts } from "#lib/features/pins/drafts.ts";
import { editDraft, editDrafts, previewEdits, undoEdits } from "#lib/features/pins/edits.ts";
import { recordReview } from "#lib/features/pins/review.ts";
import { undoEditsInput } from "#lib/features/pins/schema.ts";
import { pinFixtures } from "./pins-harness.ts";
import { CREATE, type Creator, publishingSetup } from "./publishing-harness.ts";

const setup = publishingSetup();
const { incompatiblePins, otherBoards } = pinFixtures(setup);

const code = (expected: string) => expect.objectContaining({ code: expected });

const textsOf = async (ids: readonly string[]) =>
  Promise.all(
    ids.map(async (id) => {
      const [row] = await setup.job().db.select().from(pins).where(eq(pins.id, id));
      return row && { boardId: row.boardId, link: row.link, description: row.description };
    }),
  );

/** A draft that was unscheduled while its outcome was unknown. */
const unclearDraft = async (creator: Creator) => {
  const pinId = await setup.draft(creator);
  await creator.ctx.db.update(pins).set({ mayBePublished: true }).where(eq(pins.id, pinId));
  return pinId;
};

/** Creates a section of the creator's board. */
const insertSection = async ({ ctx, account, boardId }: Creator, name = "Fall"): Promise<string> =>
  (await createSection(ctx, { accountId: account.id, boardId, name })).id;

const placeOf = async (id: PinId) => {
  const { boardId, boardSectionId } = await setup.pin(id);
  return { boardId, boardSectionId };
};

describe("board sections", () => {
  test("one request or two create one section; the list has it at once", async () => {
    const creator = await setup.insertCreator();
    const { ctx, account, boardId } = creator;
    expect(await listSections(ctx, { accountId: account.id, boardId })).toEqual([]);
    const id = await insertSection(creator);
    expect(await insertSection(creator, "fall")).toBe(id);
    expect(await listSections(ctx, { accountId: account.id, boardId })).toEqual([{ id, name: "Fall" }]);
    const stranger = await setup.insertCreator();
    await expect(listSections(stranger.ctx, { accountId: account.id, boardId })).rejects.toEqual(code("not_found"));
  });

  test("pins move into a section and out with their board; undo puts them back", async () => {
    const creator = await setup.insertCreator();
    const { ctx, boardId } = creator;
    const [otherId = ""] = await otherBoards(creator);
    const boardSectionId = await insertSection(creator);
    const pinId = await setup.draft(creator);
    const change = { boardId, boardSectionId };
    const { edits } = await previewEdits(ctx, { pinIds: [pinId], change });
    expect(edits).toMatchObject([{ changes: [{ field: "section", before: "", after: boardSectionId }] }]);
    const { undo } = await editDrafts(ctx, { pinIds: [pinId], change });
    expect(await placeOf(pinId)).toEqual(change);
    await undoEdits(ctx, undoEditsInput.parse(undo));
    expect(await placeOf(pinId)).toEqual({ boardId, boardSectionId: null });

    expect(await editDraft(ctx, { pinId, ...change })).toMatchObject({ board_section_id: boardSectionId });
    expect(await editDraft(ctx, { pinId, title: "Moss" })).toMatchObject({ board_section_id: boardSectionId });
    const away = await editDrafts(ctx, { pinIds: [pinId], change: { boardId: otherId } });
    expect(await placeOf(pinId)).toEqual({ boardId: otherId, boardSectionId: null });
    await undoEdits(ctx, undoEditsInput.parse(away.undo));
    expect(await placeOf(pinId)).toEqual(change);
  });

  test("another board's section is refused by name of its field, and nothing changes", async () => {
    const creator = await setup.insertCreator();
    const [boardId = ""] = await otherBoards(creator);
    const boardSectionId = await insertSection(creator);
    const pinId = await setup.draft(creator);
    const before = await placeOf(pinId);
    const change = { boardId, boardSectionId };
    const refusal = { code: "invalid", fields: { boardSectionId: [TEXTS.sectionForeign] } };
    await expect(editDraft(creator.ctx, { pinId, ...change })).rejects.toMatchObject(refusal);
    await expect(editDrafts(creator.ctx, { pinIds: [pinId], change })).rejects.toMatchObject(refusal);
    expect(await placeOf(pinId)).toEqual(before);
  });
});

describe("edit-drafts", () => {
  test("R-BULK-05 changes board, link and description as previewed, and undoes all of it", async () => {
    const creator = await setup.insertCreator();
    const [boardId] = await otherBoards(creator);
    const first = await setup.draft(creator, { link: "https://example.com/a?x=1#top", description: "One." });
    const second = await setup.draft(creator, { link: null, description: "" });
    const input = {
      pinIds: [second, first],
      change: { boardId, utm: { source: "pinterest", campaign: "{keyword}" }, descriptionSuffix: "#green" },
    };
    const before = await textsOf([first, second]);
    const { edits } = await previewEdits(creator.ctx, input);
    const tagged = "https://example.com/a?x=1&utm_source=pinterest&utm_campaign=green-sheets#top";
    expect(edits).toMatchObject([
      {
        id: second,
        problem: null,
        changes: [
          { field: "board", before: creator.boardId, after: boardId },
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

    const { edited, undo } = await editDrafts(creator.ctx, input);
    expect(edited).toBe(2);
    expect(await textsOf([first, second])).toEqual([
      { boardId, link: tagged, description: "One. #green" },
      { boardId, link: null, description: "#green" },
    ]);
    expect(await creator.ctx.db.$count(linkChecks, eq(linkChecks.url, tagged))).toBe(1);
    // Text that is already there is not a change and needs no undo.
    expect(await editDrafts(creator.ctx, input)).toEqual({ edited: 0, undo: null });
    await undoEdits(creator.ctx, undoEditsInput.parse(undo));
    expect(await textsOf([first, second])).toEqual(before);
  });

  test("R-API-31 rejects the whole change for missing, deleted, scheduled, published or other users' pins", async () => {
    const [creator, stranger] = [await setup.insertCreator(), await setup.insertCreator()];
    const draft = await setup.draft(creator);
    const before = await textsOf([draft]);
    const change = { link: null };
    for (const [expected, ids] of Object.entries(await incompatiblePins(creator, stranger))) {
      for (const id of ids) {
        const input = { pinIds: [draft, id], change };
        await expect(editDrafts(creator.ctx, input)).rejects.toEqual(code(expected));
        await expect(previewEdits(creator.ctx, input)).rejects.toEqual(code(expected));
        const edits = [draft, id].map((pinId) => ({ pinId, link: null }));
        const editedAt = (await setup.pin(draft)).updatedAt.toISOString();
        await expect(undoEdits(creator.ctx, { editedAt, edits })).rejects.toEqual(code(expected));
      }
    }
    expect(await textsOf([draft])).toEqual(before);
  });

  test("rejects another account's board, and one board for pins of two accounts", async () => {
    const [creator, stranger] = [await setup.insertCreator(), await setup.insertCreator()];
    const [mine, theirs] = [await setup.draft(creator), await setup.draft(stranger)];
    const foreign = { pinIds: [mine], change: { boardId: stranger.boardId } };
    await expect(editDrafts(creator.ctx, foreign)).rejects.toMatchObject({
      code: "invalid",
      message: TEXTS.boardForeign,
    });
    await expect(editDraft(creator.ctx, { pinId: mine, boardId: stranger.boardId })).rejects.toEqual(code("invalid"));
    // Simulates a user who connected both accounts.
    await creator.ctx.db
      .update(pins)
      .set({ accountId: stranger.account.id, userId: creator.userId })
      .where(eq(pins.id, theirs));
    const [boardId] = await otherBoards(creator);
    const both = { pinIds: [mine, theirs], change: { boardId } };
    await expect(editDrafts(creator.ctx, both)).rejects.toMatchObject({ message: TEXTS.accountsDiffer });
    expect((await setup.pin(mine)).boardId).toBe(creator.boardId);
  });

  test("accepts a board and a section that another process created within the last minute", async () => {
    const { ctx, account, boardId: ownBoard, ...creator } = await setup.insertCreator();
    const pinId = await setup.draft({ ctx, account, boardId: ownBoard, ...creator });
    const accountId = account.id;
    await listBoards(ctx, { accountId });
    const board = await withAccessToken(ctx, accountId, (token) => ctx.pinterest.createBoard(token, { name: "Late" }));
    if (board.kind !== "ok") throw new Error("The board was not created.");
    const boardId = board.value.id;
    await editDrafts(ctx, { pinIds: [pinId], change: { boardId } });
    await listSections(ctx, { accountId, boardId });
    const section = await withAccessToken(ctx, accountId, (token) =>
      ctx.pinterest.createBoardSection(token, { boardId, name: "Late" }),
    );
    if (section.kind !== "ok") throw new Error("The section was not created.");
    await editDrafts(ctx, { pinIds: [pinId], change: { boardId, boardSectionId: section.value.id } });
    expect(await placeOf(pinId)).toEqual({ boardId, boardSectionId: section.value.id });
  });

  test("R-BULK-04 undo cannot set another account's board", async () => {
    const [creator, stranger] = [await setup.insertCreator(), await setup.insertCreator()];
    const [pinId, other] = [await setup.draft(creator), await setup.draft(creator)];
    for (const boardId of [stranger.boardId, "9"]) {
      const { updatedAt } = await setup.pin(pinId);
      const undo = { editedAt: updatedAt.toISOString(), edits: [{ pinId, boardId }] };
      await expect(undoEdits(creator.ctx, undo)).rejects.toMatchObject({
        code: "invalid",
        message: TEXTS.boardForeign,
      });
    }
    expect((await setup.pin(pinId)).boardId).toBe(creator.boardId);
    // Simulates a user who connected both accounts.
    const { updatedAt } = await setup.pin(pinId);
    await creator.ctx.db.update(pins).set({ accountId: stranger.account.id, updatedAt }).where(eq(pins.id, other));
    const edits = [pinId, other].map((id) => ({ pinId: id, boardId: creator.boardId }));
    const both = { editedAt: updatedAt.toISOString(), edits };
    await expect(undoEdits(creator.ctx, both)).rejects.toMatchObject({ message: TEXTS.accountsDiffer });
  });

  test("clears the review of a changed pin and keeps it for unchanged ones", async () => {
    const creator = await setup.insertCreator();
    const [plain, same] = [await setup.draft(creator, { link: null }), await setup.draft(creator)];
    for (const pinId of [plain, same]) await recordReview(creator.ctx, { pinId, review: "approved" });
    const { link } = await setup.pin(same);
    await editDraft(creator.ctx, { pinId: plain, title: "Written by itself" });
    expect((await setup.pin(plain)).review).toBe("approved");
    await editDrafts(creator.ctx, { pinIds: [plain, same], change: { link } });
    expect(await setup.pin(plain)).toMatchObject({ review: null, reviewedAt: null });
    expect((await setup.pin(same)).review).toBe("approved");
  });

  test("R-SRV-03 does not change a pin that may be on Pinterest; previews and rejects texts that are too long", async () => {
    const creator = await setup.insertCreator();
    const good = await setup.draft(creator);
    const unclear = await unclearDraft(creator);
    const full = await setup.draft(creator, { title: "Full", description: "d".repeat(799) });
    const change = { descriptionSuffix: "#green" };
    const { edits } = await previewEdits(creator.ctx, { pinIds: [good, unclear, full], change });
    expect(edits.map(({ problem }) => problem)).toEqual([null, TEXTS.mayBePublished, TEXTS.suffixTooLong]);
    const refusal = (pinIds: string[]) => editDrafts(creator.ctx, { pinIds, change });
    await expect(refusal([good, unclear])).rejects.toEqual(code("wrong_state"));
    await expect(refusal([good, full])).rejects.toMatchObject({
      code: "invalid",
      message: `Full: ${TEXTS.suffixTooLong}`,
    });
    expect((await setup.pin(good)).description).not.toContain("#green");
  });

  test("undoes nothing when a pin was changed, scheduled or deleted since", async () => {
    const creator = await setup.insertCreator();
    const since = [
      (pinId: string) => editDraft(creator.ctx, { pinId, description: "Later." }),
      (pinId: string) => setup.schedule(creator, [pinId as Parameters<typeof setup.pin>[0]]),
      (pinId: string) => deleteDrafts(creator.ctx, { pinIds: [pinId] }),
    ];
    for (const happens of since) {
      const pinIds = [await setup.draft(creator), await setup.draft(creator)] as const;
      const { undo } = await editDrafts(creator.ctx, { pinIds: [...pinIds], change: { link: null } });
      if (!undo) throw new Error("They had links.");
      await setup.moveClock(5);
      await happens(pinIds[1]);
      await expect(undoEdits(creator.ctx, undo)).rejects.toMatchObject({
        code: expect.stringMatching(/wrong_state|not_found/),
      });
      expect((await setup.pin(pinIds[0])).link).toBeNull();
    }
  });

  test("when changed and scheduled at the same time, publishes a consistent state", async () => {
    const creator = await setup.insertCreator();
    const pinIds = [await setup.draft(creator), await setup.draft(creator)];
    const change = { descriptionSuffix: "#green" };
    const [edited, scheduled] = await Promise.allSettled([
      editDrafts(creator.ctx, { pinIds, change }),
      setup.schedule(creator, pinIds.toReversed()),
    ]);
    expect(scheduled.status).toBe("fulfilled");
    const ends = (await textsOf(pinIds)).map((texts) => texts?.description.endsWith("#green"));
    expect(ends).toEqual([edited.status === "fulfilled", edited.status === "fulfilled"]);
  });

  test("changes 500 pins in one statement", async () => {
    const creator = await setup.insertCreator();
    const first = await setup.pin(await setup.draft(creator));
    const copies = Array.from({ length: 499 }, () => ({ ...first, id: creator.ctx.newId("pin") }));
    await creator.ctx.db.insert(pins).values(copies);
    const pinIds = [first.id, ...copies.map(({ id }) => id)];
    const change = { descriptionSuffix: '🎉 \\ "', altText: "A bed." };
    const { undo } = await editDrafts(creator.ctx, { pinIds, change });
    expect(undo?.edits).toHaveLength(500);
    const edited = { description: `${first.description} 🎉 \\ "`, altText: "A bed." };
    expect(await setup.pin(first.id)).toMatchObject(edited);
    await undoEdits(creator.ctx, undoEditsInput.parse(undo));
    const { description, altText } = first;
    expect(await setup.pin(first.id)).toMatchObject({ description, altText });
  });
});

test("changes a failed pin with others and keeps its status", async () => {
  const creator = await setup.insertCreator();
  const [failed, draft] = [await setup.scheduled(creator), await setup.draft(creator)];
  await setup.pinterest.addFault({
    match: CREATE,
    scenario: "link-invalid",
    where: { account: creator.account.username },
  });
  await setup.drive(failed);
  await editDrafts(creator.ctx, { pinIds: [failed.pinId, draft], change: { link: "https://example.com/new" } });
  expect(await setup.pin(failed.pinId)).toMatchObject({ status: "failed", link: "https://example.com/new" });
});
