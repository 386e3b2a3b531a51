import { expect, onTestFinished, test, vi } from "vitest";
import { BulkScreen } from "#components/bulk-create/bulk-screen.tsx";
import type { Answers } from "#tests/support/component/calls.ts";
import { BOARDS } from "#tests/support/component/pins.tsx";
import { renderScreen } from "#tests/support/component/render.tsx";
import { type HeldUpload, holdUploads } from "#tests/support/component/uploads.ts";
import { pinWire } from "#tests/support/component/wires.ts";

const SAVED = "ACTION findSavedUploadsAction";
const IMAGE_BYTES = 1_000;
const boards = { items: [{ id: "101", name: "Cabins", description: "", privacy: "PUBLIC" }] };

/** Starts like a JPEG, so that the form accepts it. */
const jpeg = (name: string, fill = 0): File => {
  const bytes = new Uint8Array(IMAGE_BYTES).fill(fill);
  bytes.set([0xff, 0xd8, 0xff, 0xe0]);
  return new File([bytes], name, { type: "image/jpeg" });
};

const drafts = (count: number) => ({
  message: "Pins created successfully!",
  posts: Array.from({ length: count }, (_, at) => pinWire({ id: `pin_${at}` })),
  first_frames: [] as number[],
});

/** Opens the form with `files` and a board, ready to be sent. */
const open = async (files: File[], answers: Answers = {}) => {
  const uploads = holdUploads();
  const { screen, calls, live } = await renderScreen(
    <BulkScreen userId={crypto.randomUUID()} accounts={[{ id: "account_1", username: "fern" }]} />,
    { path: "/app/create-pin", answers: { [BOARDS]: boards, ...answers } },
  );
  await screen.getByLabelText(/^Choose images/).upload(files);
  const rows = () => screen.getByRole("listitem", { name: /^Pin \d+$/ });
  await expect.poll(() => rows().elements().length).toBe(files.length);
  await screen.getByLabelText("Board of pin 1", { exact: true }).selectOptions("101");
  const create = screen.getByRole("button", { name: /^Create \d+ pins?$/ });
  /** Sends the form, and returns the upload. */
  const send = async (): Promise<HeldUpload> => {
    const before = uploads.length;
    await create.click();
    await expect.poll(() => uploads.length).toBe(before + 1);
    return uploads.at(-1) as HeldUpload;
  };
  const image = (n: number) => screen.getByLabelText(`Choose an image for pin ${n}`, { exact: true });
  return { screen, calls, live, uploads, rows, create, send, image };
};

/** The names of the images that an upload carries, by row; null for a digest of a saved image. */
const imagesIn = ({ form }: HeldUpload): (string | null)[] =>
  Array.from({ length: Number(form.get("number_of_pins")) }, (_, at) => {
    const file = form.get(`pins[${at}][image]`);
    const text = Object(JSON.parse(String(form.get(`pins[${at}]`))));
    expect(file === null, `row ${at}`).toBe(/^[0-9a-f]{64}$/.test(text.image_sha256));
    return file instanceof File ? file.name : null;
  });

const keyOf = ({ headers }: HeldUpload) => headers.get("idempotency-key") ?? "";

test("R-BULK-08, R-BULK-10, R-ENT-07 resends only the image that failed; the others are saved", async () => {
  const names = ["a.jpg", "b.jpg", "c.jpg"];
  const { screen, rows, send, image } = await open(names.map((name, at) => jpeg(name, at)));
  const first = await send();
  expect(imagesIn(first)).toEqual(names);
  const text = "This image is damaged. Export it again, then upload the new file.";
  first.answer(400, { message: text, fields: { "pins[1]": [`Pin 2: ${text}`] }, kept: ["pins[0]", "pins[2]"] });
  await expect.element(rows().nth(1).getByText(text)).toBeVisible();
  await expect.element(screen.getByText("One pin needs your attention.")).toBeVisible();
  await image(2).upload(jpeg("new.jpg", 9));
  const second = await send();
  expect(imagesIn(second)).toEqual([null, "new.jpg", null]);
  // A rejection that does not mention saved images does not resend all of them.
  second.answer(400, { message: "The upload was interrupted.", code: "invalid" });
  await expect.element(screen.getByText("The upload was interrupted.")).toBeVisible();
  const third = await send();
  expect(imagesIn(third)).toEqual([null, "new.jpg", null]);
  third.answer(200, drafts(3));
  await expect.element(screen.getByText("Your 3 drafts are in Generated Posts.")).toBeVisible();
});

test("R-BULK-10, R-ERR-15 shows the server's message or 'Failed to create pins', keeps the input, and retries as the same request", async () => {
  const { screen, send } = await open([jpeg("moss_garden-1.jpg")]);
  const title = screen.getByLabelText("Title of pin 1", { exact: true });
  const message = "Pinterest asks you to connect again.";
  const first = await send();
  first.answer(409, { error: "x", message });
  await expect.element(screen.getByRole("alert").getByText(message)).toBeVisible();
  await expect.element(title).toHaveValue("moss garden 1");
  const second = await send();
  second.lose();
  await expect.element(screen.getByRole("alert").getByText("Failed to create pins")).toBeVisible();
  const third = await send();
  // The same key creates nothing twice, even if the second request arrived.
  expect(new Set([first, second, third].map(keyOf)).size).toBe(1);
  third.lose();
  await title.fill("Another title");
  const fourth = await send();
  expect(keyOf(fourth)).not.toBe(keyOf(third));
  fourth.answer(200, { ...drafts(1), first_frames: [1] });
  await expect
    .element(
      screen.getByText(/Your draft is in Generated Posts. We used the first frame of the animated GIF for pin 1/),
    )
    .toBeVisible();
});

