import { expect, onTestFinished, test } from "vitest";
import { userEvent } from "vitest/browser";
import { CarouselScreen } from "#components/formats/carousel-screen.tsx";
import { useVideo, type VideoChoice } from "#components/formats/use-video.ts";
import { VideoScreen } from "#components/formats/video-screen.tsx";
import { IMAGE_BYTES_MAX } from "#lib/features/pins/constants.ts";
import { chooseNewPlaces } from "#tests/support/component/new-places.ts";
import { BOARDS } from "#tests/support/component/pins.tsx";
import { renderScreen } from "#tests/support/component/render.tsx";

const ACCOUNTS = [{ id: "account_1", username: "fern" }];
const boards = { items: [{ id: "101", name: "Cabins", description: "", privacy: "PUBLIC" }] };
const answers = { [BOARDS]: boards, "GET /api/users/pinterest/boards/*/*/sections/": { items: [] } };

/** A tiny image that every browser decodes. */
const imageFile = async (name: string): Promise<File> => {
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [40, 60];
  canvas.getContext("2d")?.fillRect(0, 0, 40, 60);
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, "image/png"));
  return new File([blob ?? ""], name, { type: "image/png" });
};

const drop = (files: readonly File[]): void => {
  const dataTransfer = new DataTransfer();
  for (const file of files) dataTransfer.items.add(file);
  document.body.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
};

test("a carousel asks for two images, keeps their order editable, and leaves out the sixth", async () => {
  const path = "/app/create-pin/carousel";
  const { screen } = await renderScreen(<CarouselScreen accounts={ACCOUNTS} />, { path, answers });
  const add = screen.getByLabelText(/images$|^Choose 2 to 5/).first();
  await screen.getByRole("button", { name: "Create carousel" }).click();
  await expect.element(screen.getByText("A carousel has 2 to 5 images.")).toBeVisible();
  await expect.element(add).toHaveAccessibleDescription("A carousel has 2 to 5 images.");
  await expect.element(add).toHaveAttribute("aria-invalid", "true");
  await expect.element(screen.getByText("Enter a title.")).toBeVisible();
  await add.upload(await Promise.all([1, 2, 3, 4, 5, 6].map((n) => imageFile(`${n}.png`))));
  await expect.element(screen.getByText("A carousel can have up to 5 images. 1 image was left out.")).toBeVisible();
  await screen.getByLabelText("Title of slide 1").fill("First");
  await screen.getByRole("button", { name: "Move slide 1 down" }).click();
  await expect.element(screen.getByLabelText("Title of slide 2")).toHaveValue("First");
  await screen.getByLabelText("Link of slide 3").fill("not a link");
  await screen.getByRole("button", { name: "Create carousel" }).click();
  await expect.element(screen.getByText(/^Enter a complete link/)).toBeVisible();
  await screen.getByRole("button", { name: "Remove slide 3" }).click();
  await expect.element(screen.getByRole("listitem", { name: "Slide 5" })).not.toBeInTheDocument();
});

test("the preview shows the pin while it is written, with its first slide", async () => {
  const path = "/app/create-pin/carousel";
  const { screen } = await renderScreen(<CarouselScreen accounts={ACCOUNTS} />, { path, answers });
  await screen.getByRole("button", { name: "Preview of your pin" }).click();
  const preview = screen.getByRole("region", { name: "Preview of your pin" });
  await expect.element(preview.getByText("No image yet")).toBeVisible();
  await screen.getByLabelText("Title", { exact: true }).fill("Moss walls");
  await expect.element(preview.getByText("Moss walls")).toBeVisible();
  const add = screen.getByLabelText(/^Choose 2 to 5/).first();
  await add.upload(await Promise.all([1, 2].map((n) => imageFile(`${n}.png`))));
  const first = () => screen.getByRole("listitem", { name: "Slide 1" }).element().querySelector("img")?.src;
  await expect.poll(() => preview.element().querySelector("img")?.src).toBe(first());
  expect(first()).toMatch(/^blob:/);
});

test("moved and removed slides keep the focus, and the new position is announced", async () => {
  const path = "/app/create-pin/carousel";
  const { screen } = await renderScreen(<CarouselScreen accounts={ACCOUNTS} />, { path, answers });
  drop(await Promise.all([1, 2, 3].map((n) => imageFile(`${n}.png`))));
  const button = (name: string) => screen.getByRole("button", { name });
  await button("Move slide 1 down").click();
  await expect.element(screen.getByText("Slide 1 is now slide 2 of 3.")).toBeInTheDocument();
  await expect.element(button("Move slide 2 down")).toHaveFocus();
  await userEvent.keyboard("{Enter}{Enter}");
  await expect.element(screen.getByText("Slide 2 is now slide 3 of 3.")).toBeInTheDocument();
  await expect.element(button("Move slide 3 down")).toHaveFocus();
  await expect.element(button("Move slide 3 down")).toHaveAttribute("aria-disabled", "true");
  await button("Remove slide 2").click();
  await expect.element(button("Remove slide 2")).toHaveFocus();
  await userEvent.keyboard("{Enter}");
  await expect.element(button("Remove slide 1")).toHaveFocus();
  await userEvent.keyboard("{Enter}");
  await expect.element(screen.getByLabelText(/^Choose 2 to 5/)).toHaveFocus();
});

