import { expect, test, vi } from "vitest";
import { ExportMenu } from "#components/spreadsheets/export-menu.tsx";
import type { ProgressWire } from "#lib/features/spreadsheets/schema.ts";
import { answerCalls, failWith, pendingResponse, SECTIONS } from "#tests/support/component/calls.ts";
import { catchDownloads } from "#tests/support/component/downloads.ts";
import { changedBy, fixed, open, row, show, VALUES, wrong } from "#tests/support/component/imports.tsx";
import { render } from "#tests/support/component/render.tsx";
import { holdTimers } from "#tests/support/component/timers.ts";

test("shows problems by field and blocks creation until the row is fixed in place", async () => {
  const { screen, calls } = await show(changedBy("fixRowAction", fixed));
  await expect.element(screen.getByText("Title: Enter a title.")).toBeVisible();
  await expect.element(screen.getByRole("button", { name: "Fix 1 row first" })).toBeDisabled();
  await screen.getByRole("button", { name: "Fix row 3" }).click();
  const title = screen.getByRole("textbox", { name: "Title" });
  await expect.element(title).toHaveFocus();
  await expect.element(title).toHaveAccessibleDescription("Enter a title.");
  await title.fill("Moss two");
  await screen.getByRole("button", { name: "Save row 3" }).click();
  await expect.element(screen.getByRole("button", { name: "Create 2 drafts" })).toBeEnabled();
  expect(calls.to("ACTION fixRowAction").map(({ body }) => body)).toEqual([
    [{ importId: "imp_1", number: 3, fixes: { title: "Moss two" } }],
  ]);
});

test("pins are created only once a change is shown, and as it is shown", async () => {
  const held = pendingResponse();
  const after = { ...fixed, version: 2, is_scheduled: false };
  const before = { ...fixed, is_scheduled: true };
  const { screen, calls } = await show(
    { "ACTION setScheduledAction": held.hold, "ACTION readImportAction": { ok: true, value: before } },
    before,
  );
  const create = screen.getByRole("button", { name: "Create 2 drafts" });
  await expect.element(create).toBeEnabled();
  await screen.getByRole("radio", { name: "Drafts" }).click();
  await expect.element(create).toBeDisabled();
  calls.set({
    "ACTION confirmImportAction": { ok: true, value: null },
    "ACTION readImportAction": { ok: true, value: after },
  });
  await held.answer({ ok: true, value: null });
  await create.click();
  await expect
    .poll(() => calls.to("ACTION confirmImportAction").map(({ body }) => body))
    .toEqual([[{ importId: "imp_1", version: 2, timeZone: after.time_zone }]]);
});

test("times that break the safe pace are counted and named on their rows", async () => {
  const counts = { ...fixed.counts, drafts: 0, scheduled: 2, too_fast: 12 };
  const text = "Doesn't follow your safe pace: your limit is 10 pins a day.";
  const rows = [row(), row({ number: 3, pace_warning: text })];
  const scheduled = { ...fixed, is_scheduled: true, counts, rows };
  const { screen } = await show({ "ACTION readImportAction": { ok: true, value: scheduled } }, scheduled);
  const banner = screen.getByText(
    "12 pins don't follow your safe pace. You can still schedule them, or change the pace.",
  );
  await expect.element(banner).toBeVisible();
  const named = screen.getByText(text);
  expect(named.element().closest("[data-slot=import-row]")?.textContent).toContain("Row 3");
  await expect.element(screen.getByRole("button", { name: "Schedule 2 pins" })).toBeEnabled();
});

test("a refused change says why, and the editor keeps what was typed", async () => {
  const { screen } = await show({
    "ACTION fixRowAction": {
      ok: false,
      code: "wrong_state",
      text: "This import was started or discarded, so it can't be changed. Reload the page to see where it stands.",
    },
    "ACTION readImportAction": { ok: true, value: open() },
  });
  await screen.getByRole("button", { name: "Fix row 3" }).click();
  await screen.getByRole("textbox", { name: "Title" }).fill("Moss two");
  await screen.getByRole("button", { name: "Save row 3" }).click();
  await expect
    .element(
      screen
        .getByTestId("notice")
        .getByText(
          "This import was started or discarded, so it can't be changed. Reload the page to see where it stands.",
        ),
    )
    .toBeVisible();
  await expect.element(screen.getByRole("textbox", { name: "Title" })).toHaveValue("Moss two");
});

test("a row that is being edited stays when the filter no longer includes it", async () => {
  const { screen, calls } = await show({ "ACTION readImportAction": { ok: true, value: open() } });
  await screen.getByRole("button", { name: "Fix row 3" }).click();
  await screen.getByRole("textbox", { name: "Title" }).fill("Moss two");
  calls.set({ "ACTION readImportAction": { ok: true, value: { ...fixed, rows: [row()] } } });
  await screen.getByRole("radio", { name: "Problems 1" }).click();
  await expect.element(screen.getByRole("radio", { name: "Problems 0" })).toBeVisible();
  await expect.element(screen.getByRole("textbox", { name: "Title" })).toHaveValue("Moss two");
  await screen.getByRole("button", { name: "Cancel", exact: true }).click();
  await expect.element(screen.getByText(/^Row 3/)).not.toBeInTheDocument();
});

