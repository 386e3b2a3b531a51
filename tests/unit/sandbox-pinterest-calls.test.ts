import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Handle } from "#sandbox/kit/serve.ts";
import {
  control,
  createPin,
  freshFolder,
  get,
  type Json,
  ownAccount,
  pinBody,
  send,
  spec,
  start,
} from "./sandbox-pinterest-client.ts";

let shared: Handle;
beforeAll(async () => {
  shared = await start(freshFolder());
});
afterAll(() => shared.close());

const call = (method: string, path: string, access: string, body?: Json) =>
  send(shared.url, method, path, access, body);
const fits = (method: string, path: string, status: number, body: unknown) =>
  expect(spec.checkReply(method, path, status, body)).toEqual({ ok: true });
/** The stand-in leaves out the zone as the real service does; the description asks for one. */
const zoned = (board: Json): Json => ({
  ...board,
  created_at: `${board.created_at}Z`,
  board_pins_modified_at: `${board.board_pins_modified_at}Z`,
});

describe("boards", () => {
  test("R-BRD-02 a board is made, changed and deleted", async () => {
    const { access } = await ownAccount(shared.url, 1);
    const made = await call("POST", "/boards", access, { name: "Lanterns", description: null, privacy: "PROTECTED" });
    expect(made).toMatchObject({ status: 201, body: { name: "Lanterns", privacy: "PROTECTED", pin_count: 0 } });
    fits("POST", "/boards", 201, zoned(made.body));
    const one = `/boards/${made.body.id}`;
    const changed = await call("PATCH", one, access, { name: "Lanterns to fold", privacy: "PUBLIC" });
    expect(changed).toMatchObject({ status: 200, body: { name: "Lanterns to fold" } });
    fits("PATCH", "/boards/{board_id}", 200, zoned(changed.body));
    expect((await get(shared.url, "/boards?page_size=250", access)).body.items).toHaveLength(2);
    expect((await call("DELETE", one, access)).status).toBe(204);
    expect(await call("DELETE", one, access)).toMatchObject({ status: 404, body: { code: 40 } });
  });

  test("R-BRD-02 names that are taken, secrets without the scope and foreign boards are refused", async () => {
    const mine = await ownAccount(shared.url, 1);
    const other = await ownAccount(shared.url, 1);
    const codes: (number | undefined)[] = [];
    const make = async (access: string, body: Json) =>
      codes.push((await call("POST", "/boards", access, body)).body.code);
    await make(mine.access, { name: "Kilns" });
    await make(mine.access, { name: " KILNS " });
    await make(mine.access, { name: " " });
    await make(mine.access, { name: "a".repeat(51) });
    await make(mine.access, { name: "Hidden", privacy: "SECRET" });
    await make(mine.access, { name: "Odd", colour: "red" });
    expect(codes).toEqual([undefined, 400, 400, 400, 29, 1]);
    const foreign = `/boards/${other.boards[0]?.id}`;
    expect((await call("PATCH", foreign, mine.access, { name: "Mine" })).body.code).toBe(403);
    expect((await call("PATCH", foreign, other.access, { privacy: "PROTECTED" })).body.code).toBe(1);
    expect((await call("DELETE", foreign, mine.access)).body.code).toBe(403);
  });

  test("R-BRD-02 sections: made, renamed, pinned to, deleted", async () => {
    const { boards, access } = await ownAccount(shared.url, 2);
    const all = `/boards/${boards[0]?.id}/sections`;
    const made = await call("POST", all, access, { name: "Drafts" });
    fits("POST", "/boards/{board_id}/sections", 201, made.body);
    expect((await call("POST", all, access, { name: "Drafts" })).body.code).toBe(400);
    expect((await call("POST", all, access, { name: "a".repeat(181) })).body.code).toBe(1);
    const one = `${all}/${made.body.id}`;
    expect((await call("PATCH", one, access, { name: "Kept" })).body.name).toBe("Kept");
    const listed = await get(shared.url, all, access);
    expect(listed.body.items).toEqual([{ id: made.body.id, name: "Kept" }]);
    const pin = await createPin(shared.url, access, pinBody(boards[0]?.id, { board_section_id: made.body.id }));
    expect(pin.body.board_section_id).toBe(made.body.id);
    expect((await get(shared.url, `${one}/pins`, access)).body.items).toMatchObject([{ id: pin.body.id }]);
    const elsewhere = await createPin(shared.url, access, pinBody(boards[1]?.id, { board_section_id: made.body.id }));
    expect([elsewhere.status, elsewhere.body.code]).toEqual([404, 2031]);
    expect((await call("DELETE", one, access)).status).toBe(204);
    expect((await call("DELETE", one, access)).body.code).toBe(2031);
  });
});

