import { expect, test } from "vitest";
import { type Locator, page, userEvent } from "vitest/browser";
import { BulkScreen } from "#components/bulk-create/bulk-screen.tsx";
import { CreatorScreen } from "#components/generation/creator-screen.tsx";
import type { TaskWire, TrackingWire } from "#lib/features/generation/schema.ts";
import { pendingResponse } from "#tests/support/component/calls.ts";
import { BOARDS, done, openPins } from "#tests/support/component/pins.tsx";
import { renderScreen } from "#tests/support/component/render.tsx";
import { IMAGE, pinWire, taskWire } from "#tests/support/component/wires.ts";

const boards = {
  items: ["Cabins", "Walks"].map((name, at) => ({ id: String(101 + at), name, description: "", privacy: "PUBLIC" })),
};

const LONG_TITLE = "Fern wall ideas for small balconies, dark hallways, and every corner that never sees any sun";
const LONG_DESCRIPTION = `Start with moss and a spray bottle. ${"Water it twice a week and keep it out of the sun. ".repeat(5)}`;

const openEdit = async (changes: Parameters<typeof pinWire>[0] = {}) => {
  const pins = [pinWire({ title: "Cabin", description: "Two chairs.", url: "https://www.example.com/a", ...changes })];
  const shown = await openPins(pins, { answers: { "ACTION suggestTextAction": done({ text: "Suggested cabin" }) } });
  const details = await shown.openDetails(pins[0]?.title ?? "");
  const preview = details.getByRole("region", { name: "Preview" });
  return { ...shown, details, preview, edit: () => details.getByRole("button", { name: "Edit", exact: true }).click() };
};

const see = (preview: Locator, text: string) => expect.element(preview.getByText(text, { exact: true })).toBeVisible();

const choose = (preview: Locator, view: string) => preview.getByRole("radio", { name: view }).click();

/** The text of a part of the preview, without the words that Pinterest cuts off. */
const partOf = (preview: Locator, part: "title" | "description") =>
  preview.element().querySelector<HTMLElement>(`[data-slot=preview-${part}]`);

test("shows the typed texts, link, and board at once, and the saved ones after Cancel", async () => {
  const { details, preview, edit } = await openEdit();
  await choose(preview, "Close-up");
  for (const saved of ["Cabin", "Two chairs.", "example.com", "saved to Cabins"]) await see(preview, saved);
  await edit();
  await details.getByLabelText("Title", { exact: true }).fill("Cabin by the lake");
  await see(preview, "Cabin by the lake");
  await details.getByLabelText("Description", { exact: true }).fill("A stove.");
  await details.getByLabelText("Link", { exact: true }).fill("https://shop.example.org/b");
  await details.getByLabelText("Board", { exact: true }).selectOptions("Walks");
  for (const typed of ["A stove.", "shop.example.org", "saved to Walks"]) await see(preview, typed);
  await details.getByRole("button", { name: "Suggest another title" }).click();
  await see(preview, "Suggested cabin");
  await details.getByLabelText("Link", { exact: true }).fill("https://");
  await see(preview, "No destination link");
  await details.getByRole("button", { name: "Cancel" }).click();
  for (const saved of ["Cabin", "Two chairs.", "example.com", "saved to Cabins"]) await see(preview, saved);
  await edit();
  await see(preview, "Cabin");
});

test("a board that is created while editing is in the preview", async () => {
  const board = { id: "777", name: "Moss walls", description: "", privacy: "PUBLIC" };
  const { screen, calls, details, preview, edit } = await openEdit();
  await edit();
  await choose(preview, "Close-up");
  await details.getByRole("button", { name: "New board" }).click();
  const dialog = screen.getByRole("dialog", { name: "New board" });
  await dialog.getByLabelText("Name").fill("Moss walls");
  calls.set({ "ACTION createBoardAction": done(board), [BOARDS]: { items: [...boards.items, board] } });
  await dialog.getByRole("button", { name: "Create board" }).click();
  await see(preview, "saved to Moss walls");
});

test("editing shows the feed unless another view was chosen", async () => {
  const { preview, edit } = await openEdit();
  await expect.element(preview.getByRole("radio", { name: "Image" })).toBeChecked();
  await edit();
  await expect.element(preview.getByRole("radio", { name: "Feed" })).toBeChecked();
  await choose(preview, "Image");
  await expect.element(preview.getByRole("radio", { name: "Phone" })).not.toBeInTheDocument();
});

test("a feed cuts a long title after two lines, a close-up shows it whole and cuts the description", async () => {
  const { details, preview, edit } = await openEdit({ title: LONG_TITLE, description: LONG_DESCRIPTION });
  await edit();
  const isCut = () => {
    const title = partOf(preview, "title");
    return title !== null && title.scrollHeight > title.clientHeight + 1;
  };
  for (const device of ["Phone", "Desktop"]) {
    await choose(preview, device);
    await expect.poll(isCut, { message: device }).toBe(true);
  }
  await see(preview, `Feeds show about 40 characters of a title. Yours has ${LONG_TITLE.length}.`);
  await choose(preview, "Close-up");
  await expect.poll(isCut).toBe(false);
  const description = () => partOf(preview, "description")?.textContent ?? "";
  expect(description()).toMatch(/^Start with moss and a spray bottle\. .{40,70}… more$/);
  await details.getByLabelText("Description", { exact: true }).fill("Moss.\nAnd ferns.");
  await expect.poll(description).toBe("Moss.\nAnd ferns.");
  await details.getByLabelText("Title", { exact: true }).fill("Moss");
  await choose(preview, "Feed");
  await expect.poll(isCut).toBe(false);
  await details.getByLabelText("Title", { exact: true }).fill("");
  await see(preview, "No title yet");
});

