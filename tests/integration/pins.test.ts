import { describe, expect, test } from "vitest";
import type { PinId } from "#lib/core/ids.ts";
import { HOUR_MS, SECOND_MS } from "#lib/core/time.ts";
import { deleteDrafts } from "#lib/features/pins/drafts.ts";
import { editDraft } from "#lib/features/pins/edits.ts";
import { listPins, readPin } from "#lib/features/pins/library.ts";
import { listPinsInput } from "#lib/features/pins/schema.ts";
import { toNextLink, toPinsWire } from "#lib/features/pins/serializers.ts";
import { removeAccount } from "#lib/features/publishing/queue.ts";
import { readUrl } from "#tests/support/own-images.ts";
import { CREATE, type Creator, publishingSetup } from "./publishing-harness.ts";

const setup = publishingSetup();

const code = (expected: string) => expect.objectContaining({ code: expected });

const list = async (creator: Creator, query: Record<string, string> = {}) =>
  listPins(creator.ctx, listPinsInput.parse({ accountId: creator.account.id, ...query }));

const idsOf = (page: { pins: { id: PinId }[] }) => page.pins.map(({ id }) => id);

/** Drafts a second apart, oldest first. */
const draftsApart = async (creator: Creator, count: number): Promise<PinId[]> => {
  const ids: PinId[] = [];
  for (let made = 0; made < count; made += 1) {
    ids.push(await setup.draft(creator));
    await setup.moveClock(1_000);
  }
  return ids;
};

describe("list-posts", () => {
  test("R-POST-03 R-POST-11 lists an account's pins newest first, all or by status", async () => {
    const creator = await setup.insertCreator();
    const draft = await setup.draft(creator);
    await setup.moveClock(1_000);
    const waiting = await setup.scheduled(creator);
    await setup.moveClock(1_000);
    const published = await setup.scheduled(creator);
    await setup.drive(published);
    await setup.moveClock(1_000);
    const failed = await setup.scheduled(creator);
    await setup.pinterest.addFault({
      match: CREATE,
      scenario: "board-gone",
      where: { account: creator.account.username },
    });
    await setup.drive(failed);
    expect(idsOf(await list(creator))).toEqual([failed.pinId, published.pinId, waiting.pinId, draft]);
    expect(idsOf(await list(creator, { status: "draft" }))).toEqual([draft]);
    expect(idsOf(await list(creator, { status: "scheduled" }))).toEqual([waiting.pinId]);
    expect(idsOf(await list(creator, { status: "published" }))).toEqual([published.pinId]);
    expect(idsOf(await list(creator, { status: "failed" }))).toEqual([failed.pinId]);
  });

  test("R-ENT-10 returns a draft and a published pin in wire form", async () => {
    const creator = await setup.insertCreator();
    const pinId = await setup.draft(creator, { title: "Fig cake", keyword: "fig cake", link: null });
    const draft = toPinsWire(await list(creator), creator.ctx).posts[0];
    expect(draft).toMatchObject({
      id: pinId,
      title: "Fig cake",
      image_url: expect.stringMatching(/^\/api\/images\/signed\/\d+\/[\w-]{22}\/pins\/test\.jpg$/),
      keyword: "fig cake",
      url: null,
      status: "draft",
      scheduled_at: null,
      published_at: null,
      pinterest_url: null,
      board_id: creator.boardId,
      reason: null,
      may_be_published: false,
      check_url: null,
      source: "ai",
      placeholder: null,
      review: null,
      template_id: null,
      link_state: null,
      link_warning: null,
      link_checking: false,
      from_page: false,
    });
    expect(draft?.created_at).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    await setup.schedule(creator, [pinId]);
    await setup.drive({ pinId, scheduleGeneration: 1 });
    const [there] = await setup.publicPins(creator);
    const published = toPinsWire(await list(creator), creator.ctx).posts[0];
    expect(published).toMatchObject({
      status: "published",
      pinterest_url: `${setup.pinterest.url}/pin/${there?.id}/`,
      published_at: expect.stringMatching(/Z$/),
    });
  });

  test("pages contain every pin once, with a Link header except on the last", async () => {
    const creator = await setup.insertCreator();
    const ids = (await draftsApart(creator, 5)).reverse();
    const address = `http://localhost/api/users/pinterest/generated-pins/${creator.account.id}/?status=draft&limit=2`;
    const seen: PinId[] = [];
    let query: Record<string, string> = { limit: "2" };
    for (let page = 0; page < 3; page += 1) {
      const found = await list(creator, query);
      seen.push(...idsOf(found));
      const { link } = toNextLink(found, new Request(address));
      const cursor = /[?&]cursor=([^&>]+)>; rel="next"$/.exec(link ?? "")?.[1];
      expect(cursor === undefined).toBe(page === 2);
      query = { limit: "2", ...(cursor !== undefined && { cursor: decodeURIComponent(cursor) }) };
    }
    expect(seen).toEqual(ids);
    await expect(list(creator, { cursor: "not ours" })).rejects.toEqual(code("invalid"));
  });

  test("R-API-31 R-ROLE-04 returns the same error for another user's, a missing and a removed account", async () => {
    const [creator, stranger] = [await setup.insertCreator(), await setup.insertCreator()];
    await setup.draft(creator);
    const read = (accountId: string, query = {}) =>
      listPins(stranger.ctx, listPinsInput.parse({ accountId, ...query }));
    await expect(read(creator.account.id)).rejects.toEqual(code("not_found"));
    await expect(read(creator.account.id, { cursor: "not ours" })).rejects.toEqual(code("not_found"));
    await expect(read("acc_00000000000000000000000000")).rejects.toEqual(code("not_found"));
    await expect(read("' or 1=1 --")).rejects.toEqual(code("not_found"));
    await removeAccount(creator.ctx, { accountId: creator.account.id });
    await expect(list(creator)).rejects.toEqual(code("not_found"));
  });
});

