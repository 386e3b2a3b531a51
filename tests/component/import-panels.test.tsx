import { describe, expect, onTestFinished, test, vi } from "vitest";
import { UploadPanel } from "#components/spreadsheets/upload-panel.tsx";
import { changedBy, open, show } from "#tests/support/component/imports.tsx";
import { render } from "#tests/support/component/render.tsx";

type Screen = Awaited<ReturnType<typeof show>>["screen"];

describe("the columns of a sheet", () => {
  const headers = ["Title", "Media URL", "Pinterest board", "Notes"];
  const first = open({ headers, samples: [["Fern", "https://example.com/a.jpg", "Moss", "Soft and green"]] });
  const column = (screen: Screen, name: string) => screen.getByRole("combobox", { name, exact: true });
  const openPanel = (screen: Screen) => screen.getByText(/^Columns/).click();

  test("a field's other column is saved, and the rows are read with it", async () => {
    const mapping = { ...first.mapping, description: 3 };
    const { screen, calls } = await show(changedBy("mapColumnsAction", open({ headers, mapping }), first), first);
    await openPanel(screen);
    const description = column(screen, "Description");
    await expect.element(description).toHaveValue("");
    await description.selectOptions("Notes");
    await expect.element(description).toHaveAccessibleDescription("For example: Soft and green");
    expect(calls.to("ACTION mapColumnsAction")).toEqual([]);
    const reads = calls.to("ACTION readImportAction").length;
    await screen.getByRole("button", { name: "Use these columns" }).click();
    await expect.poll(() => calls.to("ACTION readImportAction").length).toBeGreaterThan(reads);
    expect(calls.to("ACTION mapColumnsAction").map(({ body }) => body)).toEqual([[{ importId: "imp_1", mapping }]]);
    await openPanel(screen);
    await expect.element(column(screen, "Description")).toHaveDisplayValue("Notes");
  });

  test("a column has one field: choosing it for another takes it from the first, and none gives it up", async () => {
    const { screen, calls } = await show(changedBy("mapColumnsAction", first, first), first);
    await openPanel(screen);
    await column(screen, "Description").selectOptions("Title");
    await expect.element(column(screen, "Title")).toHaveDisplayValue("Not in this sheet");
    await expect.element(column(screen, "Board")).toHaveDisplayValue("Pinterest board");
    await column(screen, "Board").selectOptions("Not in this sheet");
    await screen.getByRole("button", { name: "Use these columns" }).click();
    await expect
      .poll(() => calls.to("ACTION mapColumnsAction").map(({ body }) => body))
      .toEqual([[{ importId: "imp_1", mapping: { image: 1, description: 0 } }]]);
  });

  test("a refused choice says why, and stays chosen", async () => {
    const answers = {
      "ACTION mapColumnsAction": {
        ok: false,
        code: "wrong_state",
        text: "This import was started or discarded, so it can't be changed. Reload the page to see where it stands.",
      },
      "ACTION readImportAction": { ok: true, value: first },
    };
    const { screen } = await show(answers, first);
    await openPanel(screen);
    await column(screen, "Description").selectOptions("Notes");
    await screen.getByRole("button", { name: "Use these columns" }).click();
    await expect
      .element(
        screen
          .getByTestId("notice")
          .getByText(
            "This import was started or discarded, so it can't be changed. Reload the page to see where it stands.",
          ),
      )
      .toBeVisible();
    await expect.element(column(screen, "Description")).toHaveDisplayValue("Notes");
  });
});

