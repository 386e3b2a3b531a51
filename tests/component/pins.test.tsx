import { expect, test } from "vitest";
import { userEvent } from "vitest/browser";
import { formatDateTime } from "#lib/core/time.ts";
import { PIN_PAGE_SIZE } from "#lib/features/pins/constants.ts";
import type { PinWire } from "#lib/features/pins/schema.ts";
import { failWith, pendingResponse, unreachable } from "#tests/support/component/calls.ts";
import { done, draftsOf, listOf, manyDrafts, openPins, POSTS, SCHEDULE } from "#tests/support/component/pins.tsx";
import { pinWire } from "#tests/support/component/wires.ts";

test("R-POST-01, R-POST-02, R-POST-03, R-POST-04, R-POST-05, R-POST-06, R-POST-09, R-ROUTE-24 selects the first account, filters by five statuses, refreshes, and selects only drafts", async () => {
  const pins = [...draftsOf("Cabin", "Linen"), pinWire({ id: "pin_9", title: "Ridge", status: "published" })];
  const { screen, calls, tab, button } = await openPins(pins);
  const chosen = () => screen.container.querySelectorAll("input[type=checkbox]:checked").length;
  await expect.element(screen.getByLabelText("Account")).toHaveValue("account_1");
  for (const word of ["published", "scheduled", "draft", "failed", "all"]) {
    await tab(word.charAt(0).toUpperCase() + word.slice(1)).click();
    await expect.poll(() => calls.to(POSTS).at(-1)?.query.get("status")).toBe(word);
    expect(calls.to(POSTS).at(-1)?.path).toContain("account_1");
  }
  const before = calls.to(POSTS).length;
  await button("Refresh").click();
  await expect.poll(() => calls.to(POSTS).length).toBeGreaterThan(before);
  await expect.poll(() => screen.getByRole("checkbox", { name: /^Select / }).elements().length).toBe(2);
  await button("Select all drafts").click();
  await expect.element(screen.getByText("2 selected")).toBeVisible();
  expect(chosen()).toBe(2);
  await button("Clear").click();
  await expect.poll(chosen).toBe(0);
  await button("Undo").click();
  await expect.element(screen.getByText("2 selected")).toBeVisible();
});

test("R-SCH-01, R-SCH-02, R-SCH-03, R-SCH-05, R-SCH-06, A-35 schedules every 60 minutes by default, 1 minute at least, in the order of selection", async () => {
  const answers = { [SCHEDULE]: { last_publish: "2026-12-01T10:00:00Z" } };
  const { screen, calls, bar, pick, button } = await openPins(draftsOf("One", "Two", "Three", "Four"), { answers });
  expect(bar.elements()).toEqual([]);
  for (const title of ["Three", "One", "Four"]) await pick(title).click();
  const interval = screen.getByLabelText("Interval in minutes");
  await expect.element(interval).toHaveValue(60);
  await expect.element(screen.getByText("2h 0m")).toBeVisible();
  for (const wrong of ["0", "1.5", "43201", ""]) {
    await interval.fill(wrong);
    const text = "The interval must be a whole number of minutes from 1 to 43,200.";
    await expect.element(screen.getByText(text)).toBeVisible();
    await expect.element(button("Schedule 3 pins")).toBeDisabled();
  }
  await interval.fill("1");
  await expect.element(screen.getByText("0h 2m")).toBeVisible();
  await button("Schedule 3 pins").click();
  await expect
    .poll(() => calls.to(SCHEDULE)[0]?.body)
    .toEqual({ post_ids: ["pin_3", "pin_1", "pin_4"], interval_minutes: 1 });
});

test("R-SCH-07, R-SCH-08, R-ERR-16, R-ERR-17, R-POST-08 shows the last time in the user's time zone; keeps the selection after a failure", async () => {
  const { screen, calls, pick, button, notice } = await openPins(draftsOf("Cabin", "Linen"), {
    answers: { [SCHEDULE]: failWith(500) },
  });
  await pick("Cabin").click();
  await button("Schedule 1 pin").click();
  await expect.element(notice).toMatchTextContent("Failed to schedule posts for publishing");
  await expect.element(screen.getByText("1 selected")).toBeVisible();
  const last_publish = "2026-12-01T10:00:00Z";
  calls.set({ [SCHEDULE]: { last_publish } });
  await button("Schedule 1 pin").click();
  const last = formatDateTime(last_publish, "Asia/Kathmandu");
  await expect
    .element(notice)
    .toMatchTextContent(`Successfully scheduled 1 pins for publishing. Last pin will be published by ${last}`);
  expect(screen.getByText("1 selected").elements()).toEqual([]);
});

