import { beforeAll, describe, expect, inject, test } from "vitest";
import { bulkForm, type SentPin } from "#tests/support/bulk-form.ts";
import { badImages, png } from "#tests/support/sample-images.ts";
import {
  BULK,
  createPinCreator,
  goodPins,
  type PinCreator,
  pinsOf,
  post,
  samplePhoto,
  sendPins,
} from "./bulk-harness.ts";
import { errorBody } from "./wire-harness.ts";

let creator: PinCreator;
const bad = await badImages();

beforeAll(async () => {
  creator = await createPinCreator();
});

const invalid = (text: unknown) => ({ ...errorBody("invalid", text), fields: expect.any(Object) });

/** Sends two valid pins with overrides of the second one. */
const sendChanged = async (change: Partial<SentPin>) => {
  const pins = await goodPins(creator.boardId, 2);
  return sendPins(creator, [pins[0] ?? {}, { ...pins[1], ...change }]);
};

describe("R-BULK-08 R-BULK-10 reports problems in `message` and creates nothing", () => {
  test.each<[string, Partial<SentPin>, string | RegExp]>([
    ["no board", { board_id: undefined }, "Pin 2: Choose a board."],
    ["a malformed board id", { board_id: "x' or 1=1" }, "Pin 2: Choose a board."],
    ["a board that is a number", { board_id: 5 }, "Pin 2: Choose a board."],
    ["an unknown board", { board_id: "999999999999" }, "Pin 2: This board doesn't belong to the selected account."],
    ["no title", { title: undefined }, "Pin 2: Enter a title."],
    ["an empty title", { title: " \u0000\n " }, "Pin 2: Enter a title."],
    ["a title of another type", { title: ["a"] }, "Pin 2: Enter a title."],
    ["a long title", { title: "x".repeat(101) }, "Pin 2: Titles can have up to 100 characters."],
    ["a long description", { description: "x".repeat(801) }, /^Pin 2: Descriptions can have up to 800 /],
    ["a description of another type", { description: 7 }, "Pin 2: The description must be text."],
    [
      "a script as link",
      { url: "javascript:alert(1)" },
      "Pin 2: Enter a complete link that starts with http:// or https://.",
    ],
    ["data as link", { url: "data:text/html,x" }, "Pin 2: Enter a complete link that starts with http:// or https://."],
    [
      "a file as link",
      { url: "file:///etc/passwd" },
      "Pin 2: Enter a complete link that starts with http:// or https://.",
    ],
    ["half a link", { url: "//x.example" }, "Pin 2: Enter a complete link that starts with http:// or https://."],
    ["a link of 4,000 characters", { url: `https://x.example/${"y".repeat(4_000)}` }, /^Pin 2: Links can have up to /],
    ["no image", { image: undefined }, "Pin 2: Choose an image."],
  ])("R-BULK-04 %s", async (_, change, text) => {
    const { status, json } = await sendChanged(change);
    expect([status, json]).toEqual([400, invalid(typeof text === "string" ? text : expect.stringMatching(text))]);
    expect(Object.keys(Object(json.fields))).toEqual(["pins[1]"]);
  });

  test.each(bad)("R-SRV-07 $name", async ({ file, says }) => {
    const { status, json } = await sendChanged({ image: file, type: "image/jpeg" });
    expect([status, json]).toEqual([400, { ...invalid(expect.stringMatching(says)), kept: ["pins[0]"] }]);
    expect(json.message).toMatch(/^Pin 2: /);
  });

  test("several problems: the first in `message`, all of them in `fields`", async () => {
    const { json } = await sendPins(creator, [{ title: "a" }, { board_id: creator.boardId }]);
    expect(json.message).toBe("Pin 1: Choose a board.");
    expect(json.fields).toEqual({
      "pins[0]": ["Pin 1: Choose a board.", "Pin 1: Choose an image."],
      "pins[1]": ["Pin 2: Enter a title.", "Pin 2: Choose an image."],
    });
  });

  test.each<[string, (form: FormData) => void, RegExp]>([
    ["R-BULK-01 no account", (form) => form.delete("pinterest_account"), /^Please choose a Pinterest account$/],
    ["no number", (form) => form.delete("number_of_pins"), /from 1 to 100/],
    ["zero", (form) => form.set("number_of_pins", "0"), /from 1 to 100/],
    ["minus one", (form) => form.set("number_of_pins", "-1"), /from 1 to 100/],
    ["a half", (form) => form.set("number_of_pins", "1.5"), /from 1 to 100/],
    ["a hundred and one", (form) => form.set("number_of_pins", "101"), /from 1 to 100/],
    ["a word", (form) => form.set("number_of_pins", "two"), /from 1 to 100/],
    ["one more than sent", (form) => form.set("number_of_pins", "3"), /to 3, but we received 2/],
    ["one fewer than sent", (form) => form.set("number_of_pins", "1"), /to 1, but we received 2/],
    ["a gap", (form) => form.set("pins[7]", form.get("pins[1]") ?? ""), /to 2, but we received 3/],
    ["invalid JSON", (form) => form.set("pins[1]", "{"), /^Pin 2: Choose a board/],
    ["a list as a pin", (form) => form.set("pins[1]", "[]"), /^Pin 2: /],
  ])("A-18 R-BULK-02 %s", async (_, change, text) => {
    const form = bulkForm({ account: creator.accountId, pins: await goodPins(creator.boardId, 2) });
    change(form);
    const { status, json } = await post(creator.token, form);
    expect([status, json]).toEqual([400, invalid(expect.stringMatching(text))]);
  });

  test("A-18 R-BULK-02 rejects text as an image", async () => {
    const form = bulkForm({ account: creator.accountId, pins: await goodPins(creator.boardId, 2) });
    form.set("pins[1][image]", "no file");
    const { status, json } = await post(creator.token, form);
    const words = expect.stringMatching(/^Pin 2: This file isn't an image/);
    expect([status, json]).toEqual([400, { ...invalid(words), kept: ["pins[0]"] }]);
  });

  test("R-BULK-08 rejects an invalid digest and one without a saved image", async () => {
    for (const [image_sha256, says] of [
      ["x", "Pin 2: The image digest must be a SHA-256 hash in hexadecimal."],
      [7, "Pin 2: The image digest must be a SHA-256 hash in hexadecimal."],
      ["0".repeat(64), "Pin 2: This image is no longer available. Upload it again."],
    ]) {
      const { status, json } = await sendChanged({ image: undefined, image_sha256 });
      expect([status, json.message]).toEqual([400, says]);
    }
  });

  test("A-18 rejects more images than pins, repeated parts, and too many files", async () => {
    const extra = bulkForm({ account: creator.accountId, pins: await goodPins(creator.boardId, 1) });
    extra.set("pins[1][image]", new File([new Uint8Array(await samplePhoto())], "b.jpg"));
    expect((await post(creator.token, extra)).json.message).toMatch(/to 1, but we received 2 images/);
    const twice = bulkForm({ account: creator.accountId, pins: await goodPins(creator.boardId, 1) });
    twice.append("pins[0]", "{}");
    expect((await post(creator.token, twice)).json.message).toBe("Each part of the body needs a unique name.");
    const many = new FormData();
    for (let n = 0; n < 101; n++) many.set(`pins[${n}][image]`, new File(["x"], "x.jpg"));
    expect((await post(creator.token, many)).json.message).toBe("At most 100 files can be uploaded at once.");
  });

  test.each<[string, string, string]>([
    ["JSON", "application/json", "{}"],
    ["nothing", "application/json", ""],
    ["no boundary", "multipart/form-data", "x"],
    ["another boundary", "multipart/form-data; boundary=a", "--b\r\n\r\n--b--"],
    ["half a body", "multipart/form-data; boundary=a", '--a\r\nContent-Disposition: form-data; name="pins[0][image]"'],
    [
      "a body without an end",
      "multipart/form-data; boundary=a",
      '--a\r\nContent-Disposition: form-data; name="x"\r\n\r\ny',
    ],
    ["a form", "application/x-www-form-urlencoded", "number_of_pins=1"],
  ])("%s is 400 in the standard shape", async (_, type, body) => {
    const { status, json } = await post(creator.token, body, { "content-type": type });
    expect([status, json]).toMatchObject([400, { code: "invalid", message: expect.any(String) }]);
  });

  test("creates no pins with any of these requests", async () => {
    expect(await pinsOf(creator)).toEqual([]);
  });
});

describe("A-14 32 MB", () => {
  const boundary = "a-boundary";
  const head = (name: string) =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"; filename="x.png"\r\nContent-Type: image/png\r\n\r\n`;

  /** A streamed file without a known size. `sent` counts the bytes read. */
  const flood = (start: Uint8Array, megabytes: number) => {
    let sent = 0;
    const chunk = new Uint8Array(1_000_000);
    const body = new ReadableStream<Uint8Array>({
      start: (controller) =>
        controller.enqueue(new Uint8Array([...new TextEncoder().encode(head("pins[0][image]")), ...start])),
      pull: (controller) => {
        if (sent < megabytes) controller.enqueue(chunk);
        else controller.close();
        sent += 1;
      },
    });
    return { body, sentMegabytes: () => sent };
  };

  test("A-14 rejects 33 MB with 413 and a readable message, with or without a content length", async () => {
    const large = Buffer.concat([await png(), Buffer.alloc(33_000_000)]);
    const announced = await sendPins(creator, await goodPins(creator.boardId, 1, { image: large }));
    expect([announced.status, announced.json]).toEqual([413, errorBody("too_large", "Images can be up to 32 MB.")]);
    const { body } = flood(await png(), 33);
    const streamed = await post(creator.token, body, { "content-type": `multipart/form-data; boundary=${boundary}` });
    expect([streamed.status, streamed.json]).toEqual([413, errorBody("too_large", "Images can be up to 32 MB.")]);
  });

  test("A-14 accepts and shrinks an image of 31 MB", async () => {
    const image = Buffer.concat([await png(), Buffer.alloc(31_000_000)]);
    const { status } = await sendPins(creator, await goodPins(creator.boardId, 1, { image }));
    expect(status).toBe(200);
    const [made] = await pinsOf(creator);
    const served = await fetch(`${inject("app").baseUrl}${made?.image_url}`);
    expect((await served.arrayBuffer()).byteLength).toBeLessThan(1_000_000);
  });

  test("R-API-30 responds without a login and without reading a large body", async () => {
    const form = bulkForm({
      account: creator.accountId,
      pins: await goodPins(creator.boardId, 1, { image: Buffer.alloc(20_000_000) }),
    });
    const { status, json } = await post(null, form);
    expect([BULK, status, json]).toEqual([BULK, 401, errorBody("unauthenticated")]);
  });
});
