import { describe, expect, test } from "vitest";
import type { PinId } from "#lib/core/ids.ts";
import { deleteDrafts } from "#lib/features/pins/drafts.ts";
import { editDraft } from "#lib/features/pins/edits.ts";
import { listPosts, readPost } from "#lib/features/pins/library.ts";
import { listPostsInput } from "#lib/features/pins/schema.ts";
import { toNextLink, toPosts } from "#lib/features/pins/serializers.ts";
import { removeAccount } from "#lib/features/publishing/queue.ts";
import { CREATE, type Maker, publishingWorld } from "./publishing-house.ts";

const world = publishingWorld();

const code = (expected: string) => expect.objectContaining({ code: expected });

const list = async (maker: Maker, query: Record<string, string> = {}) =>
  listPosts(maker.ctx, listPostsInput.parse({ accountId: maker.account.id, ...query }));

const idsOf = (page: { pins: { id: PinId }[] }) => page.pins.map(({ id }) => id);

/** Drafts a second apart, oldest first. */
const draftsApart = async (maker: Maker, count: number): Promise<PinId[]> => {
  const ids: PinId[] = [];
  for (let made = 0; made < count; made += 1) {
    ids.push(await world.draft(maker));
    await world.moveClock(1_000);
  }
  return ids;
};

describe("list-posts", () => {
  test("R-POST-03 R-POST-11 all of an account's pins newest first, or those in one state", async () => {
    const maker = await world.makeMaker();
    const draft = await world.draft(maker);
    await world.moveClock(1_000);
    const waiting = await world.scheduled(maker);
    await world.moveClock(1_000);
    const published = await world.scheduled(maker);
    await world.drive(published);
    await world.moveClock(1_000);
    const failed = await world.scheduled(maker);
    await world.pinterest.strike({ match: CREATE, scenario: "board-gone", where: { account: maker.account.username } });
    await world.drive(failed);
    expect(idsOf(await list(maker))).toEqual([failed.pinId, published.pinId, waiting.pinId, draft]);
    expect(idsOf(await list(maker, { status: "draft" }))).toEqual([draft]);
    expect(idsOf(await list(maker, { status: "scheduled" }))).toEqual([waiting.pinId]);
    expect(idsOf(await list(maker, { status: "published" }))).toEqual([published.pinId]);
    expect(idsOf(await list(maker, { status: "failed" }))).toEqual([failed.pinId]);
  });

  test("R-ENT-10 the wire form of a draft and of a published pin", async () => {
    const maker = await world.makeMaker();
    const pinId = await world.draft(maker, { title: "Fig cake", keyword: "fig cake", link: null });
    const draft = toPosts(await list(maker), maker.ctx).posts[0];
    expect(draft).toMatchObject({
      id: pinId,
      title: "Fig cake",
      image_url: "/api/images/pins/test.jpg",
      keyword: "fig cake",
      url: null,
      status: "draft",
      scheduled_at: null,
      published_at: null,
      pinterest_url: null,
      board_id: maker.boardId,
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
    });
    expect(draft?.created_at).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    await world.schedule(maker, [pinId]);
    await world.drive({ pinId, scheduleGeneration: 1 });
    const [there] = await world.publicPins(maker);
    const published = toPosts(await list(maker), maker.ctx).posts[0];
    expect(published).toMatchObject({
      status: "published",
      pinterest_url: `${world.pinterest.url}/pin/${there?.id}/`,
      published_at: expect.stringMatching(/Z$/),
    });
  });

  test("pages: every pin once, a Link header to the next one, none on the last", async () => {
    const maker = await world.makeMaker();
    const ids = (await draftsApart(maker, 5)).reverse();
    const address = `http://localhost/api/users/pinterest/generated-pins/${maker.account.id}/?status=draft&limit=2`;
    const seen: PinId[] = [];
    let query: Record<string, string> = { limit: "2" };
    for (let page = 0; page < 3; page += 1) {
      const found = await list(maker, query);
      seen.push(...idsOf(found));
      const { link } = toNextLink(found, new Request(address));
      const cursor = /[?&]cursor=([^&>]+)>; rel="next"$/.exec(link ?? "")?.[1];
      expect(cursor === undefined).toBe(page === 2);
      query = { limit: "2", ...(cursor !== undefined && { cursor: decodeURIComponent(cursor) }) };
    }
    expect(seen).toEqual(ids);
    await expect(list(maker, { cursor: "not ours" })).rejects.toEqual(code("invalid"));
  });

  test("R-API-31 R-ROLE-04 another user's account, an absent and a removed one look alike", async () => {
    const [maker, stranger] = [await world.makeMaker(), await world.makeMaker()];
    await world.draft(maker);
    const read = (accountId: string, query = {}) =>
      listPosts(stranger.ctx, listPostsInput.parse({ accountId, ...query }));
    await expect(read(maker.account.id)).rejects.toEqual(code("not_found"));
    await expect(read(maker.account.id, { cursor: "not ours" })).rejects.toEqual(code("not_found"));
    await expect(read("acc_00000000000000000000000000")).rejects.toEqual(code("not_found"));
    await expect(read("' or 1=1 --")).rejects.toEqual(code("not_found"));
    await removeAccount(maker.ctx, { accountId: maker.account.id });
    await expect(list(maker)).rejects.toEqual(code("not_found"));
  });
});