describe("a draft", () => {
  test("can be edited; absent fields stay unchanged", async () => {
    const creator = await setup.insertCreator();
    const pinId = await setup.draft(creator, { description: "Old words" });
    const boards = await setup.pinterest.boardsOf(creator.account.username);
    const boardId = boards.map(({ id }) => id).find((id) => id !== creator.boardId);
    expect(await editDraft(creator.ctx, { pinId, title: "New", link: null, altText: "Bread.", boardId })).toMatchObject(
      {
        title: "New",
        description: "Old words",
        url: null,
        alt_text: "Bread.",
        board_id: boardId,
      },
    );
  });

  test("cannot be read, edited or deleted by another user", async () => {
    const [creator, stranger] = [await setup.insertCreator(), await setup.insertCreator()];
    const pinId = await setup.draft(creator);
    await expect(readPin(stranger.ctx, { pinId })).rejects.toEqual(code("not_found"));
    await expect(editDraft(stranger.ctx, { pinId, title: "Mine" })).rejects.toEqual(code("not_found"));
    await expect(deleteDrafts(stranger.ctx, { pinIds: [pinId] })).rejects.toEqual(code("not_found"));
    expect((await setup.pin(pinId)).title).not.toBe("Mine");
  });

  test("cannot be edited or deleted once scheduled or published", async () => {
    const creator = await setup.insertCreator();
    const scheduled = await setup.scheduled(creator);
    const { pinId } = scheduled;
    await expect(editDraft(creator.ctx, { pinId, title: "New" })).rejects.toEqual(code("wrong_state"));
    await expect(deleteDrafts(creator.ctx, { pinIds: [pinId] })).rejects.toEqual(code("wrong_state"));
    await setup.drive(scheduled);
    await expect(editDraft(creator.ctx, { pinId, title: "New" })).rejects.toEqual(code("wrong_state"));
    await expect(deleteDrafts(creator.ctx, { pinIds: [pinId] })).rejects.toEqual(code("wrong_state"));
  });

  test("can be edited or deleted when failed, but not when it may be published", async () => {
    const creator = await setup.insertCreator();
    const where = { account: creator.account.username };
    const [failed, unclear] = [await setup.scheduled(creator), await setup.scheduled(creator)];
    await setup.pinterest.addFault({ match: CREATE, scenario: "link-invalid", where });
    await setup.drive(failed);
    expect(await editDraft(creator.ctx, { pinId: failed.pinId, link: null })).toMatchObject({ url: null });
    await setup.pinterest.addFault({ match: CREATE, scenario: "cut", times: 2, where });
    await setup.drive(unclear);
    await expect(editDraft(creator.ctx, { pinId: unclear.pinId, title: "x" })).rejects.toEqual(code("wrong_state"));
    expect((await readPin(creator.ctx, { pinId: unclear.pinId })).post).toMatchObject({
      may_be_published: true,
      check_url: `${setup.pinterest.url}/${creator.account.username}/`,
    });
    await deleteDrafts(creator.ctx, { pinIds: [failed.pinId] });
    await expect(readPin(creator.ctx, { pinId: failed.pinId })).rejects.toEqual(code("not_found"));
  });

  test("has an attempt log, newest first", async () => {
    const creator = await setup.insertCreator();
    const scheduled = await setup.scheduled(creator);
    await setup.pinterest.addFault({
      match: CREATE,
      scenario: "server-error",
      where: { account: creator.account.username },
    });
    await setup.drive(scheduled);
    const { post, attempts } = await readPin(creator.ctx, scheduled);
    expect(attempts).toMatchObject([
      { number: 2, outcome: "created", http_status: 201, problem: null, pinterest_url: post.pinterest_url },
      {
        number: 1,
        outcome: "absent",
        http_status: 500,
        looks: 2,
        problem: "Pinterest is having problems right now.",
      },
    ]);
    expect(attempts[1]?.provider_message).toContain("went wrong on our end");
  });
});

describe("the URL of an image", () => {
  test("stays the same for hours, works for at least twelve, and ends within a day", async () => {
    const creator = await setup.insertCreator();
    const imageKey = "pins/a-draft-of-ferns.jpg";
    await creator.ctx.storage.put(imageKey, new Uint8Array([1, 2, 3]));
    await setup.draft(creator, { imageKey });
    const urlNow = async () => toPinsWire(await list(creator), creator.ctx).posts[0]?.image_url ?? "";
    const first = await urlNow();
    const urls = new Set([first]);
    for (let hour = 1; hour <= 12; hour += 1) {
      await setup.moveClock(HOUR_MS - SECOND_MS);
      urls.add(await urlNow());
      expect((await readUrl(creator.ctx, first)).caching).toMatch(/^private, max-age=\d+, immutable$/);
    }
    expect(urls.size).toBe(2);
    await setup.moveClock(12 * HOUR_MS + 12 * SECOND_MS);
    await expect(readUrl(creator.ctx, first)).rejects.toMatchObject({ code: "not_found" });
    expect((await readUrl(creator.ctx, await urlNow())).bytes).toEqual(new Uint8Array([1, 2, 3]));
  });
});
