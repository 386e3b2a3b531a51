import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Handle } from "#sandbox/kit/serve.ts";
import {
  connect,
  freshFolder,
  get,
  type Json,
  jpeg,
  ownAccount,
  SCOPES,
  send,
  spec,
  start,
} from "./sandbox-pinterest-client.ts";

let shared: Handle;
beforeAll(async () => {
  shared = await start(freshFolder());
});
afterAll(() => shared.close());

describe("account and boards", () => {
  test("R-ACC-02 an account has its counts; one has no monthly views", async () => {
    const { access } = await connect(shared.url, "quiet.bicycle");
    const { body, headers } = await get(shared.url, "/user_account", access);
    expect(body).toMatchObject({ username: "quiet.bicycle", board_count: 2, monthly_views: null });
    expect(body.id).toMatch(/^\d+$/);
    expect(spec.checkReply("GET", "/user_account", 200, body)).toEqual({ ok: true });
    expect(headers.get("x-ratelimit-limit")).toMatch(/^1000, 100;w=1;name="[^"]+", 1000;w=60;name="org_read/);
    expect(Number(headers.get("x-ratelimit-remaining"))).toBeLessThan(1000);
  });

  test("R-BRD-07 over 250 boards come in pages that may be short; secret boards need their scope", async () => {
    const collect = async (scope: string) => {
      const { access } = await connect(shared.url, "atlas.of.small.rooms", scope);
      const pages: Json[][] = [];
      let bookmark: string | null = "";
      while (bookmark !== null) {
        const { body } = await get(shared.url, `/boards?page_size=250&bookmark=${bookmark}`, access);
        pages.push(body.items);
        bookmark = body.bookmark;
      }
      return pages;
    };
    const open = await collect(SCOPES);
    expect(open).toHaveLength(2);
    expect(open[0]?.length).toBeLessThan(250);
    expect(open.flat().some((board) => board.privacy === "SECRET")).toBe(false);
    expect(open.flat().some((board) => board.privacy === "PROTECTED")).toBe(true);
    expect(open.flat().some((board) => board.description === null)).toBe(true);
    const all = (await collect(`${SCOPES},boards:read_secret`)).flat();
    expect(all).toHaveLength(268);
    expect(new Set(all.map((board) => board.id)).size).toBe(268);
    expect(new Set(all.map((board) => board.name)).size).toBe(268);
  });

  test("a board is created as described, and survives a restart; what the description rejects is a 400", async () => {
    const folder = freshFolder();
    const create = async (url: string, access: string, body: Json) => send(url, "POST", "/boards", access, body);
    const names = async (url: string, access: string) =>
      ((await get(url, "/boards", access)).body.items as { name: string }[]).map(({ name }) => name);
    const first = await start(folder);
    const { access } = await ownAccount(first.url, 1);
    const { status, body } = await create(first.url, access, { name: "Shade plants" });
    expect([status, body.name, body.privacy]).toEqual([201, "Shade plants", "PUBLIC"]);
    expect((await create(first.url, access, { privacy: "PUBLIC" })).status).toBe(400);
    expect((await create(first.url, access, { name: " " })).status).toBe(400);
    expect((await create(first.url, access, { name: "Hidden", privacy: "SECRET" })).status).toBe(403);
    await first.close();
    await using second = await start(folder);
    expect(await names(second.url, access)).toContain("Shade plants");
  });

  test("sections are created and listed as described; a board's list leaves out the pins in them", async () => {
    const { access, boards } = await ownAccount(shared.url, 2);
    const [board, other] = boards.map(({ id }) => `/boards/${id}`);
    const { status, body: section } = await send(shared.url, "POST", `${board}/sections`, access, { name: "Fall" });
    expect([status, section.name]).toEqual([201, "Fall"]);
    expect((await send(shared.url, "POST", `${board}/sections`, access, { name: " " })).status).toBe(400);
    expect((await send(shared.url, "POST", `${board}/sections`, access, {})).status).toBe(400);
    const listed = await get(shared.url, `${board}/sections`, access);
    expect(listed.body.items).toEqual([{ id: section.id, name: "Fall" }]);
    expect(spec.checkReply("GET", "/boards/{board_id}/sections", 200, listed.body)).toEqual({ ok: true });
    expect((await get(shared.url, `${other}/sections`, access)).body.items).toEqual([]);

    const pin = { board_id: boards[0]?.id, board_section_id: section.id, title: "Wreath" };
    const media_source = { source_type: "image_base64", content_type: "image/jpeg", data: jpeg() };
    const created = await send(shared.url, "POST", "/pins", access, { ...pin, media_source });
    expect([created.status, created.body.board_section_id]).toEqual([201, section.id]);
    expect((await get(shared.url, `${board}/pins`, access)).body.items).toEqual([]);
    const inSection = await get(shared.url, `${board}/sections/${section.id}/pins`, access);
    expect(inSection.body.items.map(({ id }) => id)).toEqual([created.body.id]);
    const wrong = { ...pin, board_id: boards[1]?.id, media_source };
    expect(await send(shared.url, "POST", "/pins", access, wrong)).toMatchObject({ status: 404, body: { code: 2031 } });
    expect((await get(shared.url, `${other}/sections/${section.id}/pins`, access)).body.code).toBe(2031);
  });

  test("R-BRD-02 secret boards, foreign and unknown boards", async () => {
    const { access } = await connect(shared.url, "moss.and.thread", `${SCOPES},boards:read_secret`);
    const boards = await get(shared.url, "/boards", access);
    const secret = boards.body.items.filter(({ privacy }: Json) => privacy === "SECRET");
    expect(secret.map((board: Json) => board.name)).toEqual(["Book proposal", "Gifts for Ada"]);
    const other = await ownAccount(shared.url);
    expect(await get(shared.url, "/boards?privacy=SECRET", access)).toMatchObject({
      ...{ status: 501, body: { message: expect.stringContaining("GET /boards with privacy") } },
    });
    expect((await get(shared.url, `/boards/${other.boards[0]?.id}/pins`, other.access)).status).toBe(200);
    expect((await get(shared.url, `/boards/${other.boards[0]?.id}/pins`, access)).body.code).toBe(29);
    expect(await get(shared.url, "/boards/12345/pins", access)).toMatchObject({ status: 404, body: { code: 40 } });
    expect((await get(shared.url, "/boards?page_size=251", access)).status).toBe(400);
    expect((await get(shared.url, "/boards?bookmark=nonsense", access)).status).toBe(400);
  });
});
