import { describe, expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import { SlotsScreen } from "#components/calendar/slots-screen.tsx";
import type { PostingSlot } from "#lib/features/calendar/schema.ts";
import { type Answers, pendingResponse } from "#tests/support/component/calls.ts";
import { done } from "#tests/support/component/pins.tsx";
import { renderScreen } from "#tests/support/component/render.tsx";

const ACCOUNT = { username: "moss", timeZone: null };

describe("posting slots", () => {
  let accounts = 0;
  /** Of an account of its own, since unsaved slots are kept while the page is open. */
  const showSlots = (initial: PostingSlot[], answers: Answers = {}, id = `acc_slots_${++accounts}`) =>
    renderScreen(<SlotsScreen account={{ ...ACCOUNT, id }} initial={initial} userTimeZone="UTC" />, {
      path: "/app/calendar/slots",
      answers,
    });

  test("a cell adds and removes a slot by keyboard; nothing is saved before Save", async () => {
    const saved = [
      { weekday: 1, minute: 600 },
      { weekday: 2, minute: 1_215 },
    ];
    const { screen, calls } = await showSlots([{ weekday: 2, minute: 1_215 }], {
      "ACTION saveSlotsAction": { ok: true, value: saved },
    });
    screen.getByRole("button", { name: "Monday, 9 AM" }).element().focus();
    await userEvent.keyboard("{ArrowDown}{Enter}");
    await expect.element(screen.getByRole("button", { name: "Remove Monday, 10:00 AM" })).toBeVisible();
    expect(calls.to("ACTION saveSlotsAction")).toEqual([]);
    await screen.getByRole("button", { name: "Save slots" }).click();
    await expect.element(screen.getByText("Slots saved")).toBeVisible();
    expect(calls.to("ACTION saveSlotsAction")[0]?.body).toEqual([
      { accountId: expect.stringMatching(/^acc_slots_/), slots: saved },
    ]);
    await expect.element(screen.getByRole("button", { name: "Save slots" })).toBeDisabled();
  });

  test("a cell with two slots removes both", async () => {
    const { screen } = await showSlots([
      { weekday: 1, minute: 540 },
      { weekday: 1, minute: 570 },
    ]);
    await screen.getByRole("button", { name: "Monday, 9:00 AM and 9:30 AM" }).click();
    await expect.element(screen.getByRole("button", { name: "Monday, 9 AM" })).toBeVisible();
    await expect.element(screen.getByRole("button", { name: /^Remove / })).not.toBeInTheDocument();
  });

  test("what is changed while slots are being saved stays unsaved", async () => {
    const held = pendingResponse();
    const { screen } = await showSlots([], { "ACTION saveSlotsAction": held.hold });
    await screen.getByRole("button", { name: "Monday, 9 AM" }).click();
    await screen.getByRole("button", { name: "Save slots" }).click();
    await screen.getByRole("button", { name: "Tuesday, 9 AM" }).click();
    await held.answer(done([{ weekday: 1, minute: 540 }]));
    await expect.element(screen.getByText("Slots saved")).toBeVisible();
    await expect.element(screen.getByRole("button", { name: "Remove Tuesday, 9:00 AM" })).toBeVisible();
    await expect.element(screen.getByText("You have unsaved changes.")).toBeVisible();
  });

  test("unsaved slots are still there after leaving the screen and coming back", async () => {
    const { screen } = await showSlots([{ weekday: 2, minute: 1_215 }], {}, "acc_left");
    await screen.getByRole("button", { name: "Monday, 9 AM" }).click();
    await expect.element(screen.getByText("You have unsaved changes.")).toBeVisible();
    await screen.unmount();
    const again = await showSlots([{ weekday: 2, minute: 1_215 }], {}, "acc_left");
    await expect.element(again.screen.getByRole("button", { name: "Remove Monday, 9:00 AM" })).toBeVisible();
    await again.screen.getByRole("button", { name: "Remove Monday, 9:00 AM" }).click();
    await expect.element(again.screen.getByText("You have unsaved changes.")).not.toBeInTheDocument();
  });

  test("suggestions replace the slots, say where they come from, and can be undone", async () => {
    const value = { slots: [{ weekday: 5, minute: 1_290 }], isFromResults: false };
    const { screen } = await showSlots([{ weekday: 2, minute: 1_215 }], {
      "ACTION suggestSlotsAction": { ok: true, value },
    });
    await page.viewport(390, 844);
    await screen.getByRole("button", { name: "Suggest times" }).click();
    await expect.element(screen.getByText(/Your results don't show a clear best time yet/)).toBeVisible();
    // A long text leaves its Undo on one line.
    const undo = document.createRange();
    undo.selectNodeContents(screen.getByRole("button", { name: "Undo" }).element());
    expect(undo.getClientRects()).toHaveLength(1);
    await expect.element(screen.getByRole("button", { name: "Remove Friday, 9:30 PM" })).toBeVisible();
    await screen.getByRole("button", { name: "Undo" }).click();
    await expect.element(screen.getByRole("button", { name: "Remove Tuesday, 8:15 PM" })).toBeVisible();
  });
});

describe("the time zone of an account", () => {
  const SAVE = "ACTION setAccountTimeZoneAction";
  const SUGGEST = "ACTION suggestSlotsAction";
  const showZone = (timeZone: string | null, answers: Answers) =>
    renderScreen(
      <SlotsScreen account={{ id: "acc_zone", username: "moss", timeZone }} initial={[]} userTimeZone="UTC" />,
      {
        path: "/app/calendar/slots",
        answers: { [SUGGEST]: done({ slots: [], isFromResults: false }), ...answers },
      },
    );

  test("is saved when it is chosen, and used from then on; Settings' one can be chosen again", async () => {
    const { screen, calls } = await showZone(null, { [SAVE]: done({ timeZone: "America/New_York" }) });
    const zone = screen.getByRole("combobox", { name: "Account time zone" });
    await expect.element(zone).toHaveValue("");
    await zone.selectOptions("America/New York");
    await expect.element(screen.getByText("Time zone saved")).toBeVisible();
    await expect.element(zone).toHaveValue("America/New_York");
    await screen.getByRole("button", { name: "Suggest times" }).click();
    await expect
      .poll(() => calls.to(SUGGEST)[0]?.body)
      .toEqual([{ accountId: "acc_zone", timeZone: "America/New_York" }]);
    await zone.selectOptions("");
    await expect
      .poll(() => calls.to(SAVE).map(({ body }) => body))
      .toEqual([
        [{ accountId: "acc_zone", timeZone: "America/New_York" }],
        [{ accountId: "acc_zone", timeZone: null }],
      ]);
    await expect.element(zone).toHaveValue("");
  });

  test("stays as it was when it can't be saved, and says why", async () => {
    const text = "This time zone doesn't exist. Use a name such as America/New_York.";
    const { screen } = await showZone("Asia/Tokyo", { [SAVE]: { ok: false, code: "invalid", text } });
    const zone = screen.getByRole("combobox", { name: "Account time zone" });
    await expect.element(zone).toHaveValue("Asia/Tokyo");
    await zone.selectOptions("Europe/Paris");
    await expect.element(screen.getByTestId("notice").getByText(text)).toBeVisible();
    await expect.element(zone).toHaveValue("Asia/Tokyo");
  });
});