test("a link that is being checked says so, and then what is wrong with it", async () => {
  const values = { ...row().values, link: "https://shop.test/gone" };
  const checking = open({ rows: [row({ values, link_checking: true, image_state: "ready" })] });
  const warning = "This page doesn't exist (404). Check the link.";
  const checked = open({
    rows: [row({ values, link_state: "dead", link_warning: warning, image_state: "ready" })],
  });
  const progress = { status: "review", version: 1, images_waiting: 0, images_failed: 0, shown_waiting: 0 };
  holdTimers();
  const { screen, calls } = await show(
    {
      "ACTION readProgressAction": { ok: true, value: { ...progress, shown_checking: 1 } },
      "ACTION readImportAction": { ok: true, value: checking },
    },
    checking,
  );
  await expect.element(screen.getByText("Checking the link…")).toBeVisible();
  calls.set({
    "ACTION readProgressAction": { ok: true, value: { ...progress, shown_checking: 0 } },
    "ACTION readImportAction": { ok: true, value: checked },
  });
  await vi.advanceTimersByTimeAsync(10_000);
  await expect.element(screen.getByText(warning)).toBeVisible();
  await expect.element(screen.getByText("Checking the link…")).not.toBeInTheDocument();
  expect(calls.to("ACTION readProgressAction")[0]?.body).toEqual([{ importId: "imp_1", numbers: [2] }]);
});

test("leaves out all rows with problems at once", async () => {
  const left = open({
    counts: { ...open().counts, chosen: 1, problems: 0, left_out: 1 },
    rows: [row(), { ...wrong, is_chosen: false }],
  });
  const { screen, calls } = await show(changedBy("chooseRowsAction", left));
  await screen.getByRole("button", { name: "Skip 1 row with problems" }).click();
  await expect.element(screen.getByText("Row 3 · Skipped")).toBeVisible();
  await expect.element(screen.getByRole("button", { name: "Create 1 draft" })).toBeEnabled();
  expect(calls.to("ACTION chooseRowsAction")[0]?.body).toEqual([
    { importId: "imp_1", numbers: "problems", isChosen: false },
  ]);
});

test("a date that has passed or can't be read is removed, so that the row becomes a draft", async () => {
  const past = row({
    values: { ...row().values, publishAt: "2020-01-01 10:00" },
    problems: [{ field: "publishAt", text: "This time has passed." }],
  });
  const scheduled = open({ is_scheduled: true, rows: [past] });
  const { screen, calls } = await show(
    {
      "ACTION fixRowAction": { ok: true, value: null },
      "ACTION readImportAction": { ok: true, value: scheduled },
    },
    scheduled,
  );
  await screen.getByRole("button", { name: "Fix row 2" }).click();
  const form = screen.getByRole("form", { name: "Edit row 2" });
  await expect.element(form.getByLabelText("Publish date")).toHaveAccessibleDescription(/This time has passed./);
  await screen.getByRole("checkbox", { name: /Remove the date/ }).click();
  await screen.getByRole("button", { name: "Save row 2" }).click();
  await expect.poll(() => calls.to("ACTION fixRowAction").length).toBe(1);
  expect(calls.to("ACTION fixRowAction")[0]?.body).toEqual([
    { importId: "imp_1", number: 2, fixes: { publishAt: "", publishTime: "" } },
  ]);
});

test("a section that the board lacks can be exchanged for one that it has", async () => {
  const problem = row({
    number: 3,
    values: { ...VALUES, title: "Fern", board: "Moss", boardSectionId: "404" },
    problems: [{ field: "boardSectionId", text: "Choose a section." }],
  });
  const first = open({ rows: [row(), problem] });
  const answers = { ...changedBy("fixRowAction", fixed, first), [SECTIONS]: { items: [{ id: "7", name: "Fall" }] } };
  const { screen, calls } = await show(answers, first);
  await screen.getByRole("button", { name: "Fix row 3" }).click();
  const section = screen.getByRole("combobox", { name: "Section" });
  await expect.element(section).toHaveValue("404");
  await section.selectOptions("Fall");
  await screen.getByRole("button", { name: "Save row 3" }).click();
  await expect
    .poll(() => calls.to("ACTION fixRowAction")[0]?.body)
    .toEqual([{ importId: "imp_1", number: 3, fixes: { boardSectionId: "7" } }]);
});

