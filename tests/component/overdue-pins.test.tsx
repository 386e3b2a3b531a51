import { expect, test } from "vitest";
import { OverduePins } from "#components/publishing/overdue-pins.tsx";
import { unreachable } from "#tests/support/component/calls.ts";
import { renderScreen } from "#tests/support/component/render.tsx";

const show = async (initial: number, answers = {}) => {
  let changes = 0;
  const notice = <OverduePins accountId="acc_1" initial={initial} onChanged={() => (changes += 1)} />;
  const shown = await renderScreen(notice, { path: "/app/generated-posts", answers });
  return { ...shown, changes: () => changes };
};

const START = "Publish them now";

test("without overdue pins there is no notice", async () => {
  const { screen, calls } = await show(0);
  await expect.element(screen.getByRole("button", { name: "Logout" })).toBeVisible();
  expect(screen.getByRole("button", { name: START }).query()).toBeNull();
  expect(calls.to("ACTION countOverdueAction")).toEqual([]);
});

test("overdue pins are published after a confirmation, once, and the notice disappears", async () => {
  const { screen, calls, changes } = await show(12, {
    "ACTION publishRestAction": { ok: true, value: { moved: 12 } },
    "ACTION countOverdueAction": { ok: true, value: 0 },
  });
  await expect
    .element(screen.getByText(/^12 overdue pins are going out one by one, spaced the way you scheduled them/))
    .toBeVisible();
  await screen.getByRole("button", { name: START }).click();
  await screen.getByRole("button", { name: "Keep my spacing" }).click();
  expect(calls.to("ACTION publishRestAction")).toEqual([]);
  await screen.getByRole("button", { name: START }).click();
  await screen.getByRole("button", { name: "Publish now" }).click();
  await expect.element(screen.getByText("Publishing 12 overdue pins, a minute apart")).toBeVisible();
  await expect.element(screen.getByRole("button", { name: START })).not.toBeInTheDocument();
  expect(calls.to("ACTION publishRestAction").map(({ body }) => body)).toEqual([[{ accountId: "acc_1" }]]);
  expect(changes()).toBe(1);
});

test("a refusal says why, and the notice stays", async () => {
  const { screen } = await show(1, {
    "ACTION publishRestAction": { ok: false, code: "wrong_state", text: "Pinterest asked this account to slow down." },
    "ACTION countOverdueAction": unreachable,
  });
  await expect.element(screen.getByText(/^1 overdue pin is waiting its turn/)).toBeVisible();
  await screen.getByRole("button", { name: START }).click();
  await screen.getByRole("button", { name: "Publish now" }).click();
  await expect.element(screen.getByText("Pinterest asked this account to slow down.")).toBeVisible();
  await expect.element(screen.getByRole("button", { name: START })).toBeVisible();
});
