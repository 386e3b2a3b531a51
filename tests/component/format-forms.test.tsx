import { expect, test } from "vitest";
import { CarouselScreen } from "#components/formats/carousel-screen.tsx";
import { VideoScreen } from "#components/formats/video-screen.tsx";
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

test("a carousel asks for two images, keeps their order editable, and leaves out the sixth", async () => {
  const path = "/app/create-pin/carousel";
  const { screen } = await renderScreen(<CarouselScreen accounts={ACCOUNTS} />, { path, answers });
  const add = screen.getByLabelText(/images$|^Choose 2 to 5/).first();
  await screen.getByRole("button", { name: "Create carousel" }).click();
  await expect.element(screen.getByText("A carousel has 2 to 5 images.")).toBeVisible();
  await expect.element(screen.getByText("Enter a title.")).toBeVisible();
  await add.upload(await Promise.all([1, 2, 3, 4, 5, 6].map((n) => imageFile(`${n}.png`))));
  await expect.element(screen.getByText("A carousel has up to 5 images. 1 image was left out.")).toBeVisible();
  await screen.getByLabelText("Title of slide 1").fill("First");
  await screen.getByRole("button", { name: "Move slide 1 down" }).click();
  await expect.element(screen.getByLabelText("Title of slide 2")).toHaveValue("First");
  await screen.getByLabelText("Link of slide 3").fill("not a link");
  await screen.getByRole("button", { name: "Create carousel" }).click();
  await expect.element(screen.getByText(/^Enter a complete link/)).toBeVisible();
  await screen.getByRole("button", { name: "Remove slide 3" }).click();
  await expect.element(screen.getByRole("listitem", { name: "Slide 5" })).not.toBeInTheDocument();
});

test("a video that the browser can't show needs a cover image", async () => {
  const path = "/app/create-pin/video";
  const { screen } = await renderScreen(<VideoScreen accounts={ACCOUNTS} />, { path, answers });
  await screen.getByRole("button", { name: "Create video pin" }).click();
  await expect.element(screen.getByText("Choose a video.")).toBeVisible();
  await screen.getByLabelText(/^Choose a video/).upload(new File(["words"], "words.mp4", { type: "video/mp4" }));
  await expect.element(screen.getByText(/^Your browser can't show this video/)).toBeVisible();
  await expect.element(screen.getByText("Choose a cover image.")).toBeVisible();
  await screen.getByLabelText(/^Choose a cover image/).upload(await imageFile("cover.png"));
  await expect.element(screen.getByText("Your own image")).toBeVisible();
  await expect.element(screen.getByText("Choose a cover image.")).not.toBeInTheDocument();
});