test.each([390, 1440])(
  "at %i px, a desktop close-up has the texts beside the image and a phone's below it",
  async (width) => {
    await page.viewport(width, 900);
    const { details, preview } = await openEdit();
    await choose(preview, "Close-up");
    const place = () => {
      const image = preview.element().querySelector(".pin-face")?.getBoundingClientRect();
      const title = partOf(preview, "title")?.getBoundingClientRect();
      return image && title && { isBelow: title.top >= image.bottom, isBeside: title.left >= image.right };
    };
    expect(place()).toEqual({ isBelow: true, isBeside: false });
    preview.getByRole("radio", { name: "Phone" }).element().focus();
    await userEvent.keyboard("{ArrowRight}");
    await expect.poll(place).toEqual({ isBelow: false, isBeside: true });
    expect(details.element().scrollWidth).toBeLessThanOrEqual(details.element().clientWidth);
  },
);

const imageFile = async (): Promise<File> => {
  const canvas = new OffscreenCanvas(400, 200);
  canvas.getContext("2d")?.fillRect(0, 0, 400, 200);
  return new File([await canvas.convertToBlob()], "moss_wall.png", { type: "image/png" });
};

test("a row of the manual creator previews its picked image and what is typed", async () => {
  const { screen } = await renderScreen(
    <BulkScreen userId={crypto.randomUUID()} accounts={[{ id: "account_1", username: "fern" }]} />,
    { path: "/app/create-pin", answers: { [BOARDS]: boards } },
  );
  await screen.getByLabelText("Number of pins").fill("2");
  const toggle = screen.getByRole("button", { name: "Preview of pin 2" });
  await toggle.click();
  const preview = screen.getByRole("region", { name: "Preview of pin 2" });
  await see(preview, "No image yet");
  await see(preview, "No title yet");
  await userEvent.upload(screen.getByLabelText("Choose an image for pin 2", { exact: true }), await imageFile());
  await see(preview, "moss wall");
  const shape = () => {
    const image = preview.element().querySelector("img");
    return image?.complete ? image.clientWidth / image.clientHeight : 0;
  };
  await expect.poll(shape).toBeCloseTo(2, 1);
  await screen.getByLabelText("Title of pin 2", { exact: true }).fill("Moss wall in an hour");
  await see(preview, "Moss wall in an hour");
  await choose(preview, "Close-up");
  await see(preview, "No board chosen");
  await screen.getByLabelText("Board of pin 2", { exact: true }).selectOptions("Walks");
  await see(preview, "saved to Walks");
  await expect.element(screen.getByRole("region", { name: "Preview of pin 1" })).not.toBeInTheDocument();
  await toggle.click();
  await expect.element(preview).not.toBeInTheDocument();
});

test("a pin that is being generated opens in a preview that fills in", async () => {
  const started: Partial<TaskWire> = {
    status: "STARTED",
    description: null,
    image_url: null,
    url: "https://example.com",
  };
  const task = taskWire({ ...started, stage: "TITLE_GENERATED" });
  const tracking = {
    ...{ total_tasks: 2, completed_tasks: 0, progress_percentage: 20, estimated_time_remaining: 30 },
    tasks: [
      task,
      taskWire({ ...started, task_id: "task_2", keyword: "ferns", title: null, stage: "GENERATING_TITLE" }),
    ],
    stage_counts: {} as TrackingWire["stage_counts"],
  } satisfies TrackingWire;
  const { screen, live } = await renderScreen(
    <CreatorScreen
      title="Creator"
      accounts={[{ id: "account_1", username: "fern" }]}
      running={{ groupId: "group_1", quality: "standard", accountId: "account_1", boardId: "102", tracking }}
      keywords={[]}
      start={{ url: null, accountId: null, boardId: null, days: null }}
    />,
    {
      path: "/app/evertack-creator",
      answers: { [BOARDS]: boards, "GET /api/users/pinterest/track-pin-generation/": pendingResponse().hold },
    },
  );
  const opener = screen.getByRole("button", { name: "Preview: Quiet bedroom" });
  expect(screen.getByRole("button", { name: /^Preview: / }).elements()).toHaveLength(1);
  opener.element().focus();
  await userEvent.keyboard("{Enter}");
  const dialog = screen.getByRole("dialog", { name: "Preview" });
  const preview = dialog.getByRole("region", { name: "Preview" });
  await choose(preview, "Close-up");
  for (const text of ["No image yet", "Quiet bedroom", "example.com", "fern", "saved to Walks"]) {
    await expect.element(preview.getByText(text, { exact: text !== "fern" }).first()).toBeVisible();
  }
  live.send("task", { ...task, ...taskWire(), group_id: "group_1" });
  await see(preview, "About bedrooms");
  await expect.poll(() => preview.element().querySelector("img")?.getAttribute("src")).toBe(IMAGE);
  await userEvent.keyboard("{Escape}");
  await expect.element(opener).toHaveFocus();
});