describe("pins", () => {
  test("R-SRV-04 a pin is listed, deleted, and gone everywhere; editing is a beta feature", async () => {
    const { boards, access } = await ownAccount(shared.url, 1);
    const { body: pin } = await createPin(shared.url, access, pinBody(boards[0]?.id));
    const one = `/pins/${pin.id}`;
    expect((await get(shared.url, "/pins", access)).body.items).toMatchObject([{ id: pin.id }]);
    expect(await call("PATCH", one, access, { title: "New" })).toMatchObject({ status: 401, body: { code: 3 } });
    const other = await ownAccount(shared.url, 1);
    expect((await call("DELETE", one, other.access)).body.code).toBe(29);
    expect((await call("DELETE", one, access)).status).toBe(204);
    expect(await get(shared.url, one, access)).toMatchObject({ status: 404, body: { code: 50 } });
    expect((await call("DELETE", one, access)).body.code).toBe(50);
    expect((await get(shared.url, `/boards/${boards[0]?.id}/pins`, access)).body.items).toEqual([]);
    expect((await fetch(`${shared.url}/pin/${pin.id}/`)).status).toBe(404);
  });

  test("R-SRV-10 boards, sections, edits and deletions outlive a restart", async () => {
    const folder = freshFolder();
    const first = await start(folder);
    await control(first.url, "PATCH", "/settings", { pinEdit: true });
    const { access } = await ownAccount(first.url, 0);
    const board = (await send(first.url, "POST", "/boards", access, { name: "Kept" })).body.id;
    const section = (await send(first.url, "POST", `/boards/${board}/sections`, access, { name: "S" })).body.id;
    const [kept, gone] = [
      await createPin(first.url, access, pinBody(board)),
      await createPin(first.url, access, pinBody(board)),
    ];
    await send(first.url, "PATCH", `/pins/${kept.body.id}`, access, { title: "Edited", link: null });
    await send(first.url, "DELETE", `/pins/${gone.body.id}`, access);
    const media = (await send(first.url, "POST", "/media", access, { media_type: "video" })).body.media_id;
    await first.close();
    await using second = await start(folder);
    const { items } = (await get(second.url, `/boards/${board}/pins`, access)).body;
    expect(items).toMatchObject([{ id: kept.body.id, title: "Edited", link: null }]);
    expect((await get(second.url, `/boards/${board}/sections`, access)).body.items).toMatchObject([{ id: section }]);
    expect((await get(second.url, `/media/${media}`, access)).body.status).toBe("registered");
  });

  test("R-SRV-04 a video is registered, uploaded without a token, processed; it may fail", async () => {
    const { username, access } = await ownAccount(shared.url, 0);
    const { body: media } = await call("POST", "/media", access, { media_type: "video" });
    fits("POST", "/media", 201, media);
    expect((await call("POST", "/media", access, { media_type: "gif" })).status).toBe(400);
    const status = async () => (await get(shared.url, `/media/${media.media_id}`, access)).body.status;
    expect(await status()).toBe("registered");
    const form = new FormData();
    for (const [name, value] of Object.entries(media.upload_parameters)) form.set(name, value);
    expect((await fetch(media.upload_url, { method: "POST", body: form })).status).toBe(403);
    form.set("file", new Blob(["video"]), "a.mp4");
    expect((await fetch(media.upload_url, { method: "POST", body: form })).status).toBe(204);
    await control(shared.url, "POST", "/faults", { scenario: "media-failed", where: { account: username } });
    expect(await status()).toBe("failed");
    expect(["processing", "succeeded"]).toContain(await status());
    fits("GET", "/media", 200, (await get(shared.url, "/media", access)).body);
    const other = await ownAccount(shared.url, 0);
    expect((await get(shared.url, `/media/${media.media_id}`, other.access)).body.code).toBe(404);
  });

  test("R-SRV-04 revoking tokens is for system users only", async () => {
    const { access } = await ownAccount(shared.url, 0);
    const answer = await fetch(`${shared.url}/v5/oauth/token/revoke`, {
      method: "POST",
      body: new URLSearchParams({ token: access }),
      headers: { authorization: `Basic ${Buffer.from("1500000:pinterest-sandbox-secret").toString("base64")}` },
    });
    expect([answer.status, (await answer.json()).code]).toEqual([403, 29]);
  });
});