test("a rejected submit focuses its first problem, and an image that is too large is named at the image", async () => {
  const path = "/app/create-pin/carousel";
  const { screen } = await renderScreen(<CarouselScreen accounts={ACCOUNTS} />, { path, answers });
  const submit = screen.getByRole("button", { name: "Create carousel" });
  await screen.getByLabelText("Board", { exact: true }).selectOptions("101");
  await submit.click();
  await expect.element(screen.getByLabelText("Title", { exact: true })).toHaveFocus();
  await expect.element(screen.getByText("Some fields need your attention.")).toBeVisible();
  await screen.getByLabelText("Title", { exact: true }).fill("Baking");
  const large = new File([new Uint8Array(IMAGE_BYTES_MAX + 1)], "large.png", { type: "image/png" });
  drop([await imageFile("1.png"), large]);
  await submit.click();
  await expect.element(screen.getByText("Images can be up to 32 MB.")).toHaveFocus();
  await expect.element(screen.getByLabelText("Link of slide 2")).not.toHaveAttribute("aria-invalid");
});

test("a video that the browser can't show needs a cover image", async () => {
  const path = "/app/create-pin/video";
  const { screen } = await renderScreen(<VideoScreen accounts={ACCOUNTS} />, { path, answers });
  await screen.getByRole("button", { name: "Create video pin" }).click();
  await expect.element(screen.getByLabelText(/^Choose a video/)).toHaveFocus();
  await expect.element(screen.getByLabelText(/^Choose a video/)).toHaveAccessibleDescription("Choose a video.");
  await screen.getByLabelText(/^Choose a video/).upload(new File(["words"], "words.mp4", { type: "video/mp4" }));
  await expect.element(screen.getByText(/^Your browser can't show this video/)).toBeVisible();
  await expect.element(screen.getByText("Choose a cover image.")).toBeVisible();
  await screen.getByLabelText(/^Choose a cover image/).upload(await imageFile("cover.png"));
  await expect.element(screen.getByText("Your image")).toBeVisible();
  await expect.element(screen.getByText("Choose a cover image.")).not.toBeInTheDocument();
});

/** Holds the encoding of frames until `finish`. */
const holdEncoding = () => {
  const { toBlob } = HTMLCanvasElement.prototype;
  const held: (() => void)[] = [];
  HTMLCanvasElement.prototype.toBlob = function hold(callback, ...rest) {
    held.push(() => toBlob.call(this, callback, ...rest));
  };
  onTestFinished(() => {
    HTMLCanvasElement.prototype.toBlob = toBlob;
  });
  return { finish: () => held.splice(0).forEach((encode) => void encode()) };
};

const player = (): HTMLVideoElement => {
  const element = document.createElement("video");
  Object.defineProperties(element, { videoWidth: { value: 40 }, videoHeight: { value: 60 } });
  return element;
};

/** Shows the choice of `useVideo` as text. */
const renderChoice = async () => {
  let choice: VideoChoice | null = null;
  const Probe = () => {
    choice = useVideo();
    const { cover } = choice;
    return <p>{cover === null ? "No cover" : cover.at === null ? "Image" : `Frame at ${cover.at}`}</p>;
  };
  const { screen } = await renderScreen(<Probe />, { path: "/app/create-pin/video" });
  const current = (): VideoChoice => {
    if (!choice) throw new Error("Nothing is rendered.");
    return choice;
  };
  return { screen, current };
};

test("while the player looks for a place, the frame there is awaited, and another choice counts instead", async () => {
  const { screen, current } = await renderChoice();
  const element = player();
  let [at, isSeeking] = [1, true];
  Object.defineProperties(element, { currentTime: { get: () => at }, seeking: { get: () => isSeeking } });
  const taken = current().takeFrame(element);
  // It goes on to another place.
  element.dispatchEvent(new Event("seeked"));
  await expect.element(screen.getByText("No cover")).toBeVisible();
  [at, isSeeking] = [7, false];
  element.dispatchEvent(new Event("seeked"));
  await taken;
  await expect.element(screen.getByText("Frame at 7")).toBeVisible();
  isSeeking = true;
  const late = current().takeFrame(element);
  current().chooseCover(await imageFile("cover.png"));
  isSeeking = false;
  element.dispatchEvent(new Event("seeked"));
  await late;
  await expect.element(screen.getByText("Image")).toBeVisible();
});

test("a frame that is encoded late doesn't become the cover of another video, or replace a chosen image", async () => {
  const { screen, current } = await renderChoice();
  const image = await imageFile("cover.png");
  const encoding = holdEncoding();
  const video = (name: string) => new File(["words"], name, { type: "video/mp4" });
  current().chooseVideo(video("a.mp4"));
  let taken = current().takeFrame(player());
  current().chooseVideo(video("b.mp4"));
  encoding.finish();
  await taken;
  await expect.element(screen.getByText("No cover")).toBeVisible();
  taken = current().takeFrame(player());
  current().chooseCover(image);
  encoding.finish();
  await taken;
  await expect.element(screen.getByText("Image")).toBeVisible();
  taken = current().takeFrame(player());
  encoding.finish();
  await taken;
  await expect.element(screen.getByText("Frame at 0")).toBeVisible();
});

test("a new board or section is chosen once it is created", async () => {
  const path = "/app/create-pin/carousel";
  const { screen, calls } = await renderScreen(<CarouselScreen accounts={ACCOUNTS} />, { path, answers });
  await chooseNewPlaces(screen, calls, boards.items);
  await expect.element(screen.getByLabelText("Board", { exact: true })).toHaveValue("777");
  await expect.element(screen.getByLabelText("Section", { exact: true })).toHaveValue("8");
});
