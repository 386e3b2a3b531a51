import { expect, test } from "vitest";
import { cdp, page, userEvent } from "vitest/browser";
import { ReviewScreen } from "#components/review/review-screen.tsx";
import type { PinFormat } from "#lib/features/pins/constants.ts";
import type { PinWire } from "#lib/features/pins/schema.ts";
import { type Answers, failWith, pendingResponse } from "#tests/support/component/calls.ts";
import { renderScreen } from "#tests/support/component/render.tsx";
import { visited } from "#tests/support/component/router.ts";
import { IMAGE, pinWire } from "#tests/support/component/wires.ts";

const RECORD = "ACTION recordReviewAction";
const READ = "ACTION readPinAction";
const DELETE = "ACTION deleteDraftsAction";
const BOARDS = "GET /api/users/pinterest/boards/*/";
const done = { ok: true, value: null };

const open = async (
  titles: readonly string[],
  answers: Answers = {},
  format: PinFormat = "image",
  more: Partial<PinWire> = {},
) => {
  const drafts = titles.map((title, at) => pinWire({ id: `pin_${at + 1}`, title, format, ...more }));
  const shown = await renderScreen(
    <ReviewScreen
      accounts={[{ id: "account_1", username: "fern" }]}
      accountId="account_1"
      drafts={drafts}
      creatorPath="/app/evertack-creator"
    />,
    {
      path: "/app/generated-posts/review",
      answers: { [RECORD]: done, [DELETE]: done, [BOARDS]: { items: [] }, ...answers },
    },
  );
  const { screen } = shown;
  const expectPosition = (text: string) =>
    expect.poll(() => screen.container.querySelector("[data-slot=review-progress]")?.textContent).toContain(text);
  return {
    ...shown,
    drafts,
    expectPosition,
    button: (name: string) => screen.getByRole("button", { name, exact: true }),
  };
};

test("after deleting rejected drafts, Undo affects only the last remaining choice", async () => {
  const { screen, live, button, calls } = await open(["Cabin", "Ridge"]);
  await userEvent.keyboard("a");
  await userEvent.keyboard("x");
  await expect.element(screen.getByText("1 draft approved, 1 draft rejected.")).toBeVisible();
  await button("Delete 1 draft").click();
  await expect.poll(() => calls.to(DELETE)[0]?.body).toEqual([{ pinIds: ["pin_2"] }]);
  live.send("post_removed", { id: "pin_2" });
  await expect.element(screen.getByText("1 draft approved, 0 drafts rejected.")).toBeVisible();
  await button("Undo last review").click();
  await expect.element(screen.getByRole("heading", { name: "Cabin", exact: true })).toBeVisible();
  await userEvent.keyboard("x");
  await userEvent.keyboard("j");
  await button("Delete 1 draft").click();
  live.send("post_removed", { id: "pin_1" });
  await expect.element(screen.getByText("0 drafts approved, 0 drafts rejected.")).toBeVisible();
  await expect.element(button("Undo last review")).not.toBeInTheDocument();
});

test("a late rejection of a choice keeps the form that is being edited", async () => {
  const held = pendingResponse();
  const { screen, button } = await open(["Cabin", "Ridge"], { [RECORD]: held.hold });
  await userEvent.keyboard("a");
  await expect.element(screen.getByRole("heading", { name: "Ridge", exact: true })).toBeVisible();
  await userEvent.keyboard("e");
  const title = screen.getByLabelText("Title", { exact: true });
  await expect.element(title).toHaveFocus();
  await title.fill("Typed with care");
  await held.answer({ ok: false, code: "conflict", text: "It was scheduled." });
  await expect.element(screen.getByTestId("notice").getByText("It was scheduled.")).toBeVisible();
  await expect.element(title).toHaveValue("Typed with care");
  await button("Cancel").click();
  await userEvent.keyboard("k");
  await expect.element(screen.getByRole("heading", { name: "Cabin", exact: true })).toBeVisible();
  expect(screen.container.querySelector("[data-slot=review-card]")?.textContent).not.toContain("Approved");
});

test("shows that a draft was scheduled elsewhere and disables its review", async () => {
  const { screen, live, drafts, button } = await open(["Cabin"]);
  live.send("post", { ...pinWire(drafts[0]), status: "scheduled" });
  await expect.element(screen.getByText("This pin is no longer a draft.")).toBeVisible();
  await expect.element(button("Approve")).toBeDisabled();
});

