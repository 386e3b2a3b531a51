import { expect, test } from "vitest";
import { type Locator, page, userEvent } from "vitest/browser";
import { addMs, DAY_MS } from "#lib/core/time.ts";
import { localTimeOf } from "#lib/core/zoned-time.ts";
import type { PinWire, PlannedEdit } from "#lib/features/pins/schema.ts";
import { type Answers, failWith, type RecordedCall, SECTIONS } from "#tests/support/component/calls.ts";
import { BOARDS, done, draftsOf, listOf, openPins, POSTS } from "#tests/support/component/pins.tsx";

const ZONE = "Asia/Kathmandu";
const PREVIEW = "ACTION previewEditsAction";
const boards = {
  items: ["Cabins", "Walks"].map((name, at) => ({ id: String(101 + at), name, description: "", privacy: "PUBLIC" })),
};

/** A preview in which every pin gets an ending, unless `problemOf` returns a problem. */
const planned =
  (problemOf: (id: string) => string | null = () => null) =>
  ({ body }: RecordedCall) => {
    const [{ pinIds }] = body as [{ pinIds: string[] }];
    const edits = pinIds.map((id): PlannedEdit => {
      const changes: PlannedEdit["changes"] = [{ field: "description", before: "", after: "#slow" }];
      return { id, title: id, changes: problemOf(id) ? [] : changes, problem: problemOf(id) };
    });
    return done({ edits });
  };

const open = async (titles: readonly string[], answers: Answers = {}) => {
  const pins = draftsOf(...titles);
  const shown = await openPins(pins, { answers: { [PREVIEW]: planned(), ...answers } });
  for (const title of titles) await shown.pick(title).click();
  const confirmation = shown.screen.getByRole("dialog", { name: "Discard your changes?" });
  return {
    ...shown,
    pins,
    use: (tool: string) => shown.tools.getByRole("button", { name: tool, exact: true }).click(),
    answer: (name: string) => confirmation.getByRole("button", { name }).click(),
  };
};

test("asks before discarding a change of several pins", async () => {
  const { screen, use, answer } = await open(["Cabin", "Ridge"]);
  const dialog = screen.getByRole("dialog", { name: "Edit 2 pins" });
  await use("Edit");
  await expect.element(dialog).toBeVisible();
  await userEvent.keyboard("{Escape}");
  await expect.element(dialog).not.toBeInTheDocument();
  await use("Edit");
  const ending = dialog.getByLabelText("Add to the end of each description");
  await ending.fill("#slow");
  await userEvent.keyboard("{Escape}");
  await answer("Keep editing");
  await expect.element(ending).toHaveValue("#slow");
  await expect.element(ending).toHaveFocus();
  await dialog.getByRole("button", { name: "Close" }).click();
  await answer("Discard");
  await expect.element(dialog).not.toBeInTheDocument();
  await use("Edit");
  await expect.element(ending).toHaveValue("");
});

test("R-BULK-04 names a pin whose text would become too long and leaves it out on request", async () => {
  const problem = "Adding this text makes the description longer than 800 characters.";
  const { screen, calls, use } = await open(["Short", "Long"], {
    [PREVIEW]: planned((id) => (id === "pin_2" ? problem : null)),
    "ACTION editDraftsAction": done({ edited: 1, undo: null }),
  });
  await use("Edit");
  const dialog = screen.getByRole("dialog", { name: /^Edit / });
  await dialog.getByLabelText("Add to the end of each description").fill("#slow");
  await dialog.getByLabelText("Replace the alt text of each pin").fill("A cabin in the snow.");
  await expect.element(dialog.getByText(problem)).toBeVisible();
  await expect.element(dialog.getByText("1 of 2 pins will change.")).toBeVisible();
  await expect.element(dialog.getByRole("button", { name: "Update", exact: true })).toBeDisabled();
  await dialog.getByRole("button", { name: "Exclude this pin" }).click();
  await expect.element(screen.getByRole("dialog", { name: "Edit 1 pin" })).toBeVisible();
  await dialog.getByRole("button", { name: "Update 1 pin" }).click();
  await expect.element(screen.getByText("1 pin updated")).toBeVisible();
  expect(calls.to("ACTION editDraftsAction")[0]?.body).toMatchObject([
    { pinIds: ["pin_1"], change: { descriptionSuffix: "#slow", altText: "A cabin in the snow." } },
  ]);
});