test("R-POST-07 closes the details by Escape, backdrop and X", async () => {
  const { openDetails } = await openPins(draftsOf("Cabin"));
  const details = await openDetails("Cabin");
  await userEvent.keyboard("{Escape}");
  await expect.element(details).not.toBeInTheDocument();
  await openDetails("Cabin");
  await userEvent.click(document.documentElement, { position: { x: 5, y: 5 } });
  await expect.element(details).not.toBeInTheDocument();
  await openDetails("Cabin");
  await details.getByRole("button", { name: "Close" }).click();
  await expect.element(details).not.toBeInTheDocument();
});

test("R-POST-10, R-ERR-09 shows a load failure and no pins of another list", async () => {
  const pins = draftsOf("Cabin");
  const { screen, calls, tab, titles, button } = await openPins(pins);
  calls.set({ [POSTS]: failWith(500) });
  await tab("Draft").click();
  await expect.element(screen.getByText("Failed to fetch generated posts")).toBeVisible();
  expect(titles()).toEqual([]);
  expect(new URLSearchParams(location.search).get("account")).toBe("account_1");
  calls.set({ [POSTS]: ({ query }) => listOf(pins, query) });
  await button("Try again").click();
  await expect.poll(titles).toEqual(["Cabin"]);
});

test("R-POST-10 keeps the failure and the focus on its button until the next attempt ends", async () => {
  const { screen, calls, titles, button } = await openPins(draftsOf("Cabin"), {
    isPainted: true,
    answers: { [POSTS]: failWith(500) },
  });
  const alert = screen.getByText("Failed to fetch generated posts");
  await expect.element(alert).toBeVisible();
  const held = pendingResponse();
  calls.set({ [POSTS]: held.hold });
  await button("Try again").click();
  await expect.poll(held.count).toBe(1);
  await expect.element(button("Try again")).toHaveFocus();
  await expect.element(alert).toBeVisible();
  expect(titles()).toEqual([]);
  await held.answer(failWith(500)());
  await expect.element(alert).toBeVisible();
});

test("R-POST-07 Undo after switching tabs shows the pin in the current list", async () => {
  const pins = draftsOf("Cabin", "Linen");
  const { screen, openDetails, tab, titles, button } = await openPins(pins, {
    answers: {
      "ACTION deleteDraftsAction": () => {
        pins.shift();
        return done();
      },
      "ACTION restoreDraftsAction": () => {
        pins.unshift(...draftsOf("Cabin"));
        return done();
      },
    },
  });
  const details = await openDetails("Cabin");
  await details.getByRole("button", { name: /^Delete/ }).click();
  await expect.poll(titles).toEqual(["Linen"]);
  await tab("Draft").click();
  await expect.poll(() => screen.container.querySelector("[role=tabpanel]")?.getAttribute("aria-busy")).toBe("false");
  await button("Undo").click();
  await expect.poll(titles).toEqual(["Cabin", "Linen"]);
});

test("R-POST-10 a failed page stays failed while live events update the counts", async () => {
  const pins = manyDrafts(PIN_PAGE_SIZE + 1);
  let pages = 0;
  const { screen, calls, live } = await openPins(pins, {
    answers: {
      [POSTS]: ({ query }: { query: URLSearchParams }) => {
        if (query.has("cursor")) {
          pages += 1;
          return failWith(500)();
        }
        return listOf(pins, query);
      },
    },
  });
  const text = screen.getByText("We couldn't load more pins.");
  window.scrollTo(0, document.body.scrollHeight);
  await expect.element(text).toBeInTheDocument();
  const before = pages;
  const counted = () => calls.to(POSTS).filter(({ query }) => query.get("limit") === "1").length;
  live.send("post", pinWire({ id: "pin_2", title: "Draft 2", status: "scheduled" }));
  await expect.poll(counted).toBe(1);
  await expect.element(text).toBeInTheDocument();
  expect(pages).toBe(before);
});

test("R-POST-07 requires a title, and keeps the input after a connection failure", async () => {
  const fields = { title: ["Enter a title."] };
  const { screen, calls, openDetails } = await openPins(draftsOf("Cabin"), {
    answers: { "ACTION editDraftAction": { ok: false, code: "invalid", text: "Enter a title.", fields } },
  });
  const details = await openDetails("Cabin");
  await details.getByRole("button", { name: "Edit", exact: true }).click();
  const title = screen.getByLabelText("Title", { exact: true });
  const save = details.getByRole("button", { name: "Save" });
  await title.fill("");
  await save.click();
  await expect.element(details.getByText("Enter a title.")).toBeVisible();
  await expect.element(title).toHaveFocus();
  calls.set({ "ACTION editDraftAction": unreachable });
  await title.fill("Typed with care");
  await save.click();
  await expect.element(details.getByText("We couldn't reach the server. Please try again.")).toBeVisible();
  await expect.element(title).toHaveValue("Typed with care");
  calls.set({ "ACTION editDraftAction": done() });
  await save.click();
  await expect.element(title).not.toBeInTheDocument();
  expect(calls.to("ACTION editDraftAction").at(-1)?.body).toMatchObject([{ pinId: "pin_1", title: "Typed with care" }]);
});

