import { expect, test, vi } from "vitest";
import { userEvent } from "vitest/browser";
import { CreatorScreen } from "#components/generation/creator-screen.tsx";
import type { DayRange } from "#lib/core/paths.ts";
import type { TaskWire, TrackingWire } from "#lib/features/generation/schema.ts";
import { type Answers, failWith, pendingResponse } from "#tests/support/component/calls.ts";
import { renderScreen } from "#tests/support/component/render.tsx";
import { holdTimers } from "#tests/support/component/timers.ts";
import { taskWire } from "#tests/support/component/wires.ts";

const BOARDS = "GET /api/users/pinterest/boards/*/";
const START = "POST /api/users/pinterest/generate-pins/";
const TRACK = "GET /api/users/pinterest/track-pin-generation/";

const SUGGESTIONS = "GET /api/users/pinterest/keyword-suggestions/*/";

const NO_SUGGESTIONS = { keywords: [], problem: null };

const NO_STAGES = {
  pending: 0,
  generating_title: 0,
  title_generated: 0,
  generating_description: 0,
  description_generated: 0,
  generating_image: 0,
  image_generated: 0,
  retry: 0,
  success: 0,
  failure: 0,
  revoked: 0,
  error: 0,
  failed: 0,
};

const FERN = { id: "account_1", username: "fern" };

const open = async (
  answers: Answers = {},
  keywords: string[] = [],
  days: DayRange | null = null,
  accounts = [FERN],
) => {
  const boards = { items: [{ id: "101", name: "Cabins", description: "", privacy: "PUBLIC" }] };
  const shown = await renderScreen(
    <CreatorScreen
      title="Creator"
      accounts={accounts}
      running={null}
      keywords={keywords}
      start={{ url: null, accountId: null, boardId: null, days }}
    />,
    { path: "/app/evertack-creator", answers: { [BOARDS]: boards, [SUGGESTIONS]: NO_SUGGESTIONS, ...answers } },
  );
  const { screen } = shown;
  await expect.element(screen.getByRole("option", { name: "Cabins" })).toBeInTheDocument();
  return {
    ...shown,
    keyword: (n: number) => screen.getByLabelText(`Keyword ${n}`, { exact: true }),
    url: (n: number) => screen.getByLabelText(`URL for keyword ${n} (optional)`),
    chooseBoard: () => screen.getByLabelText("Board", { exact: true }).selectOptions("101"),
    generate: screen.getByRole("button", { name: "Generate Content" }),
  };
};

test("R-AIC-01, R-AIC-02, R-AIC-03, R-AIC-04 the button needs a keyword and a board, and the total follows the rows", async () => {
  const { screen, keyword, chooseBoard, generate } = await open();
  await keyword(1).fill("cabins in the woods");
  await expect.element(generate).toBeDisabled();
  await chooseBoard();
  await expect.element(generate).toBeEnabled();
  await screen.getByRole("radio", { name: /High, 2 credits/ }).click();
  await expect.element(screen.getByText("2 credits", { exact: true })).toBeVisible();
  await screen.getByRole("button", { name: "Add keyword" }).click();
  await expect.element(keyword(4)).toBeVisible();
  await screen.getByRole("button", { name: "Remove row 1" }).click();
  await expect.element(keyword(4)).not.toBeInTheDocument();
  await expect.element(generate).toBeDisabled();
});

test("R-AIC-05, R-AIC-06, R-ENT-06, R-AIC-12 empty rows are left out, an empty URL is null, and a warning without a batch keeps the form", async () => {
  const warning = "You have 0 credits, but a pin at this quality costs 1. Nothing was generated.";
  const { screen, calls, keyword, url, chooseBoard, generate } = await open({
    [START]: { total_tasks: 0, group_id: null, warning },
  });
  await chooseBoard();
  await keyword(2).fill("slow sunday bread");
  await url(1).fill("https://example.com/ignored");
  await generate.click();
  await expect.element(screen.getByText(warning)).toBeVisible();
  await expect
    .element(screen.getByRole("link", { name: "Buy More Credits" }))
    .toHaveAttribute("href", "/app/buy-credits");
  await expect.element(generate).toBeVisible();
  expect(calls.to(START).map(({ body }) => body)).toEqual([
    {
      pinterest_account: "account_1",
      board_id: "101",
      quality: "standard",
      keyword_data: [{ keyword: "slow sunday bread", url: null }],
    },
  ]);
});