describe("a draft", () => {
  test("is edited; what is not named stays", async () => {
    const maker = await world.makeMaker();
    const pinId = await world.draft(maker, { description: "Old words" });
    const boards = await world.pinterest.boardsOf(maker.account.username);
    const boardId = boards.map(({ id }) => id).find((id) => id !== maker.boardId);
    expect(await editDraft(maker.ctx, { pinId, title: "New", link: null, altText: "Bread.", boardId })).toMatchObject({
      title: "New",
      description: "Old words",
      url: null,
      alt_text: "Bread.",
      board_id: boardId,
    });
  });

  test("is nobody else's: another user can neither read, edit nor delete it", async () => {
    const [maker, stranger] = [await world.makeMaker(), await world.makeMaker()];
    const pinId = await world.draft(maker);
    await expect(readPost(stranger.ctx, { pinId })).rejects.toEqual(code("not_found"));
    await expect(editDraft(stranger.ctx, { pinId, title: "Mine" })).rejects.toEqual(code("not_found"));
    await expect(deleteDrafts(stranger.ctx, { pinIds: [pinId] })).rejects.toEqual(code("not_found"));
    expect((await world.pin(pinId)).title).not.toBe("Mine");
  });

  test("once scheduled or published it is neither edited nor deleted", async () => {
    const maker = await world.makeMaker();
    const scheduled = await world.scheduled(maker);
    const { pinId } = scheduled;
    await expect(editDraft(maker.ctx, { pinId, title: "New" })).rejects.toEqual(code("wrong_state"));
    await expect(deleteDrafts(maker.ctx, { pinIds: [pinId] })).rejects.toEqual(code("wrong_state"));
    await world.drive(scheduled);
    await expect(editDraft(maker.ctx, { pinId, title: "New" })).rejects.toEqual(code("wrong_state"));
    await expect(deleteDrafts(maker.ctx, { pinIds: [pinId] })).rejects.toEqual(code("wrong_state"));
  });

  test("a failed pin is mended or deleted; one that may be published is not changed", async () => {
    const maker = await world.makeMaker();
    const where = { account: maker.account.username };
    const [failed, unclear] = [await world.scheduled(maker), await world.scheduled(maker)];
    await world.pinterest.strike({ match: CREATE, scenario: "link-invalid", where });
    await world.drive(failed);
    expect(await editDraft(maker.ctx, { pinId: failed.pinId, link: null })).toMatchObject({ url: null });
    await world.pinterest.strike({ match: CREATE, scenario: "cut", times: 2, where });
    await world.drive(unclear);
    await expect(editDraft(maker.ctx, { pinId: unclear.pinId, title: "x" })).rejects.toEqual(code("wrong_state"));
    expect((await readPost(maker.ctx, { pinId: unclear.pinId })).post).toMatchObject({
      may_be_published: true,
      check_url: `${world.pinterest.url}/${maker.account.username}/`,
    });
    await deleteDrafts(maker.ctx, { pinIds: [failed.pinId] });
    await expect(readPost(maker.ctx, { pinId: failed.pinId })).rejects.toEqual(code("not_found"));
  });

  test("a receipt tells each attempt, newest first", async () => {
    const maker = await world.makeMaker();
    const scheduled = await world.scheduled(maker);
    await world.pinterest.strike({
      match: CREATE,
      scenario: "server-error",
      where: { account: maker.account.username },
    });
    await world.drive(scheduled);
    const { post, attempts } = await readPost(maker.ctx, scheduled);
    expect(attempts).toMatchObject([
      { number: 2, outcome: "created", http_status: 201, problem: null, pinterest_url: post.pinterest_url },
      { number: 1, outcome: "absent", http_status: 500, looks: 2, problem: "Pinterest has a problem on its side." },
    ]);
    expect(attempts[1]?.provider_message).toContain("went wrong on our end");
  });
});
