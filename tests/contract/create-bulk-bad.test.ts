import { beforeAll, describe, expect, inject, test } from "vitest";
import { bulkForm, type SentPin } from "#tests/support/bulk-form.ts";
import { badPictures, png } from "#tests/support/sample-pictures.ts";
import { BULK, goodPins, makePinMaker, type PinMaker, post, postsOf, samplePhoto, sendPins } from "./bulk-house.ts";
import { errorBody } from "./wire-house.ts";

let maker: PinMaker;
const bad = await badPictures();

beforeAll(async () => {
  maker = await makePinMaker();
});

const invalid = (text: unknown) => ({ ...errorBody("invalid", text), fields: expect.any(Object) });

/** Sends two good pins, the second one changed. */
const sendChanged = async (change: Partial<SentPin>) => {
  const pins = await goodPins(maker.boardId, 2);
  return sendPins(maker, [pins[0] ?? {}, { ...pins[1], ...change }]);
};

describe("R-BULK-08 R-BULK-10 what is wrong is said in `message`, and nothing is made", () => {
  test.each<[string, Partial<SentPin>, string | RegExp]>([
    ["no board", { board_id: undefined }, "Pin 2: Choose a board."],
    ["a board that is no id", { board_id: "x' or 1=1" }, "Pin 2: Choose a board."],
    ["a board that is a number", { board_id: 5 }, "Pin 2: Choose a board."],
    ["a board of nobody", { board_id: "999999999999" }, "Pin 2: This board is not one of the account's."],
    ["no title", { title: undefined }, "Pin 2: A pin needs a title."],
    ["an empty title", { title: " \u0000\n " }, "Pin 2: A pin needs a title."],
    ["a title of another kind", { title: ["a"] }, "Pin 2: A pin needs a title."],
    ["a long title", { title: "x".repeat(101) }, "Pin 2: The title may have at most 100 characters."],
    ["a long description", { description: "x".repeat(801) }, /^Pin 2: The description may have at most 800 /],
    ["a description of another kind", { description: 7 }, "Pin 2: The description is a text."],
    ["a script as link", { url: "javascript:alert(1)" }, "Pin 2: The link must be a full http or https address."],
    ["data as link", { url: "data:text/html,x" }, "Pin 2: The link must be a full http or https address."],
    ["a file as link", { url: "file:///etc/passwd" }, "Pin 2: The link must be a full http or https address."],
    ["half a link", { url: "//x.example" }, "Pin 2: The link must be a full http or https address."],
    ["a link of 4,000 characters", { url: `https://x.example/${"y".repeat(4_000)}` }, /^Pin 2: The link may have /],
    ["no image", { image: undefined }, "Pin 2: Choose an image."],
  ])("R-BULK-04 %s", async (_, change, text) => {
    const { status, json } = await sendChanged(change);
    expect([status, json]).toEqual([400, invalid(typeof text === "string" ? text : expect.stringMatching(text))]);
    expect(Object.keys(Object(json.fields))).toEqual(["pins[1]"]);
  });

  test.each(bad)("QUALITY §2.14 §2.15 R-SRV-07 $name", async ({ file, says }) => {
    const { status, json } = await sendChanged({ image: file, type: "image/jpeg" });
    expect([status, json]).toEqual([400, { ...invalid(expect.stringMatching(says)), kept: ["pins[0]"] }]);
    expect(json.message).toMatch(/^Pin 2: /);
  });

  test("several faults: the first in `message`, all of them in `fields`", async () => {
    const { json } = await sendPins(maker, [{ title: "a" }, { board_id: maker.boardId }]);
    expect(json.message).toBe("Pin 1: Choose a board.");
    expect(json.fields).toEqual({
      "pins[0]": ["Pin 1: Choose a board.", "Pin 1: Choose an image."],
      "pins[1]": ["Pin 2: A pin needs a title.", "Pin 2: Choose an image."],
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
    ["one more than came", (form) => form.set("number_of_pins", "3"), /is 3, but 2 came/],
    ["one fewer than came", (form) => form.set("number_of_pins", "1"), /is 1, but 2 came/],
    ["a gap", (form) => form.set("pins[7]", form.get("pins[1]") ?? ""), /is 2, but 3 came/],
    ["no JSON", (form) => form.set("pins[1]", "{"), /^Pin 2: Choose a board/],
    ["a list as a pin", (form) => form.set("pins[1]", "[]"), /^Pin 2: /],
  ])("A-18 R-BULK-02 %s", async (_, change, text) => {
    const form = bulkForm({ account: maker.accountId, pins: await goodPins(maker.boardId, 2) });
    change(form);
    const { status, json } = await post(maker.token, form);
    expect([status, json]).toEqual([400, invalid(expect.stringMatching(text))]);
  });

  test("A-18 R-BULK-02 a text as image is no image", async () => {
    const form = bulkForm({ account: maker.accountId, pins: await goodPins(maker.boardId, 2) });
    form.set("pins[1][image]", "no file");
    const { status, json } = await post(maker.token, form);
    const words = expect.stringMatching(/^Pin 2: This file is not an image/);
    expect([status, json]).toEqual([400, { ...invalid(words), kept: ["pins[0]"] }]);
  });

  test("R-BULK-08 a digest that is none, and one of an image that is not kept", async () => {
    for (const [image_sha256, says] of [
      ["x", "Pin 2: The digest of an image is its SHA-256 in hexadecimal."],
      [7, "Pin 2: The digest of an image is its SHA-256 in hexadecimal."],
      ["0".repeat(64), "Pin 2: This image is not here any more. Send it again."],
    ]) {
      const { status, json } = await sendChanged({ image: undefined, image_sha256 });
      expect([status, json.message]).toEqual([400, says]);
    }
  });

  test("A-18 more images than pins, the same part twice, too many files", async () => {
    const extra = bulkForm({ account: maker.accountId, pins: await goodPins(maker.boardId, 1) });
    extra.set("pins[1][image]", new File([new Uint8Array(await samplePhoto())], "b.jpg"));
    expect((await post(maker.token, extra)).json.message).toMatch(/is 1, but 2 images came/);
    const twice = bulkForm({ account: maker.accountId, pins: await goodPins(maker.boardId, 1) });
    twice.append("pins[0]", "{}");
    expect((await post(maker.token, twice)).json.message).toBe("Each part of the body needs a name of its own.");
    const many = new FormData();
    for (let n = 0; n < 101; n++) many.set(`pins[${n}][image]`, new File(["x"], "x.jpg"));
    expect((await post(maker.token, many)).json.message).toBe("At most 100 files can be sent at once.");
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
    const { status, json } = await post(maker.token, body, { "content-type": type });
    expect([status, json]).toMatchObject([400, { code: "invalid", message: expect.any(String) }]);
  });

  test("after all of it there is not one pin", async () => {
    expect(await postsOf(maker)).toEqual([]);
  });
});

describe("A-14 32 MB", () => {
  const boundary = "a-boundary";
  const head = (name: string) =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"; filename="x.png"\r\nContent-Type: image/png\r\n\r\n`;

  /** A file whose size nobody announced: it grows while it is sent. `sent` counts how much of it was asked for. */
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

  test("A-14 QUALITY §2.14 33 MB are 413 with a readable message, announced or not, whatever comes before", async () => {
    const large = Buffer.concat([await png(), Buffer.alloc(33_000_000)]);
    const announced = await sendPins(maker, await goodPins(maker.boardId, 1, { image: large }));
    expect([announced.status, announced.json]).toEqual([
      413,
      errorBody("too_large", "An image may have at most 32 MB."),
    ]);
    const { body } = flood(await png(), 33);
    const streamed = await post(maker.token, body, { "content-type": `multipart/form-data; boundary=${boundary}` });
    expect([streamed.status, streamed.json]).toEqual([413, errorBody("too_large", "An image may have at most 32 MB.")]);
  });

  test("A-14 an image of 31 MB is taken, and shrunk", async () => {
    const image = Buffer.concat([await png(), Buffer.alloc(31_000_000)]);
    const { status } = await sendPins(maker, await goodPins(maker.boardId, 1, { image }));
    expect(status).toBe(200);
    const [made] = await postsOf(maker);
    const served = await fetch(`${inject("app").baseUrl}${made?.image_url}`);
    expect((await served.arrayBuffer()).byteLength).toBeLessThan(1_000_000);
  });

  test("R-API-30 without a login not even a large body is looked at, and the answer still comes", async () => {
    const form = bulkForm({
      account: maker.accountId,
      pins: await goodPins(maker.boardId, 1, { image: Buffer.alloc(20_000_000) }),
    });
    const { status, json } = await post(null, form);
    expect([BULK, status, json]).toEqual([BULK, 401, errorBody("unauthenticated")]);
  });
});