test("saves choices in order, and scheduling opens the approved drafts", async () => {
  const { calls, button } = await open(["Cabin", "Ridge"]);
  await button("Approve").click();
  await button("Reject").click();
  await button("Schedule 1 draft").click();
  expect(calls.to(RECORD).map(({ body }) => body)).toEqual([
    [{ pinId: "pin_1", review: "approved" }],
    [{ pinId: "pin_2", review: "rejected" }],
  ]);
  expect(visited()).toEqual([{ kind: "push", href: expect.stringContaining("choose=approved") }]);
});

test("reverts a choice when the server does not respond", async () => {
  const { screen, expectPosition } = await open(["Cabin", "Ridge"], { [RECORD]: failWith(500) });
  await userEvent.keyboard("a");
  await expectPosition("1 of 2");
  await expect.element(screen.getByTestId("notice").getByText(/We couldn't reach the server/)).toBeVisible();
});

test("A-02 an empty review links to both ways to create pins", async () => {
  const { screen } = await open([]);
  await expect.element(screen.getByRole("main").getByRole("link", { name: "Create pins from keywords" })).toBeVisible();
  const manual = screen.getByRole("main").getByRole("link", { name: "Manual Pin Creation" });
  await expect.element(manual).toHaveAttribute("href", "/app/create-pin");
});

test("has a button for each shortcut, and returns to undecided drafts", async () => {
  const { screen, calls, expectPosition, button } = await open(["Cabin", "Ridge"]);
  await button("Reject").click();
  await expectPosition("2 of 2");
  await button("Undo last review").click();
  await expectPosition("1 of 2");
  await button("Approve").click();
  await button("Next draft").click();
  await expect.element(screen.getByRole("heading", { name: "1 draft left to review" })).toHaveFocus();
  await button("Review it").click();
  await expectPosition("2 of 2");
  expect(calls.to(RECORD).map(({ body }) => body)).toEqual([
    [{ pinId: "pin_1", review: "rejected" }],
    [{ pinId: "pin_1", review: null }],
    [{ pinId: "pin_1", review: "approved" }],
  ]);
});

test("g then a navigates without reviewing the draft", async () => {
  const { calls } = await open(["Cabin"]);
  await userEvent.keyboard("ga");
  await expect.poll(visited).toEqual([{ kind: "push", href: "/app" }]);
  expect(calls.to(RECORD)).toEqual([]);
});

test("focuses the form, closes it with Escape, and asks about unsaved changes", async () => {
  const { screen, button, expectPosition } = await open(["Cabin", "Ridge"]);
  const title = screen.getByLabelText("Title", { exact: true });
  const confirmation = screen.getByRole("dialog", { name: "Discard your changes?" });
  await userEvent.keyboard("e");
  await expect.element(title).toHaveFocus();
  await userEvent.keyboard("{Escape}");
  await expect.element(button("Edit")).toHaveFocus();
  await userEvent.keyboard("e");
  await title.fill("Typed with care");
  await userEvent.keyboard("{Escape}");
  await confirmation.getByRole("button", { name: "Keep editing" }).click();
  await expect.element(title).toHaveValue("Typed with care");
  await expect.element(title).toHaveFocus();
  await userEvent.keyboard("{Escape}");
  await confirmation.getByRole("button", { name: "Discard" }).click();
  await expect.element(button("Edit")).toHaveFocus();
  await expect.element(screen.getByRole("heading", { name: "Cabin", exact: true })).toBeVisible();
  await userEvent.keyboard("x");
  await expectPosition("2 of 2");
  await button("Undo last review").click();
  await expect.element(button("Approve")).toHaveFocus();
});

test("shows the buttons on one line below image and text on tablets", async () => {
  await page.viewport(768, 1024);
  const { screen, button } = await open(["Cabin"]);
  const names = ["Previous draft", "Reject", "Approve", "Next draft", "Edit", "Undo last review"];
  const lines = names.map((name) => {
    const { top, height } = button(name).element().getBoundingClientRect();
    return Math.round(top + height / 2);
  });
  expect(new Set(lines).size).toBe(1);
  expect(screen.container.querySelector("[data-slot=review-facts]")?.getBoundingClientRect().width).toBeGreaterThan(
    300,
  );
});

test("fits the narrowest phones, on one line from 360 px on", async () => {
  await page.viewport(320, 640);
  const { button } = await open(["Cabin"]);
  for (const width of [320, 360, 375, 384, 390]) {
    await page.viewport(width, 640);
    await expect.poll(() => window.innerWidth).toBe(width);
    expect(document.documentElement.scrollWidth, `${width} px`).toBe(width);
    const [first, last] = [button("Approve"), button("Undo last review")];
    for (const one of [first, last]) await expect.element(one).toBeInViewport({ ratio: 1 });
    const middleOf = (element: Element) => element.getBoundingClientRect().top + element.clientHeight / 2;
    if (width >= 360) expect(middleOf(first.element())).toBeCloseTo(middleOf(last.element()), 0);
  }
});

test("shows all slides of a carousel, with the keys of the review", async () => {
  const slides = ["Dough", "Oven"].map((title, at) => ({
    ...{ image_url: `${IMAGE}#${at}`, title, description: "", url: null },
  }));
  const details = { ok: true, value: { post: pinWire(), attempts: [], video: null, slides } };
  const { screen, button, expectPosition } = await open(["Baking"], { [READ]: details }, "carousel");
  await button("Next slide").click();
  await expect.element(screen.getByRole("img", { name: "Oven" })).toBeVisible();
  await userEvent.keyboard("a");
  await expectPosition("1 of 1");
  await expect.element(screen.getByText("1 draft approved, 0 drafts rejected.")).toBeVisible();
});

test("shows the video itself, loads it again after a failure, and swipes except on its controls", async () => {
  const { screen, calls, button, expectPosition } = await open(["Baking", "Ridge"], { [READ]: failWith(500) }, "video");
  await expect.element(screen.getByText("We couldn't load the video.")).toBeVisible();
  const video = { url: "/api/videos/none.mp4", content_type: "video/mp4", bytes: 1, duration_ms: 6_000 };
  calls.set({ [READ]: { ok: true, value: { post: pinWire(), attempts: [], video, slides: [] } } });
  await button("Try again").click();
  const player = () => screen.container.querySelector("video");
  await expect.poll(() => player()?.getAttribute("src")).toBe(video.url);
  const swipe = (yOf: (box: DOMRect) => number) => {
    const box = player()?.getBoundingClientRect() ?? new DOMRect();
    const send = (type: string, x: number) => {
      const at = { clientX: x, clientY: yOf(box), pointerType: "touch", isPrimary: true, pointerId: 7 };
      player()?.dispatchEvent(new PointerEvent(type, { ...at, bubbles: true }));
    };
    send("pointerdown", box.left + 5);
    send("pointermove", box.right);
    send("pointerup", box.right);
  };
  swipe(({ bottom }) => bottom - 20);
  swipe(({ top }) => top + 5);
  await expectPosition("2 of 2");
  expect(calls.to(RECORD)).toHaveLength(1);
});

test("warns about a link, which can be checked again from here", async () => {
  const link_warning = "This link leads to a private network (10.0.0.1)";
  const warned = { url: "https://example.com/moss", link_state: "refused", link_warning } as const;
  const { screen, calls, drafts, button } = await open(["Moss"], {}, "image", warned);
  await expect.element(screen.getByRole("status").getByText(link_warning)).toBeVisible();
  const fine = { ...drafts[0], link_state: "ok", link_warning: null };
  calls.set({ "ACTION recheckLinkAction": { ok: true, value: fine } });
  await button("Check again").click();
  await expect.element(screen.getByText("This link looks good now.")).toBeVisible();
  await expect.element(button("Check again")).toHaveFocus();
  expect(calls.to("ACTION recheckLinkAction").map(({ body }) => body)).toEqual([[{ pinId: "pin_1" }]]);
});

test("on phones, a swipe right approves, one to the left rejects, and a short one does nothing", async () => {
  await page.viewport(390, 844);
  const { screen, calls, expectPosition } = await open(["Moss", "Fern"]);
  const line = cdp();
  const card = () => screen.container.querySelector("[data-slot=review-card]");
  /** Sends touch events, which the browser turns into pointer events. */
  const swipe = async (dx: number) => {
    const frame = window.frameElement?.getBoundingClientRect() ?? new DOMRect();
    const { x, y, width } = card()?.getBoundingClientRect() ?? new DOMRect();
    const at = { x: frame.x + x + width / 2, y: frame.y + y + 100 };
    const send = (type: "touchStart" | "touchMove" | "touchEnd", moved?: number) =>
      line.send("Input.dispatchTouchEvent", {
        type,
        touchPoints: moved === undefined ? [] : [{ x: at.x + moved, y: at.y }],
      });
    await send("touchStart", 0);
    await send("touchMove", dx / 2);
    await send("touchMove", dx);
    await send("touchEnd");
  };
  await swipe(30);
  await expectPosition("1 of 2");
  await swipe(150);
  await expectPosition("2 of 2");
  await swipe(-150);
  await expect.element(screen.getByRole("heading", { name: "All reviewed" })).toBeVisible();
  expect(calls.to(RECORD).map(({ body }) => body)).toEqual([
    [expect.objectContaining({ pinId: "pin_1", review: "approved" })],
    [expect.objectContaining({ pinId: "pin_2", review: "rejected" })],
  ]);
});
