import { createHash, randomBytes } from "node:crypto";
import { connect } from "node:net";
import sharp from "sharp";
import { describe, expect, inject, test } from "vitest";
import { bulkForm } from "#tests/support/bulk-form.ts";
import { callApp, signUp } from "#tests/support/contract-client.ts";
import { movingGif, photo, png } from "#tests/support/sample-images.ts";
import { BULK, createPinCreator, goodPins, pinsOf, post, sendPins } from "./bulk-harness.ts";
import { errorBody } from "./wire-harness.ts";

const creditsOf = async (user: { call: typeof callApp }) =>
  Object((await user.call("/api/users/credits/")).json).available_credits;

const readImage = async (url: unknown): Promise<Buffer> =>
  Buffer.from(await (await fetch(`${inject("app").baseUrl}${url}`)).arrayBuffer());

describe("POST /api/users/pinterest/create-bulk/", () => {
  test("R-API-09 R-BULK-08 R-BULK-09 R-BULK-11 A-17 creates drafts in the order of the rows, each with its own texts, board and image, for no credits", async () => {
    const creator = await createPinCreator();
    const [first, second] = await goodPins(creator.boardId, 2);
    const { status, json } = await sendPins(creator, [
      { ...first, title: "  Fern  ", url: "https://garden.example/fern", alt_text: "A fern" },
      { ...second, description: undefined, image: await png(), type: "text/html", fileName: "../../x.svg" },
    ]);
    expect([status, json.message]).toEqual([200, "Pins created successfully!"]);
    const own = {
      account_id: creator.accountId,
      board_id: creator.boardId,
      status: "draft",
      keyword: null,
      reason: null,
    };
    expect(json.posts).toMatchObject([
      { ...own, title: "Fern", description: "Soft.", url: "https://garden.example/fern", alt_text: "A fern" },
      { ...own, title: "Moss 2", description: "", url: null, alt_text: "" },
    ]);
    const posts = await pinsOf(creator);
    expect(posts).toEqual(json.posts);
    expect(posts.map(({ image_url }) => image_url)).toEqual([
      expect.stringMatching(/^\/api\/images\/signed\/\d+\/[\w-]{22}\/pins\/[0-9a-f]{40}\.jpg$/),
      expect.stringMatching(/^\/api\/images\/signed\/\d+\/[\w-]{22}\/pins\/[0-9a-f]{40}\.jpg$/),
    ]);
    expect(await creditsOf(creator.user)).toBe(5);
  });

  test("R-SRV-07 A-15 stores the image upright, uncropped and without metadata", async () => {
    const creator = await createPinCreator();
    await sendPins(creator, await goodPins(creator.boardId, 1));
    const [post0] = await pinsOf(creator);
    const jpeg = await readImage(post0?.image_url);
    const { format, width, height, exif, iptc, xmp, icc } = await sharp(jpeg).metadata();
    expect({ format, width, height, exif, iptc, xmp, icc }).toEqual({ format: "jpeg", width: 200, height: 300 });
    expect(jpeg.includes("Canary Camera")).toBe(false);
  });

  test("A-18 accepts pins[i] or pins alone; with both, pins[i] wins", async () => {
    const creator = await createPinCreator();
    const pins = await goodPins(creator.boardId, 2);
    for (const shape of ["single", "all"] as const) {
      const answer = await post(creator.token, bulkForm({ account: creator.accountId, pins, shape }));
      expect([shape, answer.status]).toEqual([shape, 200]);
    }
    const both = bulkForm({ account: creator.accountId, pins });
    both.set("pins", JSON.stringify(pins.map(() => ({ board_id: "x", title: "The other" }))));
    const { json } = await post(creator.token, both);
    expect(json.posts).toMatchObject([{ title: "Moss 1" }, { title: "Moss 2" }]);
  });

  test("R-BULK-06 uses the first frame of an animated GIF and reports the pins", async () => {
    const creator = await createPinCreator();
    const pins = await goodPins(creator.boardId, 2);
    const moving = { ...pins[1], image: await movingGif(500), type: "image/gif" };
    const { status, json } = await sendPins(creator, [pins[0] ?? {}, moving]);
    expect([status, json.first_frames]).toEqual([200, [2]]);
  });

  test("R-SRV-07 serves only the pixels of an image with a false type and appended files", async () => {
    const creator = await createPinCreator();
    const behind = Buffer.from("<html><script>alert(1)</script>PK\x03\x04");
    const image = Buffer.concat([await png(), behind]);
    const pins = await goodPins(creator.boardId, 1, { image, fileName: "../a page.html", type: "text/html" });
    expect((await sendPins(creator, pins)).status).toBe(200);
    const [made] = await pinsOf(creator);
    const served = await fetch(`${inject("app").baseUrl}${made?.image_url}`);
    expect([served.headers.get("content-type"), served.headers.get("x-content-type-options")]).toEqual([
      "image/jpeg",
      "nosniff",
    ]);
    const bytes = Buffer.from(await served.arrayBuffer());
    expect([bytes.includes("script"), bytes.includes("PK"), bytes.subarray(-2)]).toEqual([
      false,
      false,
      Buffer.from([0xff, 0xd9]),
    ]);
  });

  test("R-API-30 also works without the slash; 401 without a login, 405 for another method", async () => {
    const creator = await createPinCreator();
    const form = bulkForm({ account: creator.accountId, pins: await goodPins(creator.boardId, 1) });
    const unslashed = await fetch(`${inject("app").baseUrl}${BULK.slice(0, -1)}`, {
      method: "POST",
      body: form,
      headers: { authorization: `Bearer ${creator.token}` },
      redirect: "manual",
    });
    expect(unslashed.status).toBe(200);
    const none = await post(null, bulkForm({ account: creator.accountId, pins: await goodPins(creator.boardId, 1) }));
    expect([none.status, none.json]).toEqual([401, errorBody("unauthenticated")]);
    const got = await callApp(BULK);
    expect([got.status, got.headers.get("allow"), got.json]).toEqual([405, "POST", errorBody("method_not_allowed")]);
    expect(await pinsOf(creator)).toHaveLength(1);
  });

  test("R-API-31 returns the same 404 for another user's and a missing account, and creates nothing", async () => {
    const [owner, stranger] = [await createPinCreator(), await createPinCreator()];
    for (const account of [owner.accountId, `acc_${"0".repeat(26)}`, "acc_1", "'; drop table pins; --"]) {
      const answer = await post(stranger.token, bulkForm({ account, pins: await goodPins(owner.boardId, 1) }));
      expect([answer.status, answer.json]).toEqual([
        404,
        errorBody("not_found", "We can't find this. It may have been deleted."),
      ]);
    }
    const board = await sendPins(stranger, await goodPins(owner.boardId, 1));
    expect([board.status, board.json.message]).toEqual([
      400,
      "Pin 1: This board doesn't belong to the selected account.",
    ]);
    expect([...(await pinsOf(owner)), ...(await pinsOf(stranger))]).toEqual([]);
  });

  test("creates pins once for a repeated key; other pins with the key are 409", async () => {
    const creator = await createPinCreator();
    const key = { "idempotency-key": randomBytes(12).toString("hex") };
    const pins = await goodPins(creator.boardId, 2);
    const answers = await Promise.all([1, 2, 3].map(() => sendPins(creator, pins, key)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    const again = await sendPins(creator, pins, key);
    for (const { json } of [...answers, again]) expect(json.posts).toEqual(again.json.posts);
    expect(await pinsOf(creator)).toHaveLength(2);
    const other = await sendPins(creator, await goodPins(creator.boardId, 1), key);
    expect([other.status, other.json.code]).toEqual([409, "wrong_state"]);
    const neighbour = await createPinCreator();
    expect((await sendPins(neighbour, await goodPins(neighbour.boardId, 1), key)).status).toBe(200);
    expect(await pinsOf(creator)).toHaveLength(2);
  });

  test("R-API-32 allows requests from allowed origins; other origins cannot read the response", async () => {
    const { baseUrl } = inject("app");
    const ask = (origin: string) =>
      callApp(BULK, { method: "OPTIONS", headers: { origin, "access-control-request-method": "POST" } });
    const own = await ask(new URL(baseUrl).origin);
    expect([own.status, own.headers.get("access-control-allow-origin")]).toEqual([204, new URL(baseUrl).origin]);
    expect(own.headers.get("access-control-allow-headers")).toContain("idempotency-key");
    expect((await ask("https://evil.example")).headers.get("access-control-allow-origin")).toBeNull();
    const user = await signUp();
    const answer = await post(user.token, "{}", { origin: new URL(baseUrl).origin });
    expect([answer.status, answer.headers.get("access-control-allow-origin")]).toEqual([400, new URL(baseUrl).origin]);
  });

  test("serves WebP thumbnails in two widths only, under the signature of their image", async () => {
    const creator = await createPinCreator();
    await sendPins(creator, await goodPins(creator.boardId, 1, { image: await png(1_000, 1_500) }));
    const [post0] = await pinsOf(creator);
    const small = String(post0?.image_url).replace(/\.jpg$/, ".w360.webp");
    const answer = await fetch(`${inject("app").baseUrl}${small}`);
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "image/webp"]);
    expect(answer.headers.get("cache-control")).toMatch(/^private, max-age=\d+, immutable$/);
    expect(await sharp(await answer.arrayBuffer()).metadata()).toMatchObject({ width: 360, height: 540 });
    for (const other of [".w361.webp", ".w99999.webp", ".webp", ".w360.avif"]) {
      expect((await callApp(small.replace(".w360.webp", other))).status).toBe(404);
    }
    expect((await callApp(small.replace(/[0-9a-f]{40}/, "0".repeat(40)))).status).toBe(404);
  });

  test("R-BULK-08 after a rejection, accepts one new image and digests for the saved ones", async () => {
    const creator = await createPinCreator();
    const [first, second] = await goodPins(creator.boardId, 2);
    const refused = await sendPins(creator, [first ?? {}, { ...second, image: Buffer.from("not an image") }]);
    expect([refused.status, refused.json.kept]).toEqual([400, ["pins[0]"]]);
    const image_sha256 = createHash("sha256")
      .update(first?.image ?? "")
      .digest("hex");
    const { status, json } = await sendPins(creator, [
      { ...first, image: undefined, image_sha256 },
      { ...second, image: await png() },
    ]);
    expect([status, json.message]).toEqual([200, "Pins created successfully!"]);
    const [kept] = await pinsOf(creator);
    expect(kept?.image_url).toMatch(/^\/api\/images\/signed\/\d+\/[\w-]{22}\/pins\/[0-9a-f]{40}\.jpg$/);
    expect(await sharp(await readImage(kept?.image_url)).metadata()).toMatchObject({ format: "jpeg" });
    const other = await createPinCreator();
    const stolen = await sendPins(other, [{ ...first, board_id: other.boardId, image: undefined, image_sha256 }]);
    expect([stolen.status, stolen.json.message]).toEqual([
      400,
      "Pin 1: This image is no longer available. Upload it again.",
    ]);
  });

  test("R-BULK-08 saves complete images of an interrupted upload for the next try", async () => {
    const creator = await createPinCreator();
    const [first, second] = await goodPins(creator.boardId, 2);
    const image = await photo(320, 240);
    const head = (n: number) =>
      `--cut\r\nContent-Disposition: form-data; name="pins[${n}][image]"; filename="x.jpg"\r\n\r\n`;
    const line = connect(Number(new URL(inject("app").baseUrl).port), "127.0.0.1");
    // The server may also close the connection.
    line.on("error", () => undefined);
    line.write(
      `POST ${BULK} HTTP/1.1\r\nHost: ${new URL(inject("app").baseUrl).host}\r\nAuthorization: Bearer ${creator.token}\r\n` +
        "Content-Type: multipart/form-data; boundary=cut\r\nContent-Length: 9000000\r\n\r\n",
    );
    line.write(Buffer.concat([Buffer.from(head(0)), image, Buffer.from(`\r\n${head(1)}half an im`)]));
    await expect
      .poll(() => line.bytesWritten - line.writableLength, { timeout: 20_000 })
      .toBeGreaterThan(image.byteLength);
    line.end(() => line.destroySoon());
    const image_sha256 = createHash("sha256").update(image).digest("hex");
    const again = () =>
      sendPins(creator, [
        { ...first, image: undefined, image_sha256 },
        { ...second, image },
      ]);
    await expect.poll(async () => (await again()).status, { timeout: 60_000, interval: 500 }).toBe(200);
    const [kept, sent] = await pinsOf(creator);
    expect(await readImage(kept?.image_url)).toEqual(await readImage(sent?.image_url));
  });

  test("stores and serves hostile text unchanged", async () => {
    const creator = await createPinCreator();
    const title = `<img src=x onerror=alert(1)> '; drop table pins; --`;
    const { json } = await sendPins(
      creator,
      await goodPins(creator.boardId, 1, {
        title: `${title}\u0000`,
        id: "pin_1",
        user_id: "usr_1",
        status: "published",
      }),
    );
    expect(json.posts).toMatchObject([{ title, status: "draft", id: expect.stringMatching(/^pin_.{26}$/) }]);
  });
});