describe("discarding an import", () => {
  const DISCARD = "ACTION discardImportAction";
  const reads = { "ACTION readImportAction": { ok: true, value: open() } };

  test("asks first, and Keep it keeps the rows", async () => {
    const { screen, calls } = await show(reads);
    await screen.getByRole("button", { name: "Discard" }).click();
    const dialog = screen.getByRole("dialog", { name: "Discard this import?" });
    await expect.element(dialog.getByText(/No pins have been created\.$/)).toBeVisible();
    await dialog.getByRole("button", { name: "Keep it" }).click();
    await expect.element(dialog).not.toBeInTheDocument();
    await expect.element(screen.getByRole("button", { name: "Discard" })).toHaveFocus();
    await expect.element(screen.getByText("Title: Enter a title.")).toBeVisible();
    expect(calls.to(DISCARD)).toEqual([]);
  });

  test("deletes it once confirmed, and the next sheet can be chosen", async () => {
    const { screen, calls } = await show({ ...reads, [DISCARD]: { ok: true, value: null } });
    await screen.getByRole("button", { name: "Discard" }).click();
    await screen.getByRole("button", { name: "Discard import" }).click();
    await expect.element(screen.getByRole("form", { name: "Import a spreadsheet" })).toBeVisible();
    await expect.element(screen.getByText("Title: Enter a title.")).not.toBeInTheDocument();
    expect(calls.to(DISCARD).map(({ body }) => body)).toEqual([[{ importId: "imp_1" }]]);
  });

  test("stays when the server can't delete it, and says so", async () => {
    const text = "Something went wrong on our end. Please try again.";
    const { screen } = await show({ ...reads, [DISCARD]: { ok: false, code: "internal", text } });
    await screen.getByRole("button", { name: "Discard" }).click();
    await screen.getByRole("button", { name: "Discard import" }).click();
    await expect.element(screen.getByTestId("notice").getByText(text)).toBeVisible();
    await expect.element(screen.getByText("Title: Enter a title.")).toBeVisible();
  });
});

describe("the ZIP file with images", () => {
  const accounts = [{ id: "acc_1", username: "juniper" }];
  const zip = () => new File(["PK"], "moss.zip", { type: "application/zip" });
  const sheet = () => new File(["Title,Image\nMoss,a.jpg"], "pins.csv", { type: "text/csv" });

  /** Uploads report their progress, so they aren't made by `fetch`. Each of them fails. */
  const catchUploads = (): FormData[] => {
    const sent: FormData[] = [];
    const spy = vi.spyOn(XMLHttpRequest.prototype, "send").mockImplementation(function (this: XMLHttpRequest, body) {
      if (body instanceof FormData) sent.push(body);
      this.onerror?.(new ProgressEvent("error"));
    });
    onTestFinished(() => spy.mockRestore());
    return sent;
  };

  const panel = async () => {
    const screen = await render(<UploadPanel accounts={accounts} onStaged={() => {}} />, "/app/import");
    const images = screen.getByLabelText("Add a ZIP file with images (optional)");
    const review = () => screen.getByRole("button", { name: "Review rows" }).click();
    return { screen, images, review };
  };

  test("is sent with the sheet, and stays chosen when that fails", async () => {
    const sent = catchUploads();
    const { screen, images, review } = await panel();
    await expect.element(images).toHaveAttribute("accept", ".zip,application/zip");
    await images.upload(zip());
    await screen.getByLabelText("Choose a spreadsheet, or drop it here").upload(sheet());
    await review();
    await expect.element(screen.getByRole("alert")).toBeVisible();
    await expect.element(screen.getByRole("button", { name: "Remove moss.zip" })).toBeVisible();
    const parts = [...(sent[0] ?? [])].map(([name, part]) => [name, part instanceof File ? part.name : part]);
    expect(parts).toEqual([
      ["pinterest_account", "acc_1"],
      ["file_name", "pins.csv"],
      ["sheet", "pins.csv"],
      ["images", "moss.zip"],
    ]);
  });

  test("can be removed again, and isn't sent then", async () => {
    const sent = catchUploads();
    const { screen, images, review } = await panel();
    await images.upload(zip());
    await screen.getByRole("button", { name: "Remove moss.zip" }).click();
    await screen.getByRole("textbox").fill("Title\nMoss");
    await review();
    await expect
      .poll(() => sent.map((form) => [...form.keys()]))
      .toEqual([["pinterest_account", "file_name", "sheet"]]);
  });

  test("alone isn't enough", async () => {
    const sent = catchUploads();
    const { screen, images, review } = await panel();
    await images.upload(zip());
    await review();
    await expect.element(screen.getByText("Choose a spreadsheet, or paste its rows.")).toBeVisible();
    await expect.element(screen.getByRole("textbox")).toHaveFocus();
    expect(sent).toEqual([]);
  });

  test("is told from the sheet when both are dropped on the page", async () => {
    const { screen } = await panel();
    const dataTransfer = new DataTransfer();
    // Some systems give no type for a file.
    for (const file of [sheet(), new File(["PK"], "MOSS.ZIP")]) dataTransfer.items.add(file);
    document.body.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
    await expect.element(screen.getByRole("button", { name: "Remove MOSS.ZIP" })).toBeVisible();
    await expect.element(screen.getByRole("button", { name: "Remove pins.csv" })).toBeVisible();
    await expect.element(screen.getByRole("textbox")).not.toBeInTheDocument();
  });
});
