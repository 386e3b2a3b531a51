import { describe, expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import { momentLabel, shortDay } from "#components/publishing/moments.ts";
import { DRAFTS_SHOWN } from "#lib/features/calendar/constants.ts";
import { addDays } from "#lib/features/calendar/policy.ts";
import { plannedPath } from "#lib/features/pins/constants.ts";
import { PRESETS } from "#lib/features/planning/constants.ts";
import { ACCOUNT, dayOf, pin, showCalendar } from "#tests/support/component/calendar.tsx";
import { failWith, pendingResponse } from "#tests/support/component/calls.ts";
import { done } from "#tests/support/component/pins.tsx";
import { visited } from "#tests/support/component/router.ts";
import { paceWire, pinWire } from "#tests/support/component/wires.ts";

describe("the month", () => {
  test("shows each pin on its day, with time, status, and stored metrics", async () => {
    const { screen } = await showCalendar();
    expect([dayOf("Pin out"), dayOf("Pin one"), dayOf("Pin two")]).toEqual(["2099-03-09", "2099-03-12", "2099-03-12"]);
    await expect.element(screen.getByText("1.2K impressions, 56 clicks")).toBeVisible();
    await expect.element(screen.getByRole("button", { name: "Pin one, 10:00 AM, Scheduled" })).toBeVisible();
    await expect.element(screen.getByRole("heading", { name: "March 2099" })).toBeVisible();
  });

  test("a day sums the results of its published pins: beside its number, in its list, and in the list view", async () => {
    const results = (impressions: number | null, outbound_clicks: number | null) =>
      ({ status: "published", impressions, outbound_clicks }) as const;
    const posts = [
      pin("a", "2099-03-10T13:00:00.000Z", results(1_200, 30)),
      pin("b", "2099-03-10T14:00:00.000Z", results(300, null)),
      pin("c", "2099-03-10T15:00:00.000Z", results(null, null)),
      pin("d", "2099-03-10T16:00:00.000Z", { status: "failed" }),
      pin("e", "2099-03-09T13:00:00.000Z", results(null, null)),
    ];
    const { screen } = await showCalendar({ posts });
    const text = "1.5K impressions, 30 clicks";
    const cell = () => document.querySelector<HTMLElement>("td[data-date='2099-03-10']");
    const totals = () => [...document.querySelectorAll<HTMLElement>("[data-slot=day-totals]")];
    await expect.poll(() => totals().map(({ title }) => title)).toEqual([`This day: ${text}`]);
    expect(cell()?.textContent).toMatch(`Tuesday, March 1010, ${text}`);
    // A day without results has the same header.
    const tops = ["2099-03-10", "2099-03-09"].map(
      (date) => document.querySelector(`td[data-date='${date}'] [data-slot=calendar-pin]`)?.getBoundingClientRect().top,
    );
    expect(tops[0]).toBe(tops[1]);
    await screen.getByRole("button", { name: "+1 more on Tuesday, March 10" }).click();
    await expect.element(screen.getByRole("dialog", { name: "Tuesday, March 10" }).getByText(text)).toBeVisible();
    await userEvent.keyboard("{Escape}");
    await page.viewport(390, 844);
    await expect.element(screen.getByRole("button", { name: `Tuesday, March 10: 4 pins, ${text}` })).toBeVisible();
    await screen.getByRole("radio", { name: "List" }).click();
    await expect.element(screen.getByText(`4 pins, ${text}`)).toBeVisible();
  });

  test("a full day opens as a list, whose pins can be selected and moved together", async () => {
    const posts = [0, 1, 2, 3, 4].map((at) => pin(`p${at}`, `2099-03-12T1${at}:00:00.000Z`));
    const { screen, moves } = await showCalendar({ posts });
    await screen.getByRole("button", { name: "+2 more on Thursday, March 12" }).click();
    for (const name of ["Pin p1", "Pin p4"]) await screen.getByRole("checkbox", { name: `Select ${name}` }).click();
    await userEvent.keyboard("{Escape}");
    await expect.element(screen.getByText("2 selected")).toBeVisible();
    await screen.getByRole("button", { name: "Move one day later" }).click();
    await expect.element(screen.getByText("2 pins moved to Fri, Mar 13, 7:00 AM and later")).toBeVisible();
    const box = (selector: string) => document.querySelector(selector)?.getBoundingClientRect();
    const covered = () =>
      (box("[data-slot=toast]")?.bottom ?? Number.NaN) - (box("[aria-label='Selected pins']")?.top ?? Number.NaN);
    await expect.poll(covered, { message: "the toast covers the selection's commands" }).toBeLessThanOrEqual(0);
    expect(moves).toEqual([
      [
        { post_id: "p1", from: "2099-03-12T11:00:00.000Z", to: "2099-03-13T11:00:00.000Z" },
        { post_id: "p4", from: "2099-03-12T14:00:00.000Z", to: "2099-03-13T14:00:00.000Z" },
      ],
    ]);
  });

  test("Space picks a pin up, arrows move it, Enter drops it, Undo puts it back", async () => {
    const { screen, moves } = await showCalendar();
    document.querySelector<HTMLElement>("[data-pin-id=one]")?.focus();
    await userEvent.keyboard(" {ArrowRight}{ArrowDown}");
    await expect.element(screen.getByText("“Pin one”: Friday, March 20")).toBeVisible();
    await userEvent.keyboard("{Enter}");
    await expect.poll(() => dayOf("Pin one")).toBe("2099-03-20");
    await expect.poll(() => (document.activeElement as HTMLElement | null)?.dataset.pinId).toBe("one");
    await screen.getByRole("button", { name: "Undo" }).click();
    await expect.poll(() => dayOf("Pin one")).toBe("2099-03-12");
    const [there] = moves[0] ?? [];
    expect(moves[1]).toEqual([{ post_id: "one", from: there?.to, to: there?.from }]);
  });

  test("Escape puts a picked-up pin back; the view follows it into the next month", async () => {
    const { screen, moves } = await showCalendar();
    document.querySelector<HTMLElement>("[data-pin-id=two]")?.focus();
    await userEvent.keyboard(" ");
    for (let week = 0; week < 5; week += 1) await userEvent.keyboard("{ArrowDown}");
    await expect.element(screen.getByRole("heading", { name: "April 2099" })).toBeVisible();
    await userEvent.keyboard("{Escape}");
    await expect.element(screen.getByText("Use the arrow keys to move")).not.toBeInTheDocument();
    expect(moves).toEqual([]);
  });

  test("a pin that is moved out of the view by keyboard is dropped where it was moved to", async () => {
    const { screen, moves } = await showCalendar();
    document.querySelector<HTMLElement>("[data-pin-id=two]")?.focus();
    await userEvent.keyboard(" ");
    for (let week = 0; week < 9; week += 1) await userEvent.keyboard("{ArrowDown}");
    await expect.element(screen.getByRole("heading", { name: "May 2099" })).toBeVisible();
    await expect.poll(() => dayOf("Pin two")).toBeUndefined();
    await userEvent.keyboard("{Enter}");
    await expect.poll(() => dayOf("Pin two")).toBe("2099-05-14");
    expect(moves).toMatchObject([[{ post_id: "two" }]]);
  });

  test("a refused move snaps back and says why", async () => {
    const refusal = {
      error: "This pin is being published right now.",
      message: "This pin is being published right now.",
    };
    const { screen } = await showCalendar({}, { "POST /api/users/pinterest/move-pins/": failWith(409, refusal) });
    await screen.getByRole("button", { name: "Actions for Pin one" }).click();
    await screen.getByRole("menuitem", { name: "Move one day later" }).click();
    await expect.element(screen.getByText("This pin is being published right now.")).toBeVisible();
    expect(dayOf("Pin one")).toBe("2099-03-12");
  });

  test("a pin at a time that clocks skip or repeat says so: on its card, after a move, in its list and details", async () => {
    const posts = [pin("late", "2099-03-07T07:30:00.000Z")];
    const details = pinWire({
      ...{ id: "late", account_id: ACCOUNT.id, status: "scheduled" },
      scheduled_at: "2099-03-08T07:30:00.000Z",
    });
    const { screen } = await showCalendar(
      { posts, now: new Date("2099-03-01T15:00:00.000Z") },
      {
        "ACTION readPinAction": done({ post: details, attempts: [] }),
        "ACTION readPlanNotesAction": done([]),
        "ACTION readRegenerationAction": done(),
      },
    );
    await screen.getByRole("button", { name: "Actions for Pin late" }).click();
    await screen.getByRole("menuitem", { name: "Move one day later" }).click();
    const note = "Clocks spring forward that night: 2:30 AM doesn't exist and becomes 3:30 AM.";
    await expect.element(screen.getByText(`Pin moved to Sun, Mar 8, 3:30 AM. ${note}`)).toBeVisible();
    await expect.element(screen.getByText("Clocks change")).toBeVisible();
    const card = screen.getByRole("button", { name: `Pin late, 3:30 AM, Scheduled, ${note}` });
    await card.click();
    const dialog = screen.getByRole("dialog", { name: "Pin Details" });
    await expect.element(dialog.getByText(note)).toBeVisible();
  });

  test("a pin that doesn't go out anymore says nothing about clocks, on its card or in the list", async () => {
    const skipped = "2099-03-08T07:30:00.000Z";
    const posts = [
      pin("due", skipped),
      pin("stopped", skipped, { status: "failed", reason: "The board is gone." }),
      pin("live", skipped, { status: "published" }),
    ];
    const now = new Date("2099-03-01T15:00:00.000Z");
    const { screen } = await showCalendar({ posts, now });
    await expect.element(screen.getByRole("button", { name: /^Pin due, .*Clocks spring forward/ })).toBeVisible();
    expect(screen.getByText("Clocks change").elements().length).toBe(1);
    expect(screen.getByRole("button", { name: /^Pin (stopped|live), .*Clocks/ }).elements()).toEqual([]);
    await screen.unmount();
    const list = (await showCalendar({ posts, now, view: "list", date: "2099-03-08" })).screen;
    await expect.element(list.getByText("The board is gone.")).toBeVisible();
    expect(list.getByText(/^Clocks spring forward that night/).elements().length).toBe(1);
  });

  test("a duplicated pin's copies continue at the safe pace on Generated Posts", async () => {
    const { screen } = await showCalendar(
      {},
      {
        "ACTION readPinAction": done({
          post: pinWire({ id: "out", account_id: ACCOUNT.id, status: "published" }),
          attempts: [],
        }),
        "ACTION readPlanNotesAction": done([]),
        "ACTION readRegenerationAction": done(),
        "ACTION readPaceAction": done(paceWire()),
        "ACTION duplicatePinsAction": done({ ids: ["copy_1"] }),
      },
    );
    await screen.getByRole("button", { name: /^Pin out, / }).click();
    await screen.getByRole("dialog", { name: "Pin Details" }).getByRole("button", { name: "Duplicate" }).click();
    const dialog = screen.getByRole("dialog", { name: "Duplicate this pin" });
    await dialog.getByRole("checkbox", { name: "Bread" }).click();
    await dialog.getByRole("checkbox", { name: /^Next, schedule the copies at a safe pace/ }).click();
    await dialog.getByRole("button", { name: "Create 1 draft" }).click();
    await expect.poll(visited).toEqual([{ kind: "push", href: plannedPath(ACCOUNT.id, ["copy_1"]) }]);
  });

  test("filters by board and status", async () => {
    const { screen } = await showCalendar();
    await screen.getByLabelText("Board", { exact: true }).selectOptions("Bread");
    await expect.poll(() => dayOf("Pin one")).toBeUndefined();
    expect(dayOf("Pin two")).toBe("2099-03-12");
    await screen.getByLabelText("Board", { exact: true }).selectOptions("All boards");
    await screen.getByLabelText("Status").selectOptions("Published");
    await expect.poll(() => dayOf("Pin two")).toBeUndefined();
    expect(dayOf("Pin out")).toBe("2099-03-09");
  });
});

test("a moved pin is on its new day before the server has answered", async () => {
  const held = pendingResponse();
  const { screen } = await showCalendar({}, { "POST /api/users/pinterest/move-pins/": held.hold });
  await screen.getByRole("button", { name: "Actions for Pin one" }).click();
  await screen.getByRole("menuitem", { name: "Move one day later" }).click();
  await expect.poll(() => dayOf("Pin one")).toBe("2099-03-13");
  await held.answer({ moved: 1 });
});

test("the toolbar steps through months, goes to a date and back to today, and names the time zone", async () => {
  const { screen } = await showCalendar({ now: new Date() });
  const month = (name: string) => expect.element(screen.getByRole("heading", { name })).toBeVisible();
  await screen.getByRole("button", { name: "Next" }).click();
  await month("April 2099");
  for (let step = 0; step < 2; step += 1) await screen.getByRole("button", { name: "Previous" }).click();
  await month("February 2099");
  await screen.getByLabelText("Go to date").fill("2030-07-04");
  await month("July 2030");
  await screen.getByRole("button", { name: "Today" }).click();
  const today = { month: "long", year: "numeric", timeZone: ACCOUNT.timeZone } as const;
  await month(new Intl.DateTimeFormat("en-US", today).format(new Date()));
  await expect.element(screen.getByText(/^Times in .*New York/)).toBeVisible();
});

test("the week shows free posting slots, and not those that a pin takes", async () => {
  const slots = [
    { weekday: 4, minute: 600 },
    { weekday: 4, minute: 1_215 },
  ];
  await showCalendar({ view: "week", slots });
  const free = () =>
    [...document.querySelectorAll("[data-slot=free-slot]")].map((slot) => [
      slot.textContent,
      slot.closest("td")?.dataset.hour,
    ]);
  // "Pin one" is at 10 AM.
  await expect.poll(free).toEqual([["Free slot 8:15 PM", "20"]]);
});

test("in the week, an hour with many pins opens the day's list, and has the focus when one is dropped in it", async () => {
  const posts = [0, 1, 2, 3, 4].map((at) => pin(`p${at}`, `2099-03-12T14:0${at}:00.000Z`));
  posts.push(pin("p5", "2099-03-11T14:30:00.000Z"), pin("early", "2099-03-12T11:00:00.000Z"));
  const { screen } = await showCalendar({ posts, view: "week" });
  document.querySelector<HTMLElement>("[data-pin-id=p5]")?.focus();
  await userEvent.keyboard(" {ArrowRight}{Enter}");
  await expect.poll(() => document.activeElement?.textContent).toMatch(/^\+2 more on Thursday, March 12 at 10/);
  await screen.getByRole("button", { name: /^\+2 more on Thursday, March 12 at 10/ }).click();
  const list = screen.getByRole("dialog", { name: "Thursday, March 12" });
  await expect.element(list.getByRole("checkbox", { name: "Select Pin p5" })).toBeVisible();
});

test("in the week, arrow keys move by hours", async () => {
  const { screen, moves } = await showCalendar({ view: "week" });
  document.querySelector<HTMLElement>("[data-pin-id=one]")?.focus();
  await userEvent.keyboard(" {ArrowDown}{ArrowDown}{ArrowLeft}");
  await expect.element(screen.getByText("“Pin one”: Wednesday, March 11, 12 PM")).toBeVisible();
  await userEvent.keyboard("{Enter}");
  await expect.poll(() => moves[0]?.[0]?.to).toBe("2099-03-11T16:00:00.000Z");
});

test("a list of 2,000 pins renders what is near the viewport", async () => {
  const posts = Array.from({ length: 2_000 }, (_, at) =>
    pin(`p${at}`, new Date(Date.UTC(2099, 2, 10, 12, at * 30)).toISOString()),
  );
  await showCalendar({ posts, view: "list" });
  await expect.poll(() => document.querySelectorAll("[data-slot=calendar-row]").length).toBeGreaterThan(5);
  expect(document.querySelectorAll("[data-slot=calendar-row]").length).toBeLessThan(120);
});

describe("drafts", () => {
  const drafts = ["a", "b"].map((id) => pinWire({ id, title: `Draft ${id}`, account_id: ACCOUNT.id }));

  test("the selected ones take the next free slots after their times were shown", async () => {
    const planned = [
      { post_id: "b", at: "2099-03-11T13:00:00.000Z", clock: "plain" },
      { post_id: "a", at: "2100-03-14T07:30:00.000Z", clock: "skipped" },
    ];
    const answers = { "ACTION planIntoSlotsAction": { ok: true, value: planned } };
    const { screen, moves } = await showCalendar({ drafts, slots: [{ weekday: 3, minute: 540 }] }, answers);
    await screen.getByRole("checkbox", { name: "Draft b" }).click();
    await screen.getByRole("checkbox", { name: "Draft a" }).click();
    await screen.getByRole("button", { name: "Fill free slots" }).click();
    await expect.element(screen.getByText("Wed, Mar 11, 9:00 AM")).toBeVisible();
    const note = "Clocks spring forward that night: 2:30 AM doesn't exist and becomes 3:30 AM.";
    await expect.element(screen.getByText(note)).toBeVisible();
    expect(moves).toEqual([]);
    await screen.getByRole("button", { name: "Schedule 2 pins" }).click();
    await expect.element(screen.getByText("2 pins scheduled for Wed, Mar 11, 9:00 AM and later")).toBeVisible();
    expect(moves).toEqual([planned.map(({ post_id, at }) => ({ post_id, from: null, to: at }))]);
  });

  const crowded = [{ rule: "perDay", limit: 10, other: null }];
  const paced = (id: string) => ({ post_id: id, numbers: PRESETS.steady, breaches: crowded });
  const tooMany = "Doesn't follow your safe pace: your limit is 10 pins a day.";

  test("slots that break the safe pace say so before they are taken, and can be taken all the same", async () => {
    const planned = [{ post_id: "b", at: "2099-03-11T13:00:00.000Z", clock: "plain" }];
    const answers = {
      "ACTION planIntoSlotsAction": done(planned),
      "ACTION checkTimesAction": done([paced("b")]),
    };
    const { screen, calls } = await showCalendar({ drafts, slots: [{ weekday: 3, minute: 540 }] }, answers);
    await screen.getByRole("checkbox", { name: "Draft b" }).click();
    await screen.getByRole("button", { name: "Fill free slots" }).click();
    const dialog = screen.getByRole("dialog");
    await expect.element(dialog.getByText(tooMany)).toBeVisible();
    await expect
      .element(dialog.getByText("1 pin doesn't follow your safe pace. You can still schedule it."))
      .toBeVisible();
    expect(calls.to("ACTION checkTimesAction")[0]?.body).toEqual([
      { slots: [{ post_id: "b", due_at: planned[0]?.at }] },
    ]);
    await dialog.getByRole("button", { name: "Schedule this pin" }).click();
    await expect.element(screen.getByText(`Pin scheduled for Wed, Mar 11, 9:00 AM. ${tooMany}`)).toBeVisible();
    // What the user saw isn't asked again.
    expect(calls.to("ACTION checkTimesAction")).toHaveLength(1);
  });

  test("days of a season come with the link: they are filled evenly, and pins that don't fit are named", async () => {
    const now = new Date();
    const day = (days: number) => addDays(now.toISOString().slice(0, 10), days);
    const fillDays = { from: day(70), to: day(83) };
    const planned = [{ post_id: "b", at: `${day(71)}T17:00:00.000Z`, clock: "plain" }];
    const plan = "ACTION planIntoSlotsAction";
    const shown = { drafts, slots: [{ weekday: 3, minute: 540 }], fillDays, now };
    const { screen, calls, moves } = await showCalendar(shown, { [plan]: done(planned) });
    const hint = `Select drafts to fill your free slots from ${shortDay(day(70))} to ${shortDay(day(83))}.`;
    await expect.element(screen.getByText(hint)).toBeVisible();
    await screen.getByRole("checkbox", { name: "Draft b" }).click();
    await screen.getByRole("checkbox", { name: "Draft a" }).click();
    await screen.getByRole("button", { name: "Fill free slots" }).click();
    const dialog = screen.getByRole("dialog");
    const sent = () => calls.to(plan).at(-1)?.body;
    await expect.element(dialog.getByText("1 pin doesn't fit on these days and stays a draft.")).toBeVisible();
    expect(sent()).toMatchObject([{ firstDay: day(70), lastDay: day(83), spreadDays: 14 }]);
    const time = momentLabel(planned[0]?.at ?? "", ACCOUNT.timeZone);
    await expect.element(dialog.getByRole("listitem").nth(0)).toHaveTextContent(`${time}Draft b`);
    await expect.element(dialog.getByRole("listitem").nth(1)).toHaveTextContent("No free slotDraft a");
    const to = dialog.getByLabelText("To (optional)");
    await to.fill(day(69));
    await expect.element(dialog.getByText("The end date is before the start date.")).toBeVisible();
    await expect.element(dialog.getByRole("button", { name: /^Schedule/ })).toBeDisabled();
    await to.fill(day(75));
    await dialog.getByLabelText("Spread").selectOptions("In the next free slots");
    await expect.poll(sent).toMatchObject([{ lastDay: day(75), spreadDays: null }]);
    expect(moves).toEqual([]);
    await dialog.getByRole("button", { name: "Schedule this pin" }).click();
    await expect.element(screen.getByText(`Pin scheduled for ${time}`)).toBeVisible();
    expect(moves).toEqual([[{ post_id: "b", from: null, to: planned[0]?.at }]]);
  });

  test("all of the tray can be selected at once", async () => {
    const { screen } = await showCalendar({ drafts, slots: [{ weekday: 3, minute: 540 }] });
    expect(screen.getByRole("link", { name: "See all drafts" }).elements()).toEqual([]);
    await screen.getByRole("button", { name: "Select all 2" }).click();
    for (const { title } of drafts) await expect.element(screen.getByRole("checkbox", { name: title })).toBeChecked();
    await screen.getByRole("button", { name: "Clear selection" }).click();
    await expect.element(screen.getByRole("button", { name: "Fill free slots" })).toBeDisabled();
  });

  test("a full tray leads to all drafts", async () => {
    const many = Array.from({ length: DRAFTS_SHOWN }, (_, at) => pinWire({ id: `d${at}`, title: `Draft ${at}` }));
    const { screen } = await showCalendar({ drafts: many });
    const link = screen.getByRole("link", { name: "See all drafts" });
    await expect.element(link).toHaveAttribute("href", "/app/generated-posts?account=acc_1&status=draft");
  });

  test("without slots, the tray leads to them", async () => {
    const { screen } = await showCalendar({ drafts, fillDays: { from: "2099-04-01", to: "2099-04-14" } });
    const link = screen.getByRole("link", { name: "Set up posting slots" });
    const href = `/app/calendar/slots?account=${ACCOUNT.id}&from=2099-04-01&to=2099-04-14`;
    await expect.element(link).toHaveAttribute("href", href);
  });
});
