import { describe, expect, inject, test } from "vitest";
import { photo } from "#tests/support/sample-images.ts";
import { sampleVideo } from "#tests/support/sample-videos.ts";
import { createPinCreator, type PinCreator, pinsOf } from "./bulk-harness.ts";
import { errorBody } from "./wire-harness.ts";

type Parts = Record<string, Buffer | string>;

const send = async (creator: PinCreator, call: "create-video" | "create-carousel", parts: Parts, key?: string) => {
  const form = new FormData();
  for (const [name, part] of Object.entries({ pinterest_account: creator.accountId, ...parts })) {
    form.set(name, typeof part === "string" ? part : new File([new Uint8Array(part)], `${name}.mp4`));
  }
  const response = await fetch(`${inject("app").baseUrl}/api/users/pinterest/${call}/`, {
    method: "POST",
    headers: { authorization: `Bearer ${creator.token}`, ...(key !== undefined && { "Idempotency-Key": key }) },
    body: form,
  });
  return { status: response.status, json: Object(await response.json()) };
};

const textsOf = ({ boardId }: PinCreator, more: Record<string, unknown> = {}): string =>
  JSON.stringify({ board_id: boardId, title: "Bread", url: "https://garden.example/bread", ...more });

describe("POST /api/users/pinterest/create-video/", () => {
  test("creates one draft, also when the request is repeated", async () => {
    const creator = await createPinCreator();
    const parts = { pin: textsOf(creator, { alt_text: "A loaf" }), cover: await photo(400, 600), video: sampleVideo() };
    const { status, json } = await send(creator, "create-video", parts, "once");
    expect([status, json.message]).toEqual([200, "Video pin created!"]);
    expect(json.post).toMatchObject({
      ...{ format: "video", status: "draft", title: "Bread", alt_text: "A loaf" },
      ...{ url: "https://garden.example/bread", board_id: creator.boardId },
    });
    expect((await send(creator, "create-video", parts, "once")).json.post).toEqual(json.post);
    expect(await pinsOf(creator)).toEqual([json.post]);
  });

  test.each([
    [
      "words named .mp4",
      { video: Buffer.from("These are just words in a file.") },
      "video",
      /isn't actually an MP4 or MOV/,
    ],
    ["a video of zero seconds", { video: sampleVideo({ seconds: 0 }) }, "video", /0 seconds long/],
    ["a video of three seconds", { video: sampleVideo({ seconds: 3 }) }, "video", /at least 4 seconds/],
    ["a cover that isn't an image", { cover: Buffer.from("words") }, "cover", /^Cover: This file isn't an image/],
    ["a title that is too long", { pin: JSON.stringify({ board_id: "1", title: "x".repeat(101) }) }, "title", /100/],
  ])("%s is refused and named, and nothing is created", async (_what, change: Parts, field, text) => {
    const creator = await createPinCreator();
    const parts = { pin: textsOf(creator), cover: await photo(400, 600), video: sampleVideo(), ...change };
    const { status, json } = await send(creator, "create-video", parts);
    expect([status, json.code]).toEqual([400, "invalid"]);
    expect(json.message).toMatch(text);
    expect(JSON.stringify(json.fields)).toContain(field);
    expect(await pinsOf(creator)).toEqual([]);
  });

  test("parts that are missing or malformed are named", async () => {
    const creator = await createPinCreator();
    const cover = await photo(400, 600);
    const messageOf = async (parts: Parts) => (await send(creator, "create-video", parts)).json.message;
    expect(await messageOf({ pin: textsOf(creator), cover })).toBe("Choose a video.");
    expect(await messageOf({ pin: textsOf(creator), video: sampleVideo() })).toBe("Choose a cover image.");
    expect(await messageOf({ pin: "{", cover, video: sampleVideo() })).toBe("The part `pin` must be a JSON object.");
  });
});

// Next cuts larger bodies after 10 MB unless they bypass proxy.ts. The movie header is at the end, so a cut shows.
test("a video of 11 MB arrives whole", async () => {
  const creator = await createPinCreator();
  const video = sampleVideo({ mediaBytes: 11_000_000, isMovieLast: true });
  const parts = { pin: textsOf(creator), cover: await photo(400, 600), video };
  const { status, json } = await send(creator, "create-video", parts);
  expect([status, json.message]).toEqual([200, "Video pin created!"]);
});

describe("POST /api/users/pinterest/create-carousel/", () => {
  const slidesOf = async (count: number, paddingBytes = 0): Promise<Parts> => {
    const image = Buffer.concat([await photo(400, 600), Buffer.alloc(paddingBytes)]);
    return Object.fromEntries(Array.from({ length: count }, (_, at) => [`slides[${at}]`, image]));
  };

  test("creates one draft of two to five images", async () => {
    const creator = await createPinCreator();
    const pin = textsOf(creator, { slides: [{ title: "One", url: "https://garden.example/1" }, {}] });
    const { status, json } = await send(creator, "create-carousel", { pin, ...(await slidesOf(2)) });
    expect([status, json.message]).toEqual([200, "Carousel created!"]);
    expect(json.post).toMatchObject({ format: "carousel", status: "draft", title: "Bread" });
  });

  test("five images of 3 MB arrive whole", async () => {
    const creator = await createPinCreator();
    const pin = textsOf(creator, { slides: Array.from({ length: 5 }, () => ({})) });
    const { status, json } = await send(creator, "create-carousel", { pin, ...(await slidesOf(5, 3_000_000)) });
    expect([status, json.message]).toEqual([200, "Carousel created!"]);
  });

  test("too few, too many, and unpaired slides are refused", async () => {
    const creator = await createPinCreator();
    const messageOf = async (slides: number, images: number) => {
      const pin = textsOf(creator, { slides: Array.from({ length: slides }, () => ({})) });
      return (await send(creator, "create-carousel", { pin, ...(await slidesOf(images)) })).json.message;
    };
    expect(await messageOf(1, 1)).toMatch(/A carousel has 2 to 5 images\.$/);
    expect(await messageOf(6, 5)).toMatch(/A carousel has 2 to 5 images\.$/);
    expect(await messageOf(3, 2)).toMatch(/The number of slides and the number of images must match\.$/);
    expect(await messageOf(2, 3)).toMatch(/The number of slides and the number of images must match\.$/);
  });

  test("another user's account is not found", async () => {
    const [creator, stranger] = [await createPinCreator(), await createPinCreator()];
    const pin = textsOf(creator, { slides: [{}, {}] });
    const parts = { pinterest_account: creator.accountId, pin, ...(await slidesOf(2)) };
    const { status, json } = await send(stranger, "create-carousel", parts);
    expect([status, json]).toEqual([404, errorBody("not_found", json.message)]);
  });
});