test("R-AIC-11, R-AIC-12, R-SRV-02 with credits for some rows, those start with a warning; with none, only the warning is shown", async () => {
  const warnings = [
    "You have enough credits for 1 of 2 pins, so 1 keyword was left out.",
    "You have 0 credits, but a pin at this quality costs 1. Nothing was generated.",
  ];
  const starts = [
    { total_tasks: 1, group_id: "group_1", warning: warnings[0] },
    { total_tasks: 0, group_id: null, warning: warnings[1] },
  ];
  const done: TrackingWire = {
    ...{ total_tasks: 1, completed_tasks: 1, progress_percentage: 100, tasks: [taskWire()] },
    ...{ stage_counts: { ...NO_STAGES, success: 1 }, estimated_time_remaining: 0 },
  };
  const { screen, calls, keyword, chooseBoard, generate } = await open({
    [START]: () => starts.shift(),
    [TRACK]: done,
  });
  await chooseBoard();
  await keyword(1).fill("one winter idea");
  await keyword(2).fill("two winter ideas");
  await generate.click();
  await expect.element(screen.getByText(warnings[0] ?? "")).toBeVisible();
  await expect
    .element(screen.getByRole("link", { name: "Buy More Credits" }))
    .toHaveAttribute("href", "/app/buy-credits");
  await expect.element(screen.getByText("Pin generation complete!")).toBeVisible();
  await expect.element(generate).not.toBeInTheDocument();
  await screen.getByRole("button", { name: "Make another batch" }).click();
  await chooseBoard();
  await keyword(1).fill("one more");
  const polled = calls.to(TRACK).length;
  await generate.click();
  await expect.element(screen.getByText(warnings[1] ?? "")).toBeVisible();
  await expect.element(generate).toBeVisible();
  expect(calls.to(TRACK)).toHaveLength(polled);
});

test("several pins per keyword raise the total, and more than 100 can't start", async () => {
  const { screen, calls, keyword, chooseBoard, generate } = await open({
    [START]: { total_tasks: 0, group_id: null, warning: "No credits." },
  });
  await chooseBoard();
  await keyword(1).fill("bread");
  await keyword(2).fill("soup");
  await screen.getByRole("radio", { name: "3", exact: true }).click();
  await expect.element(screen.getByText("6 pins", { exact: true })).toBeVisible();
  await expect.element(screen.getByText("6 credits", { exact: true })).toBeVisible();
  await generate.click();
  await expect.poll(() => calls.to(START)[0]?.body).toMatchObject({ variants: 3 });
  await screen.unmount();
  const many = await open(
    {},
    Array.from({ length: 34 }, (_, n) => `keyword ${n}`),
  );
  await many.chooseBoard();
  await expect.element(many.generate).toBeEnabled();
  await many.screen.getByRole("radio", { name: "3", exact: true }).click();
  await expect.element(many.screen.getByText(/up to 100 pins at once/)).toBeVisible();
  await expect.element(many.generate).toBeDisabled();
});

test("an example of a row's text can be read before spending, and disappears when the row changes", async () => {
  const written = {
    title: "Slow Bread at Home",
    description: "A loaf in two days.",
    problem: "The page asks to sign in.",
  };
  const answers = [
    { ok: true, value: written },
    { ok: false, code: "too_many", text: "Please wait." },
  ];
  const { screen, calls, keyword } = await open({
    "ACTION previewTextAction": () => answers.shift(),
  });
  const show = screen.getByRole("button", { name: "Show an example text for row 1" });
  await expect.element(show).toBeDisabled();
  await keyword(1).fill("slow bread");
  await show.click();
  await expect.element(screen.getByText(written.title)).toBeVisible();
  await expect.element(screen.getByText(/The page asks to sign in\./)).toBeVisible();
  expect(calls.to("ACTION previewTextAction").map(({ body }) => body)).toEqual([
    [{ accountId: "account_1", keyword: "slow bread", url: "" }],
  ]);
  await keyword(1).fill("fast bread");
  await expect.element(screen.getByText(written.title)).not.toBeInTheDocument();
  await show.click();
  await expect.element(screen.getByText("Please wait.")).toBeVisible();
});

test("an example of one account isn't shown for another, even when it arrives late", async () => {
  const held = pendingResponse();
  const example = (title: string) => ({ ok: true, value: { title, description: "A loaf.", problem: null } });
  const accounts = [FERN, { id: "account_2", username: "moss" }];
  const { screen } = await open({ "ACTION previewTextAction": held.hold }, ["slow bread"], null, accounts);
  const show = screen.getByRole("button", { name: "Show an example text for row 1" });
  const account = screen.getByLabelText("Account", { exact: true });
  const first = screen.getByText("Slow Bread by Fern");
  await show.click();
  await held.answer(example("Slow Bread by Fern"));
  await expect.element(first).toBeVisible();
  await account.selectOptions("account_2");
  await expect.element(first).not.toBeInTheDocument();
  await account.selectOptions("account_1");
  await show.click();
  await account.selectOptions("account_2");
  await held.answer(example("Slow Bread by Fern"));
  await show.click();
  await expect.element(screen.getByText("Writing an example…")).toBeVisible();
  await expect.element(first).not.toBeInTheDocument();
  await held.answer(example("Slow Bread by Moss"));
  await expect.element(screen.getByText("Slow Bread by Moss")).toBeVisible();
});

