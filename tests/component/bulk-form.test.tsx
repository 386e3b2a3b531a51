import { expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import { BulkScreen } from "#components/bulk-create/bulk-screen.tsx";
import { type Answers, failWith, type RecordedCall, SECTIONS } from "#tests/support/component/calls.ts";
import { chooseNewPlaces } from "#tests/support/component/new-places.ts";
import { BOARDS } from "#tests/support/component/pins.tsx";
import { renderScreen } from "#tests/support/component/render.tsx";

const boards = {
  items: ["Cabins", "Walks"].map((name, at) => ({ id: String(101 + at), name, description: "", privacy: "PUBLIC" })),
};

/** Only Cabins has one. */
const sections = ({ path }: RecordedCall) => ({ items: path.includes("/101/") ? [{ id: "7", name: "Fall" }] : [] });

const open = async (answers: Answers = {}) => {
  const shown = await renderScreen(
    <BulkScreen userId={crypto.randomUUID()} accounts={[{ id: "account_1", username: "fern" }]} />,
    { path: "/app/create-pin", answers: { [BOARDS]: boards, [SECTIONS]: sections, ...answers } },
  );
  const { screen } = shown;
  return {
    ...shown,
    rows: () => screen.getByRole("listitem", { name: /^Pin \d+$/ }).elements(),
    number: screen.getByLabelText("Number of pins"),
    title: (n: number) => screen.getByLabelText(`Title of pin ${n}`, { exact: true }),
    board: (n: number) => screen.getByLabelText(`Board of pin ${n}`, { exact: true }),
    button: (name: string) => screen.getByRole("button", { name, exact: true }),
  };
};

test("R-BULK-02, R-BULK-03, R-BULK-05, R-BULK-06, A-16 keeps rows in step with the number, and shares the board with all locked rows", async () => {
  const { screen, rows, number, title, board, button } = await open();
  await expect.poll(() => rows().length).toBe(1);
  await expect.element(screen.getByText("PNG, JPG, GIF up to 32MB")).toBeVisible();
  await expect.element(screen.getByLabelText("Description of pin 1", { exact: true })).toBeVisible();
  await expect.element(screen.getByLabelText("Choose an image for pin 1", { exact: true })).toBeInTheDocument();
  await number.fill("3");
  await expect.poll(() => rows().length).toBe(3);
  await number.fill("0");
  expect(rows().length).toBe(3);
  await userEvent.keyboard("{Tab}");
  await expect.element(number).toHaveValue(3);
  await board(2).selectOptions("101");
  for (const n of [1, 3]) await expect.element(board(n)).toHaveValue("101");
  const section = (n: number) => screen.getByLabelText(`Section of pin ${n}`, { exact: true });
  await section(3).selectOptions("Fall");
  await expect.element(section(1)).toHaveValue("7");
  await button("Separate board for pin 3").click();
  await board(3).selectOptions("102");
  await expect.element(board(1)).toHaveValue("101");
  await expect.element(section(1)).toHaveValue("7");
  await expect.element(section(3)).not.toBeInTheDocument();
  await title(3).fill("Kept");
  await button("Remove pin 1").click();
  await expect.poll(() => rows().length).toBe(2);
  await expect.element(number).toHaveValue(2);
  await number.fill("1");
  await number.fill("2");
  await expect.element(title(2)).toHaveValue("Kept");
});

test("R-BULK-02, R-BULK-05 keeps the focus in the list after removing pins, and fits phones", async () => {
  await page.viewport(390, 844);
  const { screen, rows, number, title, button } = await open();
  await number.fill("4");
  await expect.poll(() => rows().length).toBe(4);
  for (const row of rows()) expect(row.getBoundingClientRect().right).toBeLessThanOrEqual(370);
  expect(screen.container.querySelector("[data-slot=bulk-head]")?.getBoundingClientRect().right).toBeLessThanOrEqual(
    370,
  );
  for (const n of [1, 2, 3, 4]) await title(n).fill(`Moss ${n}`);
  const press = async (name: string) => {
    button(name).element().focus();
    await userEvent.keyboard("{Enter}");
  };
  await press("Remove pin 2");
  await expect.poll(() => rows().length).toBe(3);
  await expect.element(button("Remove pin 2")).toHaveFocus();
  await press("Remove pin 3");
  await expect.poll(() => rows().length).toBe(2);
  await expect.element(button("Remove pin 2")).toHaveFocus();
  screen.getByRole("button", { name: "Undo", exact: true }).last().element().focus();
  await userEvent.keyboard("{Enter}");
  await expect.element(number).toHaveValue(3);
  // The same button keeps the focus although its number changed.
  await expect.poll(() => document.querySelectorAll("[data-slot=bulk-remove]:focus").length).toBe(1);
});

test("R-BULK-02 rows fit the narrowest phones, including rows out of view", async () => {
  const { rows, number } = await open();
  await number.fill("12");
  await expect.poll(() => rows().length).toBe(12);
  for (const width of [360, 320]) {
    await page.viewport(width, 700);
    await expect.poll(() => document.documentElement.scrollWidth).toBeLessThanOrEqual(width);
    for (const row of rows()) expect(row.getBoundingClientRect().right).toBeLessThanOrEqual(width);
  }
});

test("R-ERR-08 retries loading boards without losing the form", async () => {
  const { calls, title, board, button } = await open({ [BOARDS]: failWith(500) });
  await title(1).fill("Typed with care");
  await expect.element(button("Try again")).toBeVisible();
  calls.set({ [BOARDS]: boards });
  await button("Try again").click();
  await board(1).selectOptions("101");
  await expect.element(button("Try again")).not.toBeInTheDocument();
  await expect.element(title(1)).toHaveValue("Typed with care");
});

test("a new board or section is chosen for all locked rows once it is created", async () => {
  const { screen, calls, board, rows } = await open();
  await expect.poll(() => rows().length).toBe(1);
  await chooseNewPlaces(screen, calls, boards.items);
  await expect.element(board(1)).toHaveValue("777");
  await expect.element(screen.getByLabelText("Section of pin 1", { exact: true })).toHaveValue("8");
});
