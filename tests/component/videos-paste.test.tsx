import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { page, userEvent } from "vitest/browser";
import { holdTimers } from "#tests/support/component/timers.ts";
import { openExtractor, paste } from "#tests/support/component/videos.tsx";
import { pageOf, someVideos } from "#tests/support/tiktok-page.ts";

const few = (count: number) => someVideos(count).map((video) => ({ ...video, image: null }));

/** A worker that never answers, as if its script were blocked. */
class SilentWorker extends EventTarget {
  postMessage(): void {}
  terminate(): void {}
}

afterEach(() => {
  vi.unstubAllGlobals();
});

test("R-VID-03, R-VID-25, R-ERR-25, R-ERR-28 reading can be canceled, and stops with a message when it takes too long", async () => {
  const { screen, field, extract, read, button, failed, heading } = await openExtractor();
  await read(few(3));
  await expect.element(heading("3 videos")).toBeVisible();
  vi.stubGlobal("Worker", SilentWorker);
  await extract.click();
  await button("Cancel").click();
  await expect.element(extract).toHaveFocus();
  await expect.element(screen.getByText("Reading canceled")).toBeInTheDocument();
  expect(failed()).toBe("");
  await expect.element(heading("3 videos")).toBeVisible();
  holdTimers();
  await extract.click();
  await expect.element(button("Extracting...")).toBeVisible();
  await vi.advanceTimersByTimeAsync(20_500);
  await expect.poll(failed).toContain("Error extracting data: it took longer than 20 seconds and was stopped.");
  await expect.element(extract).toBeEnabled();
  await extract.click();
  const progress = screen.getByRole("progressbar", { name: "Reading page" });
  await expect.element(progress).toBeVisible();
  await button("Clear the page").click();
  await expect.element(progress).not.toBeInTheDocument();
  await expect.element(field).toHaveFocus();
  await expect.element(heading("3 videos")).toBeVisible();
});

test("R-VID-25, R-ERR-25 a reader that never finishes is stopped after 20 seconds without blocking the page", async () => {
  const { field, extract, button, failed } = await openExtractor();
  const endless = URL.createObjectURL(new Blob(["for (;;);"], { type: "text/javascript" }));
  const RealWorker = globalThis.Worker;
  vi.stubGlobal(
    "Worker",
    class extends RealWorker {
      constructor() {
        super(endless);
      }
    },
  );
  await field.fill(pageOf(few(1)));
  holdTimers();
  await extract.click();
  await expect.element(button("Extracting...")).toBeVisible();
  await vi.advanceTimersByTimeAsync(20_500);
  await expect.poll(failed).toContain("it took longer than 20 seconds and was stopped.");
  await expect.element(extract).toBeEnabled();
  await button("Clear the page").click();
  await expect.element(field).toHaveValue("");
});

test("reads a dropped or chosen file; rejects other types, empty files and files above 50 MB with a message", async () => {
  const { screen, extract, heading } = await openExtractor();
  const chooser = screen.container.querySelector<HTMLInputElement>("input[type=file]");
  if (!chooser) throw new Error("There is no chooser.");
  const choose = (text: string, name: string, type: string) =>
    userEvent.upload(chooser, new File([text], name, { type }));
  await choose("x", "photo.png", "image/png");
  await expect.element(screen.getByText(/photo\.png isn't a web page/)).toBeVisible();
  await choose("", "empty.html", "text/html");
  await expect.element(screen.getByText("empty.html is empty.")).toBeVisible();
  const data = new DataTransfer();
  data.items.add(new File([new Uint8Array(50_000_001)], "large.html", { type: "text/html" }));
  document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
  await expect.element(screen.getByText(/The limit is 50 MB/)).toBeVisible();
  await expect.element(extract).toBeDisabled();
  await choose(pageOf(few(2)), "saved.html", "text/html");
  await expect.element(screen.getByText(/The limit is 50 MB/)).not.toBeInTheDocument();
  await expect.element(screen.getByText(/saved\.html,/)).toBeVisible();
  await extract.click();
  await expect.element(heading("2 videos")).toBeVisible();
});

test("the page source is monospaced, and large enough on phones to prevent zooming", async () => {
  const { field } = await openExtractor();
  const style = () => getComputedStyle(field.element());
  expect(style().fontFamily).toContain("monospace");
  expect(style().fontSize).toBe("13px");
  await page.viewport(390, 844);
  expect(style().fontSize).toBe("16px");
});

/** Measures the main thread's long tasks. @returns the longest so far, in milliseconds */
const watchTasks = (): (() => number) => {
  const tasks = [0];
  const observer = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) tasks.push(duration);
  });
  observer.observe({ type: "longtask" });
  onTestFinished(() => observer.disconnect());
  return () => Math.max(...tasks);
};

test("a 20 MB paste is stored outside the field, extracted, and can be cleared", async () => {
  const { screen, field, extract, button, heading } = await openExtractor();
  const filler = `<div class="x">${"lorem ipsum dolor ".repeat(50)}</div>`;
  const rest = filler.repeat(Math.ceil(20_000_000 / filler.length));
  await field.click();
  paste(pageOf(few(40)).replace("</body>", `${rest}</body>`));
  await expect.element(screen.getByText(/Pasted page, 20\.\d MB/)).toBeVisible();
  expect((field.element() as HTMLTextAreaElement).value.length).toBeLessThan(3_000);
  const longest = watchTasks();
  await extract.click();
  await expect.element(heading("40 videos"), { timeout: 15_000 }).toBeVisible();
  console.log(`20 MB: the main thread's longest block was ${Math.round(longest())} ms`);
  await button("Clear the page").click();
  await expect.element(field).toHaveValue("");
  await expect.element(extract).toBeDisabled();
});