test("R-POST-07, R-POST-10 keeps Pin Details and its input when the list fails to load", async () => {
  const { screen, live, calls, pick, openDetails } = await openPins(draftsOf("Cabin", "Ridge"));
  await pick("Ridge").click();
  const details = await openDetails("Cabin");
  await details.getByRole("button", { name: "Edit", exact: true }).click();
  const title = screen.getByLabelText("Title", { exact: true });
  await title.fill("A cabin, typed while the list was asked for");
  calls.set({ [POSTS]: unreachable });
  live.send("reset", {});
  await expect.element(screen.getByText("Failed to fetch generated posts")).toBeInTheDocument();
  await expect.element(title).toHaveValue("A cabin, typed while the list was asked for");
  await expect.element(screen.getByText("1 selected")).toBeInTheDocument();
});

test("R-POST-07 asks before discarding edits in Pin Details and keeps the focus in the form", async () => {
  const { screen, button, openDetails } = await openPins(draftsOf("Cabin"));
  const details = await openDetails("Cabin");
  const edit = details.getByRole("button", { name: "Edit", exact: true });
  const title = screen.getByLabelText("Title", { exact: true });
  const confirmation = screen.getByRole("dialog", { name: "Discard your changes?" });
  await edit.click();
  await expect.element(title).toHaveFocus();
  await details.getByRole("button", { name: "Cancel" }).click();
  await expect.element(edit).toHaveFocus();
  await edit.click();
  await title.fill("Typed with care");
  await userEvent.keyboard("{Escape}");
  await confirmation.getByRole("button", { name: "Keep editing" }).click();
  await expect.element(title).toHaveValue("Typed with care");
  await expect.element(title).toHaveFocus();
  await details.getByRole("button", { name: "Close" }).click();
  await confirmation.getByRole("button", { name: "Discard" }).click();
  await expect.element(details).not.toBeInTheDocument();
  await expect.element(button("Pin Details: Cabin")).toHaveFocus();
  await openDetails("Cabin");
  await edit.click();
  await expect.element(title).toHaveValue("Cabin");
});

const MOVE = "POST /api/users/pinterest/move-pins/";

test("unscheduling in Pin Details can be undone, which says so; a refused one keeps the details open", async () => {
  const at = "2099-03-12T14:00:00.000Z";
  const [cabin] = draftsOf("Cabin");
  if (!cabin) throw new Error("One was made.");
  const pins: PinWire[] = [{ ...cabin, status: "scheduled", scheduled_at: at }];
  const refusal = { error: "This pin is being published.", message: "This pin is being published." };
  const { screen, calls, button, notice, openDetails } = await openPins(pins, {
    answers: {
      "ACTION readPinAction": done({ post: pins[0], attempts: [], video: null, slides: [] }),
      [MOVE]: failWith(409, refusal),
    },
  });
  const details = await openDetails("Cabin");
  await button("Unschedule").click();
  await expect.element(notice.getByText("This pin is being published.")).toBeVisible();
  await expect.element(details).toBeVisible();
  await expect.element(button("Undo")).not.toBeInTheDocument();
  calls.set({
    [MOVE]: ({ body }) => {
      const { moves } = body as { moves: { to: string | null }[] };
      const to = moves[0]?.to ?? null;
      pins[0] = { ...cabin, status: to === null ? "draft" : "scheduled", scheduled_at: to };
      return { moved: 1 };
    },
  });
  await button("Unschedule").click();
  await expect.element(details).not.toBeInTheDocument();
  await expect.element(screen.getByText("Pin moved back to drafts")).toBeVisible();
  await expect.element(screen.getByRole("checkbox", { name: /^Select Cabin/ })).toBeVisible();
  await button("Undo").click();
  await expect.element(screen.getByRole("checkbox", { name: /^Select Cabin/ })).not.toBeInTheDocument();
  const [, away, back] = calls.to(MOVE).map(({ body }) => body);
  expect(away).toEqual({ moves: [{ post_id: "pin_1", from: at, to: null }], is_undo: false });
  expect(back).toEqual({ moves: [{ post_id: "pin_1", from: null, to: at }], is_undo: true });
});