test("R-BULK-08 without digests, a lost or stopped upload starts again with all images; a change removes the message", async () => {
  const { screen, rows, create, send } = await open(["a.jpg", "b.jpg", "c.jpg"].map((name, at) => jpeg(name, at)));
  // Like a page without TLS.
  for (const name of ["subtle", "randomUUID"] as const) {
    Object.defineProperty(crypto, name, { value: undefined, configurable: true });
    onTestFinished(() => void Reflect.deleteProperty(crypto, name));
  }
  const first = await send();
  first.lose();
  const lost =
    "The connection was lost before the first image was uploaded. Select Create again to upload all of them.";
  await expect.element(screen.getByText(lost, { exact: true })).toBeVisible();
  const second = await send();
  second.progress(1.5 * IMAGE_BYTES);
  await expect.element(screen.getByText("1 of 3 images uploaded")).toBeVisible();
  await screen.getByRole("button", { name: "Stop" }).click();
  const stopped = screen.getByText("Stopped after 1 of 3 images. Select Create again to upload all of them.");
  await expect.element(stopped).toBeVisible();
  await expect.element(create).toBeEnabled();
  await screen.getByRole("button", { name: "Remove pin 3", exact: true }).click();
  await expect.poll(() => rows().elements().length).toBe(2);
  await expect.element(stopped).not.toBeInTheDocument();
  expect(imagesIn(await send())).toEqual(["a.jpg", "b.jpg"]);
});

test("R-BULK-08 after a stop, only what the server has not saved is sent; stopping that search keeps the message", async () => {
  const { screen, calls, uploads, create, send } = await open([jpeg("a.jpg", 1), jpeg("b.jpg", 2)], {
    [SAVED]: ({ body }) => ({ ok: true, value: Object(body)[0].digests }),
  });
  const first = await send();
  first.progress(1.5 * IMAGE_BYTES);
  await expect.element(screen.getByText("1 of 2 images uploaded")).toBeVisible();
  await screen.getByRole("button", { name: "Stop" }).click();
  const stopped = screen.getByText("Stopped after 1 of 2 images. Select Create again to upload the rest.");
  await expect.element(stopped).toBeVisible();

  const gate = Promise.withResolvers<void>();
  const digest = crypto.subtle.digest.bind(crypto.subtle);
  const held = vi
    .spyOn(crypto.subtle, "digest")
    .mockImplementation((...all) => gate.promise.then(() => digest(...all)));
  await create.click();
  await screen.getByRole("button", { name: "Stop" }).click();
  await expect.element(create).toBeEnabled();
  await expect.element(stopped).toBeVisible();
  gate.resolve();
  await Promise.all(held.mock.results.map(({ value }) => value));
  await new Promise((resolve) => setTimeout(resolve));
  held.mockRestore();
  expect(uploads).toHaveLength(1);

  expect(imagesIn(await send())).toEqual([null, "b.jpg"]);
  expect(uploads).toHaveLength(2);
  expect(calls.to(SAVED).length).toBeGreaterThan(0);
});

const SVG = '<svg xmlns="http://www.w3.org/2000/svg"></svg>';

test("reports files that are not images at their pins before anything is sent, and announces first frames", async () => {
  const files = {
    "a.jpg": "",
    "b.jpg": "not an image at all",
    "c.jpg": SVG,
    "d.jpg": `<!-- x -->\n${SVG}`,
    "e.jpg": "%PDF-1.7",
    "f.jpg": "<!doctype html><title>A page</title>",
    "g.jpg": "II*\0 of a camera",
    "h.jpg": "\0\0\0\x18ftypheic\0\0\0\0",
  };
  const { rows, image, screen, create, uploads } = await open(
    Object.entries(files).map(([name, text]) => new File([text], name, { type: "image/jpeg" })),
  );
  const texts = [
    /is empty/,
    /isn't an image/,
    /an SVG image/,
    /an SVG image/,
    /isn't an image/,
    /isn't an image/,
    /isn't an image/,
    /HEIC/,
  ];
  for (const [at, text] of texts.entries()) await expect.element(rows().nth(at).getByText(text)).toBeVisible();
  await create.click();
  await expect.element(screen.getByText("8 pins need your attention.")).toBeVisible();
  expect(uploads).toEqual([]);
  await image(1).upload(new File(["GIF89a", new Uint8Array(50)], "moves.gif", { type: "image/gif" }));
  await expect.element(screen.getByText("If this GIF is animated, we'll use its first frame.")).toBeVisible();
});

test("warns about each link once after pins are created, as its check ends", async () => {
  const { screen, live, send } = await open([jpeg("a.jpg", 1), jpeg("b.jpg", 2)]);
  const url = "https://example.com/gone";
  const created = drafts(2);
  created.posts = created.posts.map((post) => ({ ...post, url, link_checking: true }));
  (await send()).answer(200, created);
  await expect.element(screen.getByText("Your 2 drafts are in Generated Posts.")).toBeVisible();
  const concern = screen.getByRole("status").filter({ hasText: "Check this link before publishing" });
  await expect.element(concern).not.toBeInTheDocument();
  const link_warning = "This page doesn't exist (404). Check the link.";
  for (const post of created.posts) {
    live.send("post", { ...post, link_checking: false, link_state: "dead", link_warning });
  }
  await expect.element(concern.getByRole("listitem")).toHaveTextContent(`${url} (2 pins): ${link_warning}`);
});
