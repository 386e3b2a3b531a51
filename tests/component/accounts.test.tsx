import { describe, expect, test, vi } from "vitest";
import { page, userEvent } from "vitest/browser";
import { AccountsScreen } from "#components/accounts/accounts-screen.tsx";
import { BoardsScreen } from "#components/accounts/boards-screen.tsx";
import { OverviewStrip } from "#components/accounts/overview-strip.tsx";
import type { AccountWire, BoardWire } from "#lib/features/accounts/schema.ts";
import type { Overview } from "#lib/features/calendar/overview.ts";
import { type Answers, failWith } from "#tests/support/component/calls.ts";
import { render, renderScreen } from "#tests/support/component/render.tsx";
import { holdTimers } from "#tests/support/component/timers.ts";

const ACCOUNTS = "GET /api/users/pinterest/accounts/";
const AUTH = "GET /api/users/pinterest/auth/";
const REMOVE = "PUT /api/users/pinterest/accounts/";
const BOARDS = "GET /api/users/pinterest/boards/*/";

const account: AccountWire = {
  id: "account_1",
  username: "juniper.studio",
  created: "2026-03-01T08:00:00.000Z",
  total_boards: 3,
  total_pins: 12,
  followers: 40,
  monthly_views: null,
  status: "connected",
  profile_url: "https://www.pinterest.com/juniper.studio/",
};

const open = (initial: AccountWire[], answers: Answers = {}, more: { path?: string; credits?: number } = {}) =>
  renderScreen(<AccountsScreen initial={initial} plan="free" timeZone="UTC" creatorPath="/app/evertack-creator" />, {
    path: more.path ?? "/app",
    answers: { [ACCOUNTS]: initial, ...answers },
    ...(more.credits !== undefined && { credits: more.credits }),
  });

test("R-ACC-09, R-ERR-10, R-TIME-04, A-89 shows the server's text for ten seconds at the plan's limit", async () => {
  const text = "Your Free plan allows 1 connected Pinterest account(s). Upgrade to connect more.";
  const { screen } = await open([account], { [AUTH]: failWith(403, { error: text }) });
  holdTimers();
  await screen.getByRole("button", { name: "Connect Account" }).click();
  await expect.element(screen.getByText(text)).toBeVisible();
  await vi.advanceTimersByTimeAsync(9_000);
  await expect.element(screen.getByText(text)).toBeVisible();
  await vi.advanceTimersByTimeAsync(1_500);
  await expect.element(screen.getByText(text)).not.toBeInTheDocument();
});

test("R-ACC-10 only logs other connection failures", async () => {
  const logged = vi.spyOn(console, "error").mockImplementation(() => {});
  const { screen } = await open([], { [AUTH]: failWith(503, { error: "Broken for a test." }) });
  await screen.getByRole("button", { name: "Connect Account" }).click();
  await expect.poll(() => logged.mock.calls.flat()).toContain("Connecting a Pinterest account failed");
  await expect.element(screen.getByText("Broken for a test.")).not.toBeInTheDocument();
});

test("R-ACC-11, R-ERR-07 shows an error when loading fails and keeps the stored accounts", async () => {
  const { screen } = await open([account], { [ACCOUNTS]: failWith(500, {}) });
  await expect.element(screen.getByText("Failed to fetch Pinterest accounts")).toBeVisible();
  await expect.element(screen.getByRole("heading", { name: account.username })).toBeVisible();
});

test("R-ACC-03, R-ACC-04, A-13 asks before removing an account; declining sends nothing", async () => {
  const { screen, calls } = await open([account], { [REMOVE]: { message: "Removed." } });
  const question = screen.getByRole("dialog", { name: "Are you sure you want to remove this account?" });
  await screen.getByRole("button", { name: `Remove ${account.username}` }).click();
  await question.getByRole("button", { name: "Keep it" }).click();
  await expect.element(question).not.toBeInTheDocument();
  expect(calls.to(REMOVE)).toEqual([]);
  await screen.getByRole("button", { name: `Remove ${account.username}` }).click();
  calls.set({ [ACCOUNTS]: [] });
  await question.getByRole("button", { name: "Remove" }).click();
  await expect.element(screen.getByText("No accounts connected yet")).toBeVisible();
  expect(calls.to(REMOVE)).toMatchObject([{ body: { accountId: account.id } }]);
});

test("A-87 shows a fixed text for `success` in the URL and resets the URL", async () => {
  const { screen } = await open([account], {}, { path: "/app/?success=%3Cimg%20src%3Dx%3E" });
  await expect
    .element(screen.getByTestId("notice").getByText("Pinterest account connected successfully!"))
    .toBeVisible();
  await expect.element(screen.getByText("<img")).not.toBeInTheDocument();
  expect(location.search).toBe("");
});

test("R-ACC-06, R-CRED-02, R-CRED-03 offers to connect without an account; nine credits are low, ten are not", async () => {
  const low = "Your credits are running low. Buy more to continue generating pins.";
  const nine = await open([], {}, { credits: 9 });
  await expect.element(nine.screen.getByRole("button", { name: "Connect Account" })).toBeVisible();
  await page.viewport(1440, 900);
  await expect.element(nine.screen.getByText(low)).toBeVisible();
  await nine.screen.unmount();
  const ten = await open([], {}, { credits: 10 });
  await expect.element(ten.screen.getByText("Available").first()).toBeVisible();
  await expect.element(ten.screen.getByText(low)).not.toBeInTheDocument();
});