test("R-ERR-08 every form with boards can retry loading them", async () => {
  const { screen, calls, button, use, openDetails } = await open(["Cabin"], { [BOARDS]: failWith(500) });
  const board = screen.getByLabelText("Board", { exact: true });
  const tryAgain = async () => {
    await expect.element(screen.getByText("Failed to fetch boards")).toBeVisible();
    calls.set({ [BOARDS]: boards });
    button("Try again").element().focus();
    await userEvent.keyboard("{Enter}");
    await expect.element(button("Try again")).not.toBeInTheDocument();
  };
  await use("Edit");
  await tryAgain();
  await expect.element(board).toHaveFocus();
  await button("Cancel").click();
  calls.set({ [BOARDS]: failWith(500) });
  await use("Duplicate");
  await tryAgain();
  await expect.element(screen.getByRole("checkbox", { name: "Cabins (current board)" })).toHaveFocus();
  await button("Cancel").click();
  calls.set({ [BOARDS]: failWith(500) });
  const details = await openDetails("Cabin");
  await details.getByRole("button", { name: "Edit", exact: true }).click();
  const title = details.getByLabelText("Title", { exact: true });
  await title.fill("Typed with care");
  await tryAgain();
  await expect.element(board).toHaveFocus();
  await expect.element(title).toHaveValue("Typed with care");
});

test("a new board can be created where boards are chosen, without sending the form around it", async () => {
  const board = { id: "777", name: "Moss walls", description: "", privacy: "PUBLIC" };
  const refusal = { ok: false, code: "invalid", text: "Invalid.", fields: { name: ["Enter a name for the board."] } };
  const { screen, calls, use, openDetails } = await open(["Cabin"], {
    [BOARDS]: boards,
    "ACTION createBoardAction": refusal,
  });
  const create = async (within: Locator) => {
    await within.getByRole("button", { name: "New board" }).click();
    const dialog = screen.getByRole("dialog", { name: "New board" });
    await dialog.getByLabelText("Name").fill("Moss walls");
    return dialog;
  };
  await use("Duplicate");
  const duplicate = screen.getByRole("dialog", { name: /^Duplicate/ });
  const dialog = await create(duplicate);
  await dialog.getByRole("button", { name: "Create board" }).click();
  await expect.element(dialog.getByText("Enter a name for the board.")).toBeVisible();
  calls.set({ "ACTION createBoardAction": done(board), [BOARDS]: { items: [...boards.items, board] } });
  await dialog.getByLabelText("Name").fill("Moss walls");
  await userEvent.keyboard("{Enter}");
  await expect.element(duplicate.getByRole("checkbox", { name: "Moss walls" })).toBeChecked();
  await expect.element(dialog).not.toBeInTheDocument();
  await duplicate.getByRole("button", { name: "Cancel" }).click();
  const details = await openDetails("Cabin");
  await details.getByRole("button", { name: "Edit", exact: true }).click();
  await (await create(details)).getByRole("button", { name: "Create board" }).click();
  await expect.element(details.getByLabelText("Board", { exact: true })).toHaveValue("777");
  expect(calls.to("ACTION editDraftAction")).toEqual([]);
});

test("a section can be chosen or created with its board, and another board leaves it", async () => {
  const { screen, calls, openDetails } = await open(["Cabin"], {
    [BOARDS]: boards,
    [SECTIONS]: ({ path }: RecordedCall) => ({ items: path.includes("/101/") ? [{ id: "7", name: "Fall" }] : [] }),
    "ACTION createSectionAction": done({ id: "9", name: "Spring" }),
    "ACTION editDraftAction": done({}),
  });
  const details = await openDetails("Cabin");
  await details.getByRole("button", { name: "Edit", exact: true }).click();
  const section = details.getByLabelText("Section", { exact: true });
  await section.selectOptions("Fall");
  await details.getByLabelText("Board", { exact: true }).selectOptions("Walks");
  await expect.element(section).not.toBeInTheDocument();
  await details.getByRole("button", { name: "New section" }).click();
  const dialog = screen.getByRole("dialog", { name: "New section" });
  await expect.element(dialog.getByText(/in your board “Walks”/)).toBeVisible();
  await dialog.getByLabelText("Name").fill("Spring");
  await userEvent.keyboard("{Enter}");
  await expect.element(section).toHaveValue("9");
  await details.getByRole("button", { name: "Save", exact: true }).click();
  await expect.poll(() => calls.to("ACTION editDraftAction").length).toBe(1);
  expect(calls.to("ACTION editDraftAction")[0]?.body).toMatchObject([{ boardId: "102", boardSectionId: "9" }]);
  expect(calls.to("ACTION createSectionAction")[0]?.body).toMatchObject([{ boardId: "102", name: "Spring" }]);
});