test("keywords are suggested while typing, as the field's own list", async () => {
  const { screen, calls, keyword } = await open({
    [SUGGESTIONS]: { keywords: ["slow bread", "bread for beginners"], problem: "Pinterest is busy." },
  });
  await keyword(1).fill("br");
  await keyword(1).fill("bread");
  await expect.element(screen.getByText("No suggestions from Pinterest. Pinterest is busy.")).toBeVisible();
  const field = keyword(1).element();
  const options = field instanceof HTMLInputElement ? [...(field.list?.options ?? [])].map(({ value }) => value) : [];
  expect(options).toEqual(["slow bread", "bread for beginners"]);
  expect(calls.to(SUGGESTIONS).map(({ query }) => query.get("text"))).toEqual(["bread"]);
});

test("A-93, R-AIC-09, R-ERR-11 a wrong URL names its row and loses nothing; an error without a message shows the fallback", async () => {
  const { screen, calls, keyword, url, chooseBoard, generate } = await open({
    [START]: failWith(400, {
      error: "Row 1: Enter a full address.",
      row: { number: 1, field: "url", text: "Enter a full address." },
    }),
  });
  await chooseBoard();
  await keyword(2).fill("linen bedding");
  await url(2).fill("not an address");
  await generate.click();
  await expect.element(screen.getByText("Row 2: Enter a full address.")).toBeVisible();
  await expect.element(keyword(2)).toHaveValue("linen bedding");
  calls.set({ [START]: failWith(500) });
  await generate.click();
  await expect.element(screen.getByText("Failed to start pin generation")).toBeVisible();
});

test("R-TRK-02, R-TRK-03, R-TRK-05, R-ERR-12, R-TIME-01 a request every three seconds, and a failed one stops polling", async () => {
  const running: TrackingWire = {
    total_tasks: 1,
    completed_tasks: 0,
    progress_percentage: 5,
    tasks: [],
    stage_counts: { ...NO_STAGES, pending: 1 },
    estimated_time_remaining: 200,
  };
  const { screen, calls, keyword, chooseBoard, generate } = await open({
    [START]: { total_tasks: 1, group_id: "group_1", warning: null },
    [TRACK]: () => running,
  });
  await chooseBoard();
  await keyword(1).fill("ridge hikes");
  holdTimers();
  const requests = () => calls.to(TRACK).length;
  await generate.click();
  await expect.element(screen.getByText("3m 20s")).toBeVisible();
  expect(requests()).toBe(1);
  await vi.advanceTimersByTimeAsync(2_900);
  expect(requests()).toBe(1);
  calls.set({ [TRACK]: () => ({ ...running, estimated_time_remaining: 140 }) });
  await vi.advanceTimersByTimeAsync(200);
  expect(requests()).toBe(2);
  await expect.element(screen.getByText("2m 20s")).toBeVisible();
  calls.set({ [TRACK]: failWith(500, { error: "x" }) });
  await vi.advanceTimersByTimeAsync(3_100);
  await expect.element(screen.getByText("Failed to check generation status")).toBeVisible();
  await vi.advanceTimersByTimeAsync(30_000);
  expect(requests()).toBe(3);
});

const task = (n: number, more: Partial<TaskWire> = {}) =>
  taskWire({ task_id: `task_${n}`, id: `task_${n}`, keyword: `garden idea ${n}`, title: `Garden idea ${n}`, ...more });

const startOne = async (answers: Answers, days: DayRange | null = null) => {
  const shown = await open(answers, [], days);
  await shown.chooseBoard();
  await shown.keyword(1).fill("garden idea");
  await shown.generate.click();
  return shown;
};

test("R-TRK-06, R-TRK-09, R-TRK-10, R-TRK-11, R-ERR-13, A-31 twelve tasks: ten bars, ten pins, two more, one failed", async () => {
  const failed = task(3, { status: "FAILURE", stage: "FAILURE", title: null, image_url: null, reason: "Refused." });
  const days = { from: "2027-02-04", to: "2027-02-18" };
  const answers = {
    [START]: { total_tasks: 12, group_id: "group_1", warning: null },
    [TRACK]: {
      total_tasks: 12,
      completed_tasks: 12,
      progress_percentage: 100,
      tasks: Array.from({ length: 12 }, (_, n) => (n === 3 ? failed : task(n))),
      stage_counts: { ...NO_STAGES, success: 11, failure: 1, failed: 1 },
      estimated_time_remaining: 0,
    } satisfies TrackingWire,
  };
  const { screen } = await startOne(answers, days);
  await expect.element(screen.getByText("Pin generation complete!")).toBeVisible();
  const calendar = "/app/calendar?account=account_1&date=2027-02-04&from=2027-02-04&to=2027-02-18";
  await expect.element(screen.getByRole("link", { name: "Plan in calendar" })).toHaveAttribute("href", calendar);
  await expect.element(screen.getByText(/1 pin\(s\) failed to generate\./)).toBeVisible();
  const count = (selector: string) => screen.container.querySelectorAll(selector).length;
  expect([count("[data-slot=strip-bar]"), count("[data-slot=task-grid] > li")]).toEqual([10, 10]);
  await expect.element(screen.getByText("+2 more")).toBeVisible();
  await expect.element(screen.getByRole("progressbar")).toHaveAttribute("aria-valuenow", "100");
});