const board = (n: number, privacy: string): BoardWire => ({ id: `${n}`, name: `Board ${n}`, description: "", privacy });

test("R-BRD-01, R-BRD-02, R-BRD-04, A-64 lists over 250 boards, none to be edited, with a lock where they are not public", async () => {
  const open = Array.from({ length: 259 }, (_, at) => board(at + 3, "PUBLIC"));
  const items = [board(1, "SECRET"), board(2, "PROTECTED"), ...open];
  const { screen } = await renderScreen(<BoardsScreen accounts={[{ id: account.id, username: "fern" }]} />, {
    path: "/app/board-manager",
    answers: { [BOARDS]: { items } },
  });
  await expect.element(screen.getByRole("row")).toHaveLength(262);
  await expect.element(screen.getByRole("img", { name: "Not public" })).toHaveLength(2);
  const rows = [...screen.container.querySelectorAll("tbody tr")];
  expect(rows.slice(0, 2).map((row) => row.lastElementChild?.textContent)).toEqual(["Secret", "Protected"]);
  expect(rows.filter((row) => /Public$/.test(row.textContent ?? ""))).toHaveLength(259);
  expect(screen.container.querySelectorAll("table :is(button, input, select, [contenteditable])")).toHaveLength(0);
});

test("R-BRD-05, R-BRD-06, R-ERR-08 distinguishes no boards from a failure", async () => {
  const { screen, calls } = await renderScreen(<BoardsScreen accounts={[{ id: account.id, username: "fern" }]} />, {
    path: "/app/board-manager",
    answers: { [BOARDS]: failWith(500, {}) },
  });
  await expect.element(screen.getByText("Failed to fetch boards")).toBeVisible();
  calls.set({ [BOARDS]: { items: [] } });
  await screen.getByRole("button", { name: "Try again" }).click();
  await userEvent.keyboard("{Tab}");
  await expect.element(screen.getByRole("heading", { name: "No boards" })).toBeVisible();
});

describe("what's next", () => {
  const overview: Overview = {
    ...{ hasAccount: true, hasPins: true, hasSchedule: true },
    ...{ drafts: { pins: 12, accountId: "acc_2" }, failed: { pins: 1, accountId: "acc_1" } },
    gap: { accountId: "acc_2", username: "moss", days: 5, firstDay: "2026-12-02" },
    ...{ leading: { keyword: "moss", accountId: "acc_1", clickRate: 0.021 } },
    next: { title: "Fern walls", at: new Date("2026-12-01T15:00:00.000Z"), accountId: "acc_1", timeZone: "UTC" },
  };
  const show = (more: Partial<Overview>, credits = 40) =>
    render(<OverviewStrip overview={{ ...overview, ...more }} credits={credits} creatorPath="/app/creator" />, "/app");
  const links = (container: Element) =>
    [...container.querySelectorAll("a")].map((link) => [link.textContent, link.getAttribute("href")]);

  test("each fact has its one next action; what failed comes first", async () => {
    const { container } = await show({});
    expect([...container.querySelectorAll("dt")].map((term) => term.textContent)).toEqual([
      ...["Needs attention", "Next", "Drafts", "Next two weeks, moss", "Credits", "Best keyword"],
    ]);
    expect(container.textContent).toContain("Dec 1, 2026, 3:00 PM · Fern walls");
    expect(container.textContent).toContain("“moss”, 2.1% click rate");
    expect(links(container)).toEqual([
      ["See why", "/app/generated-posts?account=acc_1&status=failed"],
      ["Open the calendar", "/app/calendar?account=acc_1"],
      ["Choose", "/app/generated-posts?account=acc_2&status=draft"],
      ["Plan in calendar", "/app/calendar?account=acc_2&date=2026-12-02"],
      ["Create pins", "/app/creator"],
      ["See results", "/app/analytics?account=acc_1"],
    ]);
  });

  test("without credits or plans it says what to do", async () => {
    const { container } = await show(
      {
        ...{
          failed: null,
          drafts: null,
          next: null,
          gap: { accountId: "acc_1", username: null, days: 14, firstDay: "2026-12-01" },
          leading: null,
        },
      },
      0,
    );
    expect(container.textContent).toContain("Nothing is scheduled");
    expect(container.textContent).toContain("Nothing scheduled");
    expect(links(container).map(([text]) => text)).toEqual(["Schedule drafts", "Plan in calendar", "Buy credits"]);
  });

  test("new users get three steps that tick themselves off", async () => {
    const { container } = await show({ hasSchedule: false, hasPins: false });
    expect([...container.querySelectorAll("li")].map((step) => step.textContent)).toEqual([
      ...[
        "Connect your Pinterest accountDone",
        "2Create pins from your first keywords",
        "3Choose pins and schedule them",
      ],
    ]);
    expect(links(container)).toEqual([["Create pins from your first keywords", "/app/creator"]]);
  });
});