test("sections that can't be loaded say so, and load again on request", async () => {
  const { calls, openDetails } = await open(["Cabin"], { [BOARDS]: boards, [SECTIONS]: failWith(502) });
  const details = await openDetails("Cabin");
  await details.getByRole("button", { name: "Edit", exact: true }).click();
  await expect.element(details.getByText("We couldn't load the sections of this board.")).toBeVisible();
  calls.set({ [SECTIONS]: { items: [{ id: "7", name: "Fall" }] } });
  await details.getByRole("button", { name: "Try again" }).click();
  await expect.element(details.getByLabelText("Section", { exact: true })).toHaveValue("");
});

test("R-SRV-05 shows a disconnected account where boards are chosen", async () => {
  const error = "Please connect this Pinterest account again.";
  const { screen, use } = await open(["Cabin"], { [BOARDS]: failWith(409, { error, message: error }) });
  await use("Edit");
  await expect.element(screen.getByRole("dialog").getByText(error)).toBeVisible();
});

test("deletes selected drafts by keyboard, keeps the focus on the list, and restores them with Undo", async () => {
  const { screen, pins, calls, tools, tab, button, titles } = await open(["Cabin", "Ridge"]);
  calls.set({ "ACTION deleteDraftsAction": done(), "ACTION restoreDraftsAction": done() });
  calls.set({ [POSTS]: ({ query }) => listOf(calls.to("ACTION restoreDraftsAction").length ? pins : [], query) });
  tools.getByRole("button", { name: "Delete" }).element().focus();
  await userEvent.keyboard("{Enter}");
  await expect.element(screen.getByText("2 pins deleted")).toBeVisible();
  await expect.poll(titles).toEqual([]);
  await expect.element(tab("All")).toHaveFocus();
  await button("Undo").click();
  await expect.poll(titles).toEqual(["Cabin", "Ridge"]);
  expect(calls.to("ACTION restoreDraftsAction")[0]?.body).toEqual([{ pinIds: ["pin_1", "pin_2"] }]);
});

test("R-SCH-01 shows the tools as a menu above the schedule bar on phones", async () => {
  await page.viewport(390, 844);
  const { screen, tools, button } = await open(["Cabin", "Ridge"]);
  const menu = tools.getByRole("button", { name: "Actions" });
  menu.element().focus();
  await userEvent.keyboard("{Enter}");
  await expect.element(screen.getByRole("menuitem", { name: "Edit" })).toHaveFocus();
  await userEvent.keyboard("{Enter}");
  await expect.element(screen.getByRole("dialog", { name: "Edit 2 pins" })).toBeVisible();
  await userEvent.keyboard("{Escape}");
  await expect.element(menu).toHaveFocus();
  await expect.element(button("Schedule 2 pins")).toBeInViewport();
});

test("R-SRV-06 reschedules a pin in the user's time zone and rejects past times", async () => {
  const due = addMs(new Date(), DAY_MS);
  const { screen, pins, live, calls, openDetails } = await open(["Cabin"], {
    "ACTION reschedulePinAction": done(),
    "ACTION readPinAction": { ok: false, code: "not_found", text: "No receipt in this test." },
  });
  pins[0] = { ...(pins[0] as PinWire), status: "scheduled", scheduled_at: due.toISOString() };
  live.send("post", pins[0]);
  const details = await openDetails("Cabin");
  await details.getByRole("button", { name: "Reschedule" }).click();
  const dialog = screen.getByRole("dialog", { name: "When should this pin be published?" });
  await expect.element(dialog.getByText(`In ${ZONE} (GMT+5:45)`)).toBeVisible();
  const local = localTimeOf(due, ZONE);
  const [date, time] = [dialog.getByLabelText("Date"), dialog.getByLabelText("Time")];
  await expect.element(date).toHaveValue(local.date);
  await expect.element(time).toHaveValue(local.time);
  const move = dialog.getByRole("button", { name: "Save new time" });
  await expect.element(move).toBeDisabled();
  await date.fill(localTimeOf(addMs(new Date(), -2 * DAY_MS), ZONE).date);
  await expect.element(dialog.getByText("This time has passed. Choose a later one.")).toBeVisible();
  await expect.element(move).toBeDisabled();
  const later = localTimeOf(addMs(new Date(), 9 * DAY_MS), ZONE).date;
  await date.fill(later);
  await time.fill("07:30");
  await move.click();
  await expect.element(dialog).not.toBeInTheDocument();
  const at = new Date(`${later}T07:30:00+05:45`).toISOString();
  expect(calls.to("ACTION reschedulePinAction")[0]?.body).toEqual([{ pinId: "pin_1", at }]);
  await expect.element(details.getByRole("button", { name: "Reschedule" })).toHaveFocus();
});

