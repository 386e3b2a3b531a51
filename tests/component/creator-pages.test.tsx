import type { ComponentProps } from "react";
import { expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import { CreatorScreen } from "#components/generation/creator-screen.tsx";
import { TaskPreview } from "#components/generation/task-preview.tsx";
import { creatorRowsUrl } from "#lib/core/paths.ts";
import type { TaskWire, TrackingWire } from "#lib/features/generation/schema.ts";
import { unreachable } from "#tests/support/component/calls.ts";
import { renderScreen } from "#tests/support/component/render.tsx";
import { taskWire } from "#tests/support/component/wires.ts";

const BOARDS = "GET /api/users/pinterest/boards/*/";
const SUGGESTIONS = "GET /api/users/pinterest/keyword-suggestions/*/";
const START = "POST /api/users/pinterest/generate-pins/";
const boards = { items: [{ id: "101", name: "Cabins", description: "", privacy: "PUBLIC" }] };

const READ: TaskWire["page"] = {
  taken: [
    { label: "Product", value: "Fern mug, 24.50 USD" },
    { label: "Ingredients", value: "7" },
  ],
  problem: null,
};
const UNREAD: TaskWire["page"] = { taken: [], problem: "The page asks visitors to sign in." };

const showCreator = (
  keywords: readonly string[] = [],
  variants: ComponentProps<typeof CreatorScreen>["variants"] = {},
) =>
  renderScreen(
    <CreatorScreen
      title="Creator"
      accounts={[
        { id: "account_1", username: "fern" },
        { id: "account_2", username: "moss" },
      ]}
      running={null}
      keywords={keywords}
      variants={variants}
      start={{ url: null, accountId: null, boardId: null, days: null }}
    />,
    {
      path: "/app/evertack-creator",
      answers: {
        ...{ [BOARDS]: boards, [SUGGESTIONS]: { keywords: [], problem: null } },
        [START]: { total_tasks: 0, group_id: null, warning: "No credits." },
      },
    },
  );
type Screen = Awaited<ReturnType<typeof showCreator>>["screen"];

test("rows with a URL ask what happens if their page can't be read, and send the choice", async () => {
  const { screen, calls } = await showCreator();
  const stop = screen.getByRole("radio", { name: "Skip this row" });
  await screen.getByLabelText("Board", { exact: true }).selectOptions("101");
  await screen.getByLabelText("Keyword 1", { exact: true }).fill("mugs");
  await expect.element(stop).not.toBeInTheDocument();
  await screen.getByLabelText("URL for keyword 1 (optional)").fill("https://moss.example/mug");
  await expect.element(screen.getByRole("radio", { name: "Use only the keyword" })).toBeChecked();
  const generate = screen.getByRole("button", { name: "Generate Content" });
  await generate.click();
  await stop.click();
  await generate.click();
  await expect.poll(() => calls.to(START)).toHaveLength(2);
  const bodies = calls.to(START).map(({ body }) => body);
  expect(bodies[0]).not.toHaveProperty("unreadable_page");
  expect(bodies[1]).toMatchObject({ unreadable_page: "stop" });
});

const LAST_VARIANTS = { account_1: 3, account_2: 2 } as const;
const count = (screen: Screen, number: number) => screen.getByRole("radio", { name: String(number), exact: true });

test("the form starts with the number of pins per keyword that the account's last batch had, and keeps another choice", async () => {
  const { screen, calls } = await showCreator([], LAST_VARIANTS);
  const account = screen.getByLabelText("Account", { exact: true });
  await expect.element(count(screen, 3)).toBeChecked();
  await account.selectOptions("account_2");
  await expect.element(count(screen, 2)).toBeChecked();
  await screen.getByLabelText("Board", { exact: true }).selectOptions("101");
  await screen.getByLabelText("Keyword 1", { exact: true }).fill("mugs");
  await screen.getByRole("button", { name: "Generate Content" }).click();
  await expect.poll(() => calls.to(START)[0]?.body).toMatchObject({ variants: 2 });
  await count(screen, 4).click();
  await account.selectOptions("account_1");
  await expect.element(count(screen, 4)).toBeChecked();
});

test("keywords that another screen sent start with one pin each, whatever the last batch had", async () => {
  const { screen } = await showCreator(["mugs"], LAST_VARIANTS);
  await expect.element(count(screen, 1)).toBeChecked();
});

test.each([
  ["", 0],
  [" Confirm your email to use the rest of your free credits.", 1],
])("a batch that left keywords out offers to buy credits, and a new email if that helps:%s", async (more, offers) => {
  const warning = `1 of 2 pins are being generated, and 1 keyword was left out.${more}`;
  const { screen, calls } = await showCreator();
  calls.set({
    [START]: { total_tasks: 1, group_id: "group_1", warning },
    "GET /api/users/pinterest/track-pin-generation/": unreachable,
    "POST /api/users/verify-email/resend/": { message: "We sent you a new link." },
  });
  await screen.getByLabelText("Board", { exact: true }).selectOptions("101");
  await screen.getByLabelText("Keyword 1", { exact: true }).fill("mugs");
  await screen.getByRole("button", { name: "Generate Content" }).click();
  await expect.element(screen.getByText(warning)).toBeVisible();
  await expect.element(screen.getByRole("link", { name: "Buy More Credits" })).toBeVisible();
  const resend = screen.getByRole("button", { name: "Send the email again" });
  expect(resend.elements()).toHaveLength(offers);
  if (offers === 0) return;
  await resend.click();
  await expect.element(screen.getByText("We sent you a new link.")).toBeVisible();
});

test("a batch whose answer was lost is sent again with the same key, the next one with its own", async () => {
  const { screen, calls } = await showCreator();
  const generate = screen.getByRole("button", { name: "Generate Content" });
  await screen.getByLabelText("Board", { exact: true }).selectOptions("101");
  await screen.getByLabelText("Keyword 1", { exact: true }).fill("mugs");
  calls.set({ [START]: unreachable });
  await generate.click();
  await expect.element(screen.getByText(/Failed to start pin generation/)).toBeVisible();
  calls.set({ [START]: { total_tasks: 0, group_id: null, warning: "No credits." } });
  await generate.click();
  await expect.element(screen.getByText("No credits.")).toBeVisible();
  await generate.click();
  await expect.poll(() => calls.to(START)).toHaveLength(3);
  const [first, second, third] = calls.to(START).map(({ headers }) => headers.get("idempotency-key"));
  expect(first).toMatch(/^\S{10,}$/);
  expect(second).toBe(first);
  expect(third).not.toBe(first);
});

const openPreview = (page: TaskWire["page"]) =>
  renderScreen(
    <TaskPreview
      task={taskWire({ url: "https://moss.example/mug", ...(page && { page }) })}
      username="fern"
      accountId="account_1"
      boardId="101"
      onClose={() => {}}
    />,
    { path: "/app/evertack-creator", answers: { [BOARDS]: boards } },
  );

test("the preview of a draft lists what was taken from its page, by keyboard too", async () => {
  const { screen } = await openPreview(READ);
  const product = screen.getByText("Fern mug, 24.50 USD");
  await expect.element(product).not.toBeVisible();
  const summary = screen.getByText("From your page", { exact: true }).element();
  if (summary instanceof HTMLElement) summary.focus();
  await userEvent.keyboard("{Enter}");
  await expect.element(product).toBeVisible();
  await expect.element(screen.getByText("Ingredients", { exact: true })).toBeVisible();
});

test("the preview says why a page was not used; a draft without a URL says nothing", async () => {
  const unread = await openPreview(UNREAD);
  await expect.element(unread.screen.getByText(/The page asks visitors to sign in\./)).toBeVisible();
  await unread.screen.unmount();
  const plain = await openPreview(undefined);
  await expect.element(plain.screen.getByRole("dialog")).toBeVisible();
  expect(plain.screen.getByText("From your page").query()).toBeNull();
});

test("a batch names the drafts that were written without their page, but not the failed ones", async () => {
  const task = (n: number, more: Partial<TaskWire>) =>
    taskWire({ task_id: `task_${n}`, id: `task_${n}`, keyword: `mug ${n}`, ...more });
  const failed = { status: "FAILURE", stage: "FAILURE", title: null, image_url: null, reason: "Stopped." } as const;
  const variant = task(2, { page: UNREAD, task_id: "task_4", id: "task_4" });
  const tracking: TrackingWire = {
    total_tasks: 4,
    completed_tasks: 4,
    progress_percentage: 100,
    tasks: [task(1, { page: READ }), task(2, { page: UNREAD }), variant, task(3, { page: UNREAD, ...failed })],
    // Only these are shown.
    stage_counts: { success: 3, failed: 1 } as TrackingWire["stage_counts"],
    estimated_time_remaining: null,
  };
  const { screen } = await renderScreen(
    <CreatorScreen
      title="Creator"
      accounts={[{ id: "account_1", username: "fern" }]}
      running={{ groupId: "group_1", quality: "standard", accountId: "account_1", boardId: "101", tracking }}
      keywords={[]}
      start={{ url: null, accountId: null, boardId: null, days: null }}
    />,
    {
      path: "/app/evertack-creator",
      answers: { [BOARDS]: boards, "GET /api/users/pinterest/track-pin-generation/": tracking },
    },
  );
  const heading = "A page couldn't be used, so its pin is based only on the keyword.";
  const banner = screen.getByText(heading, { exact: false });
  await expect.element(banner).toBeVisible();
  expect(banner.element().textContent).toBe(`${heading}mug 2: ${UNREAD?.problem}`);
});

test("rows that another screen sent use their pages' images once the user has the rights, for one credit each", async () => {
  const rows = ["mugs", "pots"].map((keyword) => ({
    ...{ keyword, url: `https://www.moss.example/${keyword}` },
    imageSource: keyword === "mugs" ? ("page" as const) : ("generated" as const),
  }));
  const { screen, calls } = await renderScreen(
    <CreatorScreen
      title="Creator"
      accounts={[{ id: "account_1", username: "fern" }]}
      running={null}
      keywords={[]}
      start={{ url: null, accountId: null, boardId: null, days: null }}
      variants={LAST_VARIANTS}
    />,
    {
      path: creatorRowsUrl("/app/evertack-creator", rows),
      answers: {
        [BOARDS]: boards,
        [START]: { total_tasks: 0, group_id: null, warning: "No credits." },
        "ACTION confirmImageRightsAction": { ok: true, value: ["moss.example"] },
      },
    },
  );
  await expect.element(screen.getByLabelText("Keyword 2", { exact: true })).toHaveValue("pots");
  await expect.element(count(screen, 1)).toBeChecked();
  // They would return after the batch.
  await expect.poll(() => location.hash).toBe("");
  const ownImage = screen.getByRole("checkbox", { name: "Use the page's own image for keyword 1" });
  await expect.element(ownImage).toBeChecked();
  // On a phone, it has the column of the fields and not that of the numbers.
  await page.viewport(390, 844);
  const leftOf = (element: Element) => Math.round(element.getBoundingClientRect().left);
  const keyword = screen.getByLabelText("Keyword 1", { exact: true });
  await expect.poll(() => leftOf(ownImage.element().closest("label") as Element)).toBe(leftOf(keyword.element()));
  await page.viewport(1024, 768);
  await screen.getByLabelText("Board", { exact: true }).selectOptions("101");
  await screen.getByRole("radio", { name: /^High/ }).click();
  await expect.element(screen.getByText("3 credits", { exact: true })).toBeVisible();
  const generate = screen.getByRole("button", { name: "Generate Content" });
  await expect.element(generate).toBeDisabled();
  const word = screen.getByRole("checkbox", { name: "I have the rights to use images from moss.example." });
  await word.click();
  await generate.click();
  await expect.poll(() => calls.to(START)).toHaveLength(1);
  expect(calls.to("ACTION confirmImageRightsAction")[0]?.body).toEqual([{ urls: [rows[0]?.url] }]);
  expect(calls.to(START)[0]?.body).toMatchObject({
    keyword_data: [
      { keyword: "mugs", url: rows[0]?.url, image: "page" },
      { keyword: "pots", url: rows[1]?.url },
    ],
  });
  await expect.element(word).not.toBeInTheDocument();
});