test("a board is created from the row's chooser, and chosen", async () => {
  const fern = { id: "9", name: "Fern walls", description: "", privacy: "PUBLIC" };
  const { screen, calls } = await show({
    ...changedBy("fixRowAction", fixed),
    "ACTION createImportBoardAction": { ok: true, value: fern },
  });
  await screen.getByRole("button", { name: "Fix row 3" }).click();
  await screen.getByRole("button", { name: "New board" }).click();
  await screen.getByRole("textbox", { name: "Name" }).fill("Fern walls");
  await screen.getByRole("button", { name: "Create board" }).click();
  await expect.element(screen.getByRole("combobox", { name: "Board" })).toHaveValue("9");
  // The rows, since others may name the new board.
  expect(calls.to("ACTION readImportAction").length).toBeGreaterThan(0);
  await screen.getByRole("button", { name: "Save row 3" }).click();
  await expect.poll(() => calls.to("ACTION fixRowAction").length).toBe(1);
  expect(calls.to("ACTION createImportBoardAction")[0]?.body).toEqual([{ importId: "imp_1", name: "Fern walls" }]);
  expect(calls.to("ACTION fixRowAction")[0]?.body).toEqual([
    { importId: "imp_1", number: 3, fixes: { boardId: "9", board: "" } },
  ]);
});

test("a confirmed import can be taken back to review", async () => {
  const counts = { ...open().counts, problems: 0, images_waiting: 2 };
  const creating = open({ status: "creating", counts });
  const progress = {
    status: "creating",
    version: 1,
    images_waiting: 2,
    images_failed: 0,
    shown_waiting: 2,
    shown_checking: 0,
  };
  const { screen, calls } = await show(
    {
      "ACTION readProgressAction": { ok: true, value: progress },
      "ACTION readImportAction": { ok: true, value: creating },
      "ACTION cancelCreationAction": { ok: true, value: null },
    },
    creating,
  );
  calls.set({
    "ACTION readProgressAction": { ok: true, value: { ...progress, status: "review", version: 2 } },
    "ACTION readImportAction": { ok: true, value: fixed },
  });
  await screen.getByRole("button", { name: "Stop creating" }).click();
  await expect.element(screen.getByRole("button", { name: "Discard" })).toBeVisible();
  expect(calls.to("ACTION cancelCreationAction").map(({ body }) => body)).toEqual([[{ importId: "imp_1" }]]);
});

test("while images are fetched, the rows are read again only when what they show has changed", async () => {
  const fetching = open({ counts: { ...open().counts, images_waiting: 100 }, rows: [row()] });
  let progress: ProgressWire = {
    ...{ status: "review", version: 1, images_waiting: 60, images_failed: 0, shown_waiting: 1, shown_checking: 0 },
  };
  const { screen, calls } = await show({
    "ACTION readProgressAction": () => ({ ok: true, value: progress }),
    "ACTION readImportAction": { ok: true, value: open() },
  });
  const callsTo = () => ["readProgressAction", "readImportAction"].map((name) => calls.to(`ACTION ${name}`).length);
  const waitingText = (count: number) =>
    screen.getByText(`Downloading images: ${count} rows left. You can create the pins now.`);
  await expect.poll(callsTo).toEqual([0, 1]);
  holdTimers();
  calls.set({ "ACTION readImportAction": { ok: true, value: fetching } });
  await screen.getByRole("radio", { name: "Problems 1" }).click();
  await expect.element(waitingText(100)).toBeVisible();
  await vi.advanceTimersByTimeAsync(2_000);
  await expect.element(waitingText(60)).toBeVisible();
  expect(callsTo()).toEqual([1, 2]);
  expect(calls.to("ACTION readProgressAction")[0]?.body).toEqual([{ importId: "imp_1", numbers: [2] }]);
  progress = { ...progress, shown_waiting: 0 };
  calls.set({ "ACTION readImportAction": { ok: true, value: fixed } });
  await vi.advanceTimersByTimeAsync(2_000);
  await expect.element(screen.getByText("Row 3 · Draft · Edited")).toBeVisible();
  expect(callsTo()).toEqual([2, 3]);
});

test("an export is saved under the name that the server gives it, and a failure is shown on the page", async () => {
  const path = "GET /api/users/pinterest/pins-export/acc_1/";
  const headers = { "content-disposition": 'attachment; filename="pins-draft.csv"' };
  const calls = answerCalls({ [path]: () => new Response("Title", { headers }) });
  const screen = await render(<ExportMenu accountId="acc_1" filter="draft" />);
  const choose = async (name: string) => {
    await screen.getByRole("button", { name: "Export" }).click();
    await screen.getByRole("menuitem", { name }).click();
  };
  expect(await catchDownloads().next(() => choose("CSV, with results"))).toMatchObject({
    name: "pins-draft.csv",
    text: "Title",
  });
  expect(Object.fromEntries(calls.to(path)[0]?.query ?? [])).toEqual({ status: "draft", format: "csv" });
  calls.set({ [path]: failWith(400, { error: "Excel files can have up to 5,000 pins." }) });
  await choose("Excel (XLSX), with results");
  await expect.element(screen.getByTestId("notice").getByText("Excel files can have up to 5,000 pins.")).toBeVisible();
});