test("R-TRK-04, R-TRK-12 the stream finishes a group between two requests", async () => {
  const pending = task(1, {
    status: "PENDING",
    stage: "PENDING",
    title: null,
    image_url: null,
    progress_percentage: 5,
  });
  const running: TrackingWire = {
    total_tasks: 1,
    completed_tasks: 0,
    progress_percentage: 5,
    tasks: [pending],
    stage_counts: { ...NO_STAGES, pending: 1 },
    estimated_time_remaining: 20,
  };
  const { screen, calls, live } = await startOne({
    [START]: { total_tasks: 1, group_id: "group_1", warning: null },
    [TRACK]: running,
  });
  await expect.element(screen.getByText("of 1 finished")).toBeVisible();
  // No further poll is answered, so all updates come from the stream.
  calls.set({ [TRACK]: pendingResponse().hold });
  live.send("task", { ...task(1), group_id: "group_1" });
  await expect.element(screen.getByText("Pin generation complete!")).toBeVisible();
  await expect.element(screen.getByRole("progressbar")).toHaveAttribute("aria-valuenow", "100");
  expect(screen.container.querySelector("[data-slot=task-grid] img")).not.toBeNull();
});

test("a removed keyword can be restored by Undo, also by keyboard", async () => {
  const { screen, keyword } = await open();
  await keyword(1).fill("cabins in the woods");
  await keyword(2).fill("linen bedding");
  await screen.getByRole("button", { name: "Remove row 1" }).click();
  await expect.element(keyword(1)).toHaveValue("linen bedding");
  await expect.element(screen.getByText("Row 1 removed")).toBeVisible();
  // The toast itself comes first.
  await userEvent.keyboard("{Alt>}t{/Alt}{Tab}{Tab}");
  await expect.element(screen.getByRole("button", { name: "Undo" })).toHaveFocus();
  await userEvent.keyboard("{Enter}");
  await expect.element(keyword(1)).toHaveValue("cabins in the woods");
  await expect.element(keyword(2)).toHaveValue("linen bedding");
  await expect.element(screen.getByText("Row 1 removed")).not.toBeInTheDocument();
});

test("generating asks for a confirmed email and sends it again", async () => {
  const text = "Please confirm your email to keep generating pins.";
  const { screen, calls, keyword, chooseBoard, generate } = await open({
    [START]: failWith(403, { error: text, code: "email_unconfirmed" }),
    "POST /api/users/verify-email/resend/": { message: "We sent you a new link." },
  });
  await chooseBoard();
  await keyword(1).fill("evergreen cabins");
  await generate.click();
  await expect.element(screen.getByText(text)).toBeVisible();
  await screen.getByRole("button", { name: "Send the email again" }).click();
  await expect.element(screen.getByText("We sent you a new link.")).toBeVisible();
  expect(calls.to("POST /api/users/verify-email/resend/")).toHaveLength(1);
});

test("the page's URL fills in the keyword, its link, the account, and the board", async () => {
  const boards = { items: [{ id: "101", name: "Cabins", description: "", privacy: "PUBLIC" }] };
  const accounts = [
    { id: "account_1", username: "fern" },
    { id: "account_2", username: "moss" },
  ];
  const days = { from: "2027-02-04", to: "2027-02-18" };
  const start = { url: "https://shop.test/bread", accountId: "account_2", boardId: "101", days };
  const { screen } = await renderScreen(
    <CreatorScreen title="Creator" accounts={accounts} running={null} keywords={["slow bread"]} start={start} />,
    { path: "/app/evertack-creator", answers: { "GET /api/users/pinterest/boards/account_2/": boards } },
  );
  await expect.element(screen.getByRole("combobox", { name: "Account" })).toHaveValue("account_2");
  await expect.element(screen.getByRole("combobox", { name: "Board", exact: true })).toHaveValue("101");
  expect([...document.querySelectorAll<HTMLInputElement>("main input")].map(({ value }) => value)).toEqual(
    expect.arrayContaining(["slow bread", "https://shop.test/bread"]),
  );
  await expect.element(screen.getByText(/^Publish these pins from Thu, Feb 4 to Thu, Feb 18,/)).toBeVisible();
});
