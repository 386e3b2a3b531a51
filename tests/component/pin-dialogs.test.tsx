import { expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import { addMs, DAY_MS } from "#lib/core/time.ts";
import { wallTimeOf } from "#lib/core/zoned-time.ts";
import type { PlannedEdit, PostWire } from "#lib/features/pins/schema.ts";
import { type Answers, failWith, type RecordedCall } from "#tests/support/component/calls.ts";
import { BOARDS, done, draftsOf, listOf, openPosts, POSTS } from "#tests/support/component/posts.tsx";

const ZONE = "Asia/Kathmandu";
const PREVIEW = "ACTION previewEditsAction";
const boards = {
  items: ["Cabins", "Walks"].map((name, at) => ({ id: String(101 + at), name, description: "", privacy: "PUBLIC" })),
};

/** What a change would do: every pin gets an ending; `problemOf` says what stands against it. */
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
  const posts = draftsOf(...titles);
  const shown = await openPosts(posts, { answers: { [PREVIEW]: planned(), ...answers } });
  for (const title of titles) await shown.pick(title).click();
  const asks = shown.screen.getByRole("dialog", { name: "Discard your changes?" });
  return {
    ...shown,
    posts,
    use: (tool: string) => shown.tools.getByRole("button", { name: tool, exact: true }).click(),
    answer: (name: string) => asks.getByRole("button", { name }).click(),
  };
};

