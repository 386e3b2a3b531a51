import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Handle } from "#sandbox/kit/serve.ts";
import { sampleVideo } from "#tests/support/sample-videos.ts";
import {
  type Answer,
  control,
  createPin,
  freshFolder,
  get,
  type Json,
  jpeg,
  ownAccount,
  pinBody,
  send,
  spec,
  start,
} from "./sandbox-pinterest-client.ts";

const PROCESSING_SECONDS = 60;

let pinterest: Handle;
let mine: Awaited<ReturnType<typeof ownAccount>>;
/** How far the stand-in's clock is ahead. */
let offsetMs = 0;
beforeAll(async () => {
  pinterest = await start(freshFolder());
  await control(pinterest.url, "PATCH", "/settings", { videoProcessingSeconds: PROCESSING_SECONDS });
});
beforeEach(async () => {
  mine = await ownAccount(pinterest.url, 1);
});
afterAll(() => pinterest.close());

const register = () => send(pinterest.url, "POST", "/media", mine.access, { media_type: "video" });

const upload = async ({ body }: Answer): Promise<number> => {
  const form = new FormData();
  for (const [name, value] of Object.entries(Object(body.upload_parameters))) form.append(name, String(value));
  form.append("file", new Blob([new Uint8Array(sampleVideo())]), "video.mp4");
  // The upload's storage wants to know the length.
  const encoded = new Response(form);
  const bytes = await encoded.arrayBuffer();
  const headers = { "content-type": encoded.headers.get("content-type") ?? "" };
  return (await fetch(String(body.upload_url), { method: "POST", headers, body: bytes })).status;
};

const afterProcessing = async () => {
  offsetMs += (PROCESSING_SECONDS + 1) * 1_000;
  await control(pinterest.url, "POST", "/clock", { offsetMs });
};

const statusOf = (id: unknown) => get(pinterest.url, `/media/${id}`, mine.access);

const processedVideo = async (): Promise<string> => {
  const registered = await register();
  await upload(registered);
  await afterProcessing();
  return String(registered.body.media_id);
};

const cover = { cover_image_content_type: "image/jpeg", cover_image_data: jpeg() };
const item = (width = 600, height = 900, more: Json = {}): Json => ({
  ...{ content_type: "image/jpeg", data: jpeg(width, height) },
  ...more,
});
const carousel = (items: Json[]): Json => ({ source_type: "multiple_image_base64", items });
const create = (media_source: Json) =>
  createPin(pinterest.url, mine.access, pinBody(mine.boards[0]?.id, { media_source }));

/** The description's dates have a zone, the real service's have none. */
const zoned = (pin: Json): Json => ({ ...pin, created_at: `${pin.created_at}Z` });

describe("R-SRV-10 media", () => {
  test("a video is registered, uploaded, processed, and ready, each as described", async () => {
    const registered = await register();
    expect(registered.status).toBe(201);
    expect(spec.checkReply("POST", "/media", 201, registered.body)).toEqual({ ok: true });
    const statuses: unknown[] = [];
    const look = async () => {
      const { status, body } = await statusOf(registered.body.media_id);
      expect(status).toBe(200);
      expect(spec.checkReply("GET", "/media/{media_id}", 200, body)).toEqual({ ok: true });
      statuses.push(body.status);
    };
    await look();
    expect(await upload(registered)).toBe(204);
    await look();
    await afterProcessing();
    await look();
    expect(statuses).toEqual(["registered", "processing", "succeeded"]);
    const other = await ownAccount(pinterest.url, 1);
    expect((await get(pinterest.url, `/media/${registered.body.media_id}`, other.access)).status).toBe(404);
  });

  test("a video pin is answered and listed as described", async () => {
    const pin = await create({ source_type: "video_id", media_id: await processedVideo(), ...cover });
    expect(pin.status).toBe(201);
    expect(spec.checkReply("POST", "/pins", 201, zoned(pin.body))).toEqual({ ok: true });
    expect(pin.body).toMatchObject({ creative_type: "VIDEO", media: { media_type: "video" } });
    const { body } = await get(pinterest.url, `/boards/${mine.boards[0]?.id}/pins`, mine.access);
    const listed = { ...body, items: body.items.map(zoned) };
    expect(spec.checkReply("GET", "/boards/{board_id}/pins", 200, listed)).toEqual({ ok: true });
    expect(listed.items).toMatchObject([{ id: pin.body.id, creative_type: "VIDEO" }]);
  });

  test("a carousel is answered as described, and has images only in its items", async () => {
    const titles = ["One", "Two"];
    const pin = await create(carousel(titles.map((title) => item(600, 900, { title }))));
    expect(pin.status).toBe(201);
    expect(spec.checkReply("POST", "/pins", 201, zoned(pin.body))).toEqual({ ok: true });
    expect(pin.body).toMatchObject({ creative_type: "CAROUSEL", media: { media_type: "multiple_images" } });
    expect(pin.body.media.images).toBeUndefined();
    expect(Object(pin.body.media).items).toMatchObject(titles.map((title) => ({ title, item_type: "image" })));
  });

  test("an image pin stays a regular one", async () => {
    const { body } = await createPin(pinterest.url, mine.access, pinBody(mine.boards[0]?.id));
    expect(body).toMatchObject({ creative_type: "REGULAR", media: { media_type: "image" } });
  });

  test.each<[string, () => Promise<Json>, RegExp]>([
    ["an unknown video", async () => ({ source_type: "video_id", media_id: "404", ...cover }), /media_id is unknown/],
    [
      "a video that is not uploaded",
      async () => ({ source_type: "video_id", media_id: (await register()).body.media_id, ...cover }),
      /not processed/,
    ],
    [
      "a video that is being processed",
      async () => {
        const registered = await register();
        await upload(registered);
        return { source_type: "video_id", media_id: registered.body.media_id, ...cover };
      },
      /not processed/,
    ],
    [
      "a video without a cover",
      async () => ({ source_type: "video_id", media_id: await processedVideo() }),
      /cover_image_data/,
    ],
    ["slides of different sizes", async () => carousel([item(), item(600, 600)]), /same dimensions/],
    ["six slides", async () => carousel(Array.from({ length: 6 }, () => item())), /items/],
    ["one slide", async () => carousel([item()]), /items/],
  ])("%s is rejected as described and creates nothing", async (_, source, says) => {
    const refused = await create(await source());
    expect([refused.status, refused.body.code]).toEqual([400, 1]);
    expect(refused.body.message).toMatch(says);
    expect(spec.checkReply("POST", "/pins", 400, refused.body)).toEqual({ ok: true });
    expect((await control(pinterest.url, "GET", `/pins?account=${mine.username}`)).body.pins).toEqual([]);
  });
});
