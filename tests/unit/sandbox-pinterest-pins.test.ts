import { createCanvas } from "@napi-rs/canvas";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Handle } from "#sandbox/kit/serve.ts";
import {
  control,
  createPin,
  freshFolder,
  get,
  type Json,
  jpeg,
  ownAccount,
  pinBody,
  source,
  spec,
  start,
} from "./sandbox-pinterest-client.ts";

let shared: Handle;
beforeAll(async () => {
  shared = await start(freshFolder());
});
afterAll(() => shared.close());

describe("pins", () => {
  test("R-SRV-04 a pin is created, listed on its board newest first, and shown on its pages", async () => {
    const { username, boards, access } = await ownAccount(shared.url);
    const boardId = boards[0]?.id;
    const disclosures = { ai_disclosures: { values: ["AI_MODIFIED"] } };
    const first = await createPin(shared.url, access, pinBody(boardId, { title: "First <b>" }));
    const second = await createPin(shared.url, access, pinBody(boardId, { title: "Second", ...disclosures }));
    expect(second.status).toBe(201);
    expect(second.body).toMatchObject({ board_id: boardId, title: "Second", ...disclosures });
    const zoned = { ...second.body, created_at: `${second.body.created_at}Z` };
    expect(spec.checkReply("POST", "/pins", 201, zoned)).toEqual({ ok: true });
    expect(second.body.media.images["1200x"]).toMatchObject({ width: 1200, height: 1800 });

    const page = await get(shared.url, `/boards/${boardId}/pins?page_size=1`, access);
    expect(page.body.items.map((pin: Json) => pin.id)).toEqual([second.body.id]);
    const rest = await get(shared.url, `/boards/${boardId}/pins?bookmark=${page.body.bookmark}`, access);
    expect(rest.body).toMatchObject({ items: [{ id: first.body.id }], bookmark: null });
    expect(rest.body.items[0]?.title).toBe("First <b>");

    const pinPage = await (await fetch(`${shared.url}/pin/${first.body.id}/`)).text();
    expect(pinPage).toContain("First &lt;b&gt;");
    expect(pinPage).toContain("Published through the API on");
    expect(await (await fetch(`${shared.url}/${username}/`)).text()).toContain(`/pin/${second.body.id}/`);
    const image = await fetch(second.body.media.images["600x"]?.url ?? "");
    expect(image.headers.get("content-type")).toBe("image/jpeg");
    expect(Buffer.from(await image.arrayBuffer()).toString("base64")).toBe(jpeg());
    const { body } = await control(shared.url, "GET", `/pins?account=${username}`);
    expect(body.pins.map((pin: Json) => [pin.title, pin.ai_disclosures])).toEqual([
      ["First <b>", null],
      ["Second", disclosures.ai_disclosures],
    ]);
  });

  test.each<[string, Json, number, number]>([
    ["a board id that is no number", { board_id: "b1" }, 400, 1],
    ["no board", { board_id: undefined }, 400, 1],
    ["an unknown board", { board_id: "404" }, 404, 40],
    ["a title over 100", { title: "a".repeat(101) }, 400, 1],
    ["a description over 800", { description: "a".repeat(801) }, 400, 1],
    ["an unknown field", { publish_at: "2026-11-21" }, 400, 1],
    ["a link that is no web address", { link: "ftp://x.example/" }, 400, 1],
    ["no image", { media_source: undefined }, 400, 1],
    ["an image too small", { media_source: source(jpeg(199, 600)) }, 403, 233],
    [
      "bytes that are not an image",
      { media_source: source(Buffer.from("not an image at all").toString("base64")) },
      403,
      235,
    ],
    ["a truncated image", { media_source: source(jpeg().slice(0, 800)) }, 403, 235],
    [
      "a PNG called JPEG",
      { media_source: source(createCanvas(600, 900).toBuffer("image/png").toString("base64")) },
      403,
      235,
    ],
    ["a WebP", { media_source: { ...source(jpeg()), content_type: "image/webp" } }, 400, 1],
    ["an empty AI label", { ai_disclosures: { values: [] } }, 400, 1],
  ])("R-SRV-04 %s is rejected and creates nothing", async (_, change, status, code) => {
    const { username, boards, access } = await ownAccount(shared.url, 1);
    const refused = await createPin(shared.url, access, pinBody(boards[0]?.id, change));
    expect([refused.status, refused.body.code]).toEqual([status, code]);
    expect((await control(shared.url, "GET", `/pins?account=${username}`)).body.pins).toEqual([]);
  });

  test("R-SRV-04 foreign and secret boards are rejected with 403/29, a removed one with 404/40", async () => {
    const mine = await ownAccount(shared.url, 23);
    const other = await ownAccount(shared.url, 1);
    const secret = mine.boards.find((board) => board.privacy === "SECRET");
    const removed = mine.boards[0]?.id;
    await control(shared.url, "DELETE", `/boards/${removed}`);
    const codes = [];
    for (const id of [other.boards[0]?.id, secret?.id, removed]) {
      codes.push((await createPin(shared.url, mine.access, pinBody(id))).body.code);
    }
    expect(codes).toEqual([29, 29, 40]);
  });

  test("R-SRV-04 the published limit of writes per minute applies, and resets after the minute", async () => {
    await using handle = await start(freshFolder());
    await control(handle.url, "PATCH", "/settings", { orgWriteLimit: 2 });
    const { boards, access } = await ownAccount(handle.url);
    const statuses = [];
    for (let count = 0; count < 3; count += 1) {
      statuses.push((await createPin(handle.url, access, pinBody(boards[0]?.id))).status);
    }
    expect(statuses).toEqual([201, 201, 429]);
    await control(handle.url, "POST", "/clock", { offsetMs: 60_000 });
    expect((await createPin(handle.url, access, pinBody(boards[0]?.id))).status).toBe(201);
  });
});