test("DESIGN 5.4 what was typed to change several pins is given up only by who says so", async () => {
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

test("R-BULK-04 a pin whose text would become too long is named and can be left out", async () => {
  const problem = "With this ending the description has more than 800 characters.";
  const { screen, calls, use } = await open(["Short", "Long"], {
    [PREVIEW]: planned((id) => (id === "pin_2" ? problem : null)),
    "ACTION editDraftsAction": done({ edited: 1, undo: null }),
  });
  await use("Edit");
  const dialog = screen.getByRole("dialog", { name: /^Edit / });
  await dialog.getByLabelText("Add to the end of each description").fill("#slow");
  await expect.element(dialog.getByText(problem)).toBeVisible();
  await expect.element(dialog.getByText("1 pin of 2 would change.")).toBeVisible();
  await expect.element(dialog.getByRole("button", { name: "Change", exact: true })).toBeDisabled();
  await dialog.getByRole("button", { name: "Leave out" }).click();
  await expect.element(screen.getByRole("dialog", { name: "Edit 1 pin" })).toBeVisible();
  await dialog.getByRole("button", { name: "Change 1 pin" }).click();
  await expect.element(screen.getByText("1 pin changed")).toBeVisible();
  expect(calls.to("ACTION editDraftsAction")[0]?.body).toMatchObject([{ pinIds: ["pin_1"] }]);
});

test("R-ERR-08 boards that could not be read are asked for again from every form that needs them", async () => {
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
  await expect.element(screen.getByRole("checkbox", { name: "Cabins, where it is now" })).toHaveFocus();
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

test("R-SRV-05 an account that lost its connection says so where its boards are chosen", async () => {
  const error = "Please connect this Pinterest account again.";
  const { screen, use } = await open(["Cabin"], { [BOARDS]: failWith(409, { error, message: error }) });
  await use("Edit");
  await expect.element(screen.getByRole("dialog").getByText(error)).toBeVisible();
});

test("DESIGN 5.4 selected drafts are deleted by keyboard, the focus stays on the list, and Undo brings them back", async () => {
  const { screen, posts, calls, tools, tab, button, titles } = await open(["Cabin", "Ridge"]);
  calls.set({ "ACTION deleteDraftsAction": done(), "ACTION restoreDraftsAction": done() });
  calls.set({ [POSTS]: ({ query }) => listOf(calls.to("ACTION restoreDraftsAction").length ? posts : [], query) });
  tools.getByRole("button", { name: "Delete" }).element().focus();
  await userEvent.keyboard("{Enter}");
  await expect.element(screen.getByText("2 pins deleted")).toBeVisible();
  await expect.poll(titles).toEqual([]);
  await expect.element(tab("All")).toHaveFocus();
  await button("Undo").click();
  await expect.poll(titles).toEqual(["Cabin", "Ridge"]);
  expect(calls.to("ACTION restoreDraftsAction")[0]?.body).toEqual([{ pinIds: ["pin_1", "pin_2"] }]);
});

test("R-SCH-01 on a phone the tools are a menu above the schedule bar", async () => {
  await page.viewport(390, 844);
  const { screen, tools, button } = await open(["Cabin", "Ridge"]);
  const menu = tools.getByRole("button", { name: "Change" });
  menu.element().focus();
  await userEvent.keyboard("{Enter}");
  await expect.element(screen.getByRole("menuitem", { name: "Edit" })).toHaveFocus();
  await userEvent.keyboard("{Enter}");
  await expect.element(screen.getByRole("dialog", { name: "Edit 2 pins" })).toBeVisible();
  await userEvent.keyboard("{Escape}");
  await expect.element(menu).toHaveFocus();
  await expect.element(button("Schedule 2 pins")).toBeInViewport();
});

test("DESIGN 5.4, R-SRV-06 a scheduled pin gets another time by the user's own clock; what has passed is refused", async () => {
  const due = addMs(new Date(), DAY_MS);
  const { screen, posts, live, calls, openDetails } = await open(["Cabin"], {
    "ACTION reschedulePinAction": done(),
    "ACTION readPostAction": { ok: false, code: "not_found", text: "No receipt in this test." },
  });
  posts[0] = { ...(posts[0] as PostWire), status: "scheduled", scheduled_at: due.toISOString() };
  live.send("post", posts[0]);
  const details = await openDetails("Cabin");
  await details.getByRole("button", { name: "Reschedule" }).click();
  const dialog = screen.getByRole("dialog", { name: "When should it go out?" });
  await expect.element(dialog.getByText(`In ${ZONE} (GMT+5:45)`)).toBeVisible();
  const wall = wallTimeOf(due, ZONE);
  const [date, time] = [dialog.getByLabelText("Date"), dialog.getByLabelText("Time")];
  await expect.element(date).toHaveValue(wall.date);
  await expect.element(time).toHaveValue(wall.time);
  const move = dialog.getByRole("button", { name: "Move it" });
  await expect.element(move).toBeDisabled();
  await date.fill(wallTimeOf(addMs(new Date(), -2 * DAY_MS), ZONE).date);
  await expect.element(dialog.getByText("This time has passed. Choose one that is still to come.")).toBeVisible();
  await expect.element(move).toBeDisabled();
  const later = wallTimeOf(addMs(new Date(), 9 * DAY_MS), ZONE).date;
  await date.fill(later);
  await time.fill("07:30");
  await move.click();
  await expect.element(dialog).not.toBeInTheDocument();
  const at = new Date(`${later}T07:30:00+05:45`).toISOString();
  expect(calls.to("ACTION reschedulePinAction")[0]?.body).toEqual([{ pinId: "pin_1", at }]);
  await expect.element(details.getByRole("button", { name: "Reschedule" })).toHaveFocus();
});

test("R-POST-06 the pin as a feed and its close-up show it, by keyboard", async () => {
  const { screen, openDetails } = await open(["Cabin"]);
  const details = await openDetails("Cabin");
  details.getByRole("radio", { name: "Picture" }).element().focus();
  await userEvent.keyboard("{ArrowRight}");
  const shown = () => screen.baseElement.querySelector("[data-slot=pin-preview]")?.textContent;
  await expect.poll(() => shown()).toContain("fern");
  expect(shown()).toContain("Cabin");
  await userEvent.keyboard("{ArrowRight}");
  await expect.poll(() => shown()).toContain("No link: a press leads nowhere");
});

/** Wider than a pin's frame. */
const WIDE =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' width='1200' height='1000'%3E%3Crect width='1200' height='1000' fill='%23386b50'/%3E%3C/svg%3E";

test("R-POST-06, R-BULK-07, A-15 a wide picture is shown whole, as a feed and the close-up of Pinterest show it", async () => {
  const posts = draftsOf("Wide").map((post) => ({ ...post, image_url: WIDE, placeholder: WIDE }));
  const { screen, openDetails } = await openPosts(posts);
  // On the wall its frame keeps 9:14, and nothing of the picture is cut off.
  const face = screen.container.querySelector("[data-slot=post] .pin-face");
  expect(face && face.clientWidth / face.clientHeight).toBeCloseTo(9 / 14, 2);
  await expect.poll(() => getComputedStyle(face?.querySelector("img") as Element).objectFit).toBe("contain");
  const details = await openDetails("Wide");
  for (const view of ["Picture", "Feed", "Close-up"]) {
    await details.getByRole("radio", { name: view }).click();
    const shape = () => {
      const img = details.element().querySelector<HTMLImageElement>("[data-slot=pin-preview] .pin-face img");
      return img?.complete ? img.clientWidth / img.clientHeight / (img.naturalWidth / img.naturalHeight) : 0;
    };
    await expect.poll(shape, { message: view }).toBeCloseTo(1, 1);
  }
});
