import { expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import { SlidePager } from "#components/pins/pin-media.tsx";
import type { AttemptWire, PinWire } from "#lib/features/pins/schema.ts";
import { PIN_PAGE } from "#tests/support/component/calls.ts";
import { done, openPins } from "#tests/support/component/pins.tsx";
import { render } from "#tests/support/component/render.tsx";
import { IMAGE, pinWire } from "#tests/support/component/wires.ts";

const slides = ["Dough", "Oven", "Bread"].map((title, at) => ({
  ...{ image_url: `${IMAGE}#${at}`, title, description: "", url: at === 2 ? "https://example.com/bread" : null },
  link_warning: at === 2 ? "This page doesn't exist (404). Check the link." : null,
}));

test("slides are paged by buttons and by keys, and stop at both ends", async () => {
  const screen = await render(<SlidePager pin={pinWire({ title: "Baking" })} slides={slides} />, "/app");
  const position = screen.getByText(/^Slide \d of 3$/);
  await screen.getByRole("button", { name: "Next slide" }).click();
  await expect.element(position).toHaveTextContent("Slide 2 of 3");
  await userEvent.keyboard("{ArrowRight}{ArrowRight}{ArrowRight}");
  await expect.element(position).toHaveTextContent("Slide 3 of 3");
  await expect.element(screen.getByRole("link", { name: "https://example.com/bread" })).toBeVisible();
  await expect.element(screen.getByText("This page doesn't exist (404). Check the link.")).toBeVisible();
  await expect.element(screen.getByRole("button", { name: "Next slide" })).toHaveFocus();
  await userEvent.keyboard("{Home}");
  await expect.element(position).toHaveTextContent("Slide 1 of 3");
  await userEvent.keyboard("{ArrowLeft}{End}");
  await expect.element(screen.getByRole("img", { name: "Bread" })).toBeVisible();
});

test("cards name the format, and details show the video instead of offering a new image", async () => {
  const video = { url: "/api/videos/none.mp4", content_type: "video/mp4", bytes: 1, duration_ms: 6_000 };
  const pin = pinWire({ id: "pin_1", title: "Baking", format: "video" });
  const details = done({ post: pin, attempts: [], video, slides: [] });
  const { screen } = await openPins([pin], { answers: { "ACTION readPinAction": details } });
  await expect.element(screen.getByText("Video", { exact: true })).toBeVisible();
  await screen.getByRole("button", { name: "Pin Details: Baking" }).click();
  const dialog = page.getByRole("dialog", { name: "Pin Details" });
  await expect.poll(() => document.querySelector("video")?.getAttribute("src")).toBe(video.url);
  await expect.element(dialog.getByRole("button", { name: "Generate new image" })).not.toBeInTheDocument();
  await expect.element(dialog.getByRole("button", { name: "Template" })).not.toBeInTheDocument();
});

test("details say what the text of a generated pin was written from; pins without a page have nothing to say", async () => {
  const pin = pinWire({ id: "pin_1", title: "Baking", url: "https://moss.example/bread", from_page: true });
  const plain = pinWire({ id: "pin_2", title: "Plain", url: null });
  const taken = [{ label: "Ingredients", value: "2: 500 g flour; salt" }];
  const { screen, calls } = await openPins([pin, plain], {
    answers: {
      "ACTION readPinAction": ({ body }) =>
        done({ post: JSON.stringify(body).includes("pin_2") ? plain : pin, attempts: [], video: null, slides: [] }),
      [PIN_PAGE]: done({ taken, problem: null }),
    },
  });
  await screen.getByRole("button", { name: "Pin Details: Plain" }).click();
  const dialog = page.getByRole("dialog", { name: "Pin Details" });
  await expect.element(dialog.getByText("Plain", { exact: true })).toBeVisible();
  await expect.element(dialog.getByText("From your page", { exact: true })).not.toBeInTheDocument();
  await userEvent.keyboard("{Escape}");
  expect(calls.to(PIN_PAGE)).toHaveLength(0);
  await screen.getByRole("button", { name: "Pin Details: Baking" }).click();
  const summary = dialog.getByText("From your page", { exact: true });
  await expect.element(summary).toBeVisible();
  expect(calls.to(PIN_PAGE)).toHaveLength(0);
  await summary.click();
  await expect.element(dialog.getByText("2: 500 g flour; salt")).toBeVisible();
});

test.each([
  { what: "a generated pin with the page's own image says it too", from_page: true, count: 1 },
  { what: "a pin with a keyword and a link that its user wrote or imported has no page", from_page: false, count: 0 },
])("$what", async ({ from_page, count }) => {
  const url = "https://moss.example/bread";
  const pin = pinWire({ title: "Baking", url, source: "manual", keyword: "bread", from_page });
  const details = done({ post: pin, attempts: [], video: null, slides: [] });
  const { screen } = await openPins([pin], { answers: { "ACTION readPinAction": details } });
  await screen.getByRole("button", { name: "Pin Details: Baking" }).click();
  const dialog = page.getByRole("dialog", { name: "Pin Details" });
  await expect.element(dialog.getByRole("link", { name: "https://moss.example/bread" })).toBeVisible();
  expect(dialog.getByText("From your page", { exact: true }).elements()).toHaveLength(count);
});

test("what came from the page stays open while its pin changes, by a live event or a reload", async () => {
  const pins = [pinWire({ title: "Baking", url: "https://moss.example/bread", from_page: true })];
  const taken = [{ label: "Ingredients", value: "2: 500 g flour; salt" }];
  const { screen, live, calls } = await openPins(pins, {
    answers: {
      "ACTION readPinAction": () => done({ post: pins[0], attempts: [], video: null, slides: [] }),
      [PIN_PAGE]: done({ taken, problem: null }),
    },
  });
  await screen.getByRole("button", { name: "Pin Details: Baking" }).click();
  const dialog = page.getByRole("dialog", { name: "Pin Details" });
  await dialog.getByText("From your page", { exact: true }).click();
  const fact = dialog.getByText("2: 500 g flour; salt");
  await expect.element(fact).toBeVisible();
  const change = (title: string, more: Partial<PinWire>) => {
    pins[0] = { ...(pins[0] as PinWire), title, ...more };
  };
  change("Bread", { link_checking: true });
  live.send("post", pins[0] as PinWire);
  await expect.element(dialog.getByText("Bread", { exact: true })).toBeVisible();
  await expect.element(fact).toBeVisible();
  change("Loaf", { status: "scheduled", scheduled_at: "2030-01-01T08:00:00.000Z", source: "manual", url: null });
  live.send("post", pins[0] as PinWire);
  await expect.element(dialog.getByText("Loaf", { exact: true })).toBeVisible();
  await expect.element(fact).toBeVisible();
  change("Rolls", { status: "failed", reason: "Pinterest rejected this pin." });
  live.send("reset", {});
  await expect.element(dialog.getByText("Rolls", { exact: true })).toBeVisible();
  await expect.element(fact).toBeVisible();
  expect(calls.to(PIN_PAGE)).toHaveLength(1);
});

test("the receipt shows Pinterest's message, unless the problem quotes it", async () => {
  const pin = pinWire({ id: "pin_1", title: "Baking", format: "video" });
  const attempt = (number: number, problem: string, message: string): AttemptWire => ({
    ...{ number, state: "settled", outcome: "later", armed_at: "2026-11-26T08:00:00.000Z", called_at: null },
    ...{ answered_at: null, settled_at: null, looks: 0, http_status: 403, note: null, pinterest_url: null },
    ...{ problem, provider_message: message },
  });
  const attempts = [
    attempt(2, "Pinterest didn't accept the video upload.", "Policy expired."),
    attempt(1, "Pinterest didn't accept this: Title is too long", "Title is too long"),
  ];
  const details = done({ post: pin, attempts, video: null, slides: [] });
  const { screen } = await openPins([pin], { answers: { "ACTION readPinAction": details } });
  await screen.getByRole("button", { name: "Pin Details: Baking" }).click();
  const receipt = page.getByRole("region", { name: "Publishing receipt" });
  await expect.element(receipt.getByText("Pinterest's message: Policy expired.")).toBeVisible();
  await expect.element(receipt.getByText(/message: Title/)).not.toBeInTheDocument();
});