test("R-POST-06 shows feed and close-up previews by keyboard", async () => {
  const { screen, openDetails } = await open(["Cabin"]);
  const details = await openDetails("Cabin");
  details.getByRole("radio", { name: "Image" }).element().focus();
  await userEvent.keyboard("{ArrowRight}");
  const shown = () => screen.baseElement.querySelector("[data-slot=pin-preview]")?.textContent;
  await expect.poll(() => shown()).toContain("fern");
  expect(shown()).toContain("Cabin");
  await userEvent.keyboard("{ArrowRight}");
  await expect.poll(() => shown()).toContain("No destination link");
});

/** Wider than a pin's frame. */
const WIDE =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' width='1200' height='1000'%3E%3Crect width='1200' height='1000' fill='%23386b50'/%3E%3C/svg%3E";

test("R-POST-06, R-BULK-07, A-15 shows a wide image uncropped in feed and close-up previews", async () => {
  const pins = draftsOf("Wide").map((pin) => ({ ...pin, image_url: WIDE, placeholder: WIDE }));
  const { screen, openDetails } = await openPins(pins);
  // In the grid, the frame stays 9:14 and the image is not cropped.
  const face = screen.container.querySelector("[data-slot=pin-card] .pin-face");
  expect(face && face.clientWidth / face.clientHeight).toBeCloseTo(9 / 14, 2);
  await expect.poll(() => getComputedStyle(face?.querySelector("img") as Element).objectFit).toBe("contain");
  const details = await openDetails("Wide");
  for (const view of ["Image", "Feed", "Close-up"]) {
    await details.getByRole("radio", { name: view }).click();
    const shape = () => {
      const img = details.element().querySelector<HTMLImageElement>("[data-slot=pin-preview] .pin-face img");
      return img?.complete ? img.clientWidth / img.clientHeight / (img.naturalWidth / img.naturalHeight) : 0;
    };
    await expect.poll(shape, { message: view }).toBeCloseTo(1, 1);
  }
});

const MOVE = "POST /api/users/pinterest/move-pins/";
const TAKEN = "Another pin has taken one of these slots.";

test("selected drafts fill the next free slots after their times were shown; without slots it leads to them", async () => {
  const planned = ["pin_1", "pin_2"].map((post_id, at) => ({
    ...{ post_id, at: `2099-03-1${at + 1}T03:15:00.000Z`, clock: "plain" },
  }));
  const none = { ok: false, code: "invalid", text: "Add posting slots first." };
  const { screen, calls, pins, use } = await open(["One", "Two"], {
    "ACTION planIntoSlotsAction": none,
    "ACTION checkTimesAction": done([]),
    [MOVE]: failWith(409, { error: TAKEN, message: TAKEN }),
  });
  await use("Fill free slots");
  const dialog = screen.getByRole("dialog", { name: "Fill free slots" });
  await expect.element(dialog.getByText("Add posting slots first.")).toBeVisible();
  await expect.element(dialog.getByRole("link", { name: "Set up posting slots" })).toBeVisible();
  calls.set({ "ACTION planIntoSlotsAction": done(planned) });
  await dialog.getByLabelText("Spread").selectOptions("Evenly over 7 days or more");
  await expect.element(dialog.getByText("Wed, Mar 11, 9:00 AM")).toBeVisible();
  expect(calls.to(MOVE)).toEqual([]);
  const later = planned.map((one) => ({ ...one, at: one.at.replace("-03-", "-04-") }));
  calls.set({ "ACTION planIntoSlotsAction": done(later) });
  await dialog.getByRole("button", { name: "Schedule 2 pins" }).click();
  await expect.element(screen.getByText(TAKEN)).toBeVisible();
  await expect.element(dialog.getByText(/^Sat, Apr 11/)).toBeVisible();
  calls.set({
    [MOVE]: () => {
      for (const pin of pins) pin.status = "scheduled";
      return { moved: 2 };
    },
  });
  await dialog.getByRole("button", { name: "Schedule 2 pins" }).click();
  await expect.element(screen.getByText(/2 pins scheduled for Sat, Apr 11, .* and later/)).toBeVisible();
  expect(calls.to(MOVE)[1]?.body).toEqual({
    moves: later.map(({ post_id, at }) => ({ post_id, from: null, to: at })),
    ...{ is_undo: false, into_free_slots: true },
  });
});
