import { afterEach, expect, test, vi } from "vitest";
import { page, userEvent } from "vitest/browser";
import { failWith } from "#tests/support/component/calls.ts";
import { colorOf } from "#tests/support/component/colors.ts";
import { catchDownloads } from "#tests/support/component/downloads.ts";
import { holdTimers } from "#tests/support/component/timers.ts";
import { openExtractor, paste, SAVE } from "#tests/support/component/videos.tsx";
import { IMAGE } from "#tests/support/component/wires.ts";
import { type PageVideo, someVideos, urlOf } from "#tests/support/tiktok-page.ts";

const withoutImages = (videos: readonly PageVideo[]) => videos.map((video) => ({ ...video, image: null }));
const few = (count: number) => withoutImages(someVideos(count));
const video = (author: string, caption: string, views: string): PageVideo => ({
  author,
  caption,
  views,
  image: null,
});

afterEach(() => {
  vi.restoreAllMocks();
});

test("R-VID-04, R-VID-05, R-VID-06, R-VID-07, R-VID-08, R-VID-09, R-VID-10, R-VID-11, R-CONST-17 a card shows its fields, and substitutes for missing ones", async () => {
  const { read, cards, heading } = await openExtractor();
  const full = video("moss", "Slow linen #a1 #b2 #c3 #d4 #e5 #f6 #g7", "1.2M");
  await read([{ ...full, image: "https://127.0.0.1:9/1.svg" }, video("zoe", "", "")]);
  await expect.element(heading("2 videos")).toBeVisible();
  const [first, second] = cards();
  const link = (card: Element | undefined, words: RegExp) =>
    [...(card?.querySelectorAll("a") ?? [])].find((one) => words.test(one.textContent ?? ""));
  expect(first?.textContent).toContain("1.2M");
  expect(link(first, /Slow linen/)?.href).toBe(urlOf(full, 0));
  expect(link(first, /Slow linen/)?.rel).toBe("noopener noreferrer nofollow");
  expect(link(first, /^@moss$/)?.href).toBe("https://www.tiktok.com/@moss");
  expect(first?.textContent).toContain("2025-02-19");
  expect(first?.querySelector("[data-slot=video-description]")?.textContent).toContain("Slow linen");
  expect([...(first?.querySelectorAll("li") ?? [])].filter((one) => one.textContent?.startsWith("#"))).toHaveLength(5);
  expect(first?.textContent).toContain("+2 more");
  expect([...(first?.querySelectorAll("button") ?? [])].some((one) => one.textContent?.startsWith("Copy"))).toBe(true);
  expect(link(first, /^Open/)?.href).toBe(urlOf(full, 0));
  // A broken thumbnail shows the same text as a missing one.
  await expect.poll(() => first?.textContent).toContain("No Thumbnail");
  for (const words of ["No Thumbnail", "Untitled TikTok Video", "No description available", "N/A"]) {
    expect(second?.textContent).toContain(words);
  }
});

test("R-VID-06, R-VID-08 a video without date and author, as a card and in the table", async () => {
  const { screen, cards, field, extract, heading } = await openExtractor();
  await field.click();
  paste(JSON.stringify({ itemList: [{ id: "1", desc: "Soup", createTime: 0, video: {} }] }));
  await extract.click();
  await expect.element(heading("1 video")).toBeVisible();
  const author = cards()[0]?.querySelector("[data-slot=video-by]");
  expect(author?.textContent).toBe("Unknown · Unknown date");
  expect(author?.querySelector("a")).toBeNull();
  await screen.getByRole("radio", { name: "Table" }).click();
  const row = screen.getByRole("table").getByRole("row").nth(1).element().textContent;
  expect(row).toMatch(/Unknown.*Unknown date/);
});

test("R-VID-14, R-VID-15, R-VID-16 selects by thumbnail, checkbox, keyboard and all at once", async () => {
  const { screen, read, cards, select, button, heading } = await openExtractor();
  await read(someVideos(6).map((one) => ({ ...one, image: "https://127.0.0.1:9/1.svg" })));
  const count = (text: string) => expect.element(screen.getByText(text)).toBeVisible();
  const none = () => expect.element(screen.getByText(/videos? selected/)).not.toBeInTheDocument();
  await expect.element(heading("6 videos")).toBeVisible();
  const image = cards()[1]?.querySelector("label");
  if (!image) throw new Error("There is no image.");
  await userEvent.click(image);
  await count("1 video selected");
  await userEvent.click(image);
  await none();
  (select(/^Select 1\./).element() as HTMLElement).focus();
  await userEvent.keyboard(" ");
  await count("1 video selected");
  await button("Select All").click();
  await count("6 videos selected");
  await button("Deselect All").click();
  await none();
  (document.activeElement as HTMLElement).blur();
  await userEvent.keyboard("l");
  await count("6 videos selected");
  await button("Clear").first().click();
  await userEvent.keyboard("/bread");
  const shown = someVideos(6).filter(({ caption, author }) => `${caption} ${author}`.includes("bread")).length;
  await expect.element(heading(`${shown} of 6 videos`)).toBeVisible();
  await userEvent.keyboard("{Escape}");
  await expect.element(heading("6 videos")).toBeVisible();
});

test("R-VID-17, R-VID-20, R-VID-26, R-VID-27, R-VID-28, R-VID-29, R-ERR-25, R-ERR-28, A-69 saving: nothing selected, rejected, done", async () => {
  const { screen, calls, read, select, button, failed } = await openExtractor({
    [SAVE]: failWith(500, { error: "Broken for a test." }),
  });
  await read(few(4));
  await button("Save 0 Video(s) to API").click();
  await expect.poll(failed).toContain("Please select at least one video to save");
  const [red = 0, green = 0, blue = 0] = colorOf("[data-slot=banner][data-tone=failed]", "color");
  expect(red - Math.max(green, blue), "its letters are red").toBeGreaterThan(60);
  expect(calls.to(SAVE)).toEqual([]);
  for (const start of [/^Select 1\./, /^Select 2\./]) await select(start).click();
  await button("Save 2 Video(s) to API").click();
  await expect.poll(failed).toContain("Error saving videos: Broken for a test.");
  calls.set({ [SAVE]: { message: "Successfully saved 2 videos!", saved: 2 } });
  await button("Save 2 Video(s) to API").click();
  const success = () => screen.container.querySelector("[data-slot=banner][data-tone=success]")?.textContent;
  await expect.poll(success).toContain("Successfully saved 2 videos!");
  expect(failed()).toBe("");
  const response = screen.getByRole("region", { name: "API Response" });
  await expect.element(response.getByText("Successfully saved 2 videos!")).toBeVisible();
});

test("R-VID-27, R-VID-28, R-VID-29 saving in two batches, the last first: what is saved when the second fails", async () => {
  const sizes: number[] = [];
  let refuses = true;
  const { screen, read, button, failed } = await openExtractor({
    [SAVE]: ({ body }: { body: unknown }) => {
      const saved = Object(body).videos.length;
      sizes.push(saved);
      if (refuses && sizes.length === 2) return failWith(500, { error: "Broken for a test." })();
      return { message: `Successfully saved ${saved} videos!`, saved };
    },
  });
  await read(few(502));
  await button("Select All").click();
  await button("Save 502 Video(s) to API").click();
  await expect.poll(failed).toContain("Error saving videos: Broken for a test. 2 of 502 videos were saved");
  const response = screen.getByRole("region", { name: "API Response" });
  await expect.element(response.getByText("Successfully saved 2 videos!")).toBeVisible();
  refuses = false;
  await button("Save 502 Video(s) to API").click();
  await expect
    .poll(() => screen.container.querySelector("[data-slot=banner][data-tone=success]")?.textContent)
    .toContain("Successfully saved 502 videos!");
  await expect.element(response.getByText(/Successfully saved 500 videos!/)).toBeVisible();
  expect(sizes).toEqual([2, 500, 2, 500]);
});

test("R-VID-18, R-VID-19, R-CONST-19, A-80 exports the selected videos, or all, in four formats", async () => {
  const { screen, read, select, button, heading } = await openExtractor();
  await read(few(5));
  await expect.element(heading("5 videos")).toBeVisible();
  const files = catchDownloads();
  const json = await files.next(() => button("Export JSON").click());
  expect([json.name, JSON.parse(json.text).length]).toEqual(["tiktok_videos.json", 5]);
  for (const start of [/^Select 2\./, /^Select 4\./]) await select(start).click();
  const csv = await files.next(() => button("Export CSV").click());
  expect(csv.name).toBe("tiktok_videos.csv");
  expect(csv.text.trimEnd().split("\r\n")).toHaveLength(3);
  const more = async (name: string) => {
    await button("More formats").click();
    await screen.getByRole("menuitem", { name }).click();
  };
  const lines = await files.next(() => more("Export NDJSON"));
  expect([lines.name, lines.text.trimEnd().split("\n").length]).toEqual(["tiktok_videos.ndjson", 2]);
  const sheet = await files.next(() => more("Export XLSX"));
  expect([sheet.name, sheet.text.slice(0, 2)]).toEqual(["tiktok_videos.xlsx", "PK"]);
});

test("R-VAN-01, R-VAN-02, R-VAN-03, R-VAN-04, R-VAN-05 analytics in numbers, tables and bars", async () => {
  const { screen, read, select, tab, heading } = await openExtractor();
  await read([
    video("moss", "1. #linen #sea", "1.2K"),
    video("moss", "2. #linen", "3M"),
    video("ana", "3. bread", "987"),
  ]);
  await expect.element(heading("3 videos")).toBeVisible();
  await tab("Analytics").click();
  await expect.element(screen.getByText("Total Videos")).toBeVisible();
  const texts = (selector: string) =>
    [...screen.container.querySelectorAll<HTMLElement>(selector)].map(({ innerText }) =>
      innerText.split(/\s*[\n\t]\s*/),
    );
  expect(texts("[data-slot=stat]")).toEqual([
    ["Total Videos", "3"],
    ["Total Views", "3,002,187"],
    ["Unique Creators", "2"],
    ["Avg Hashtags per Video", "1.0"],
  ]);
  const rows = (name: string) =>
    [...screen.getByRole("table", { name }).element().querySelectorAll("tbody tr")].map((row) =>
      [...row.children].map((cell) => cell.textContent),
    );
  expect(rows("Top Hashtags")).toEqual([
    ["#linen", "2", "66.7%"],
    ["#sea", "1", "33.3%"],
  ]);
  expect(rows("Top Creators")).toEqual([
    ["@moss", "2", "3,001,200"],
    ["@ana", "1", "987"],
  ]);
  await expect.poll(() => screen.container.querySelectorAll("[data-slot=chart] svg.recharts-surface").length).toBe(2);
  await expect.element(screen.getByText("Selected Videos Stats")).not.toBeInTheDocument();
  const scroll = screen.container.querySelector("[data-slot=table-scroll]");
  expect(scroll && getComputedStyle(scroll).maxHeight).toBe("384px");

  await tab("Extractor").click();
  await select(/^Select 3\./).click();
  await tab("Analytics").click();
  const chosen = screen.getByRole("region", { name: "Selected Videos Stats" });
  await expect.element(chosen.getByText("987")).toBeVisible();
  await expect.element(chosen.getByText("No hashtags")).toBeVisible();
});

test("R-VID-12, R-VID-13, R-TIME-06, R-ERR-25, R-ERR-28 copying shows a toast for two seconds, or why it failed", async () => {
  const { screen, read, failed, heading } = await openExtractor();
  await read(few(2));
  await expect.element(heading("2 videos")).toBeVisible();
  const write = vi.spyOn(navigator.clipboard, "writeText").mockResolvedValue();
  const copy = screen.getByRole("button", { name: /^Copy/ }).first();
  holdTimers();
  await copy.click();
  const said = screen.getByText("URL copied to clipboard!");
  await expect.element(said).toBeVisible();
  const [first] = few(2);
  expect(write.mock.calls).toEqual([[first && urlOf(first, 0)]]);
  await vi.advanceTimersByTimeAsync(1_500);
  await expect.element(said).toBeVisible();
  await vi.advanceTimersByTimeAsync(1_000);
  await expect.element(said).not.toBeInTheDocument();
  write.mockRejectedValue(new Error("Write permission denied."));
  await copy.click();
  await expect.poll(failed).toContain("Could not copy text: Write permission denied.");
});

test("a result is announced again when it equals the previous one, with and without videos", async () => {
  const { field, extract, read } = await openExtractor();
  // What a screen reader announces: each new text in a live region.
  const heard: string[] = [];
  const watcher = new MutationObserver((all) => {
    for (const { addedNodes, target } of all) {
      const isLive = (target instanceof Element ? target : target.parentElement)?.closest("[role=status]");
      for (const node of addedNodes) if (isLive && node.textContent) heard.push(node.textContent);
    }
  });
  watcher.observe(document.body, { childList: true, subtree: true });
  const times = (words: string) => () => heard.filter((text) => text.includes(words)).length;
  await read(few(3));
  await expect.poll(times("3 videos found")).toBe(1);
  await extract.click();
  await expect.poll(times("3 videos found")).toBe(2);
  for (const turn of [1, 2]) {
    await field.fill(`<p>Nothing here ${turn}</p>`);
    await extract.click();
    await expect.poll(times("No videos found in the pasted HTML.")).toBe(turn);
  }
  watcher.disconnect();
});

test.each([390, 1440])(
  "R-VID-15, R-VID-29 at %i px selection and status stay visible below each other until the next action",
  async (width) => {
    await page.viewport(width, 844);
    // Text of two lines and more at this width.
    const words = "The library could not take them, for a reason that needs many words. ".repeat(width < 700 ? 2 : 4);
    const { screen, read, select, button, tab, cards, heading } = await openExtractor({
      [SAVE]: failWith(500, { error: words }),
    });
    await read(few(40));
    await expect.element(heading("40 videos")).toBeVisible();
    await select(/^Select 1\./).click();
    const edges = (selector: string) => {
      const box = screen.container.querySelector(selector)?.getBoundingClientRect();
      return box && { top: Math.round(box.top), bottom: Math.round(box.bottom) };
    };
    const line = () => edges("[data-slot=video-selection]");
    const status = () => edges("[data-slot=video-status] [data-slot=banner]");
    const scroll = () => window.scrollTo(0, 2_000);
    scroll();
    await expect.poll(() => line()?.top).toBeLessThan(100);
    const alone = line();
    const save = screen.getByRole("button", { name: /^Save selected/ });
    await save.click();
    await expect
      .poll(() => screen.container.querySelector("[data-slot=video-status]")?.textContent)
      .toContain("needs many words");
    scroll();
    await expect.poll(() => (line()?.top ?? 0) - (status()?.bottom ?? 900)).toBeGreaterThanOrEqual(0);
    expect(status()?.top).toBeGreaterThanOrEqual(0);
    expect(line()?.bottom).toBeLessThanOrEqual(844);

    // The status disappears with its selection, and the banner moves back.
    const other = cards()
      .flatMap((card) => [...card.querySelectorAll<HTMLInputElement>("[data-slot=video-pick]")])
      .find((box) => !box.checked);
    other?.click();
    await expect.poll(status).toBeUndefined();
    scroll();
    await expect.poll(line).toEqual(alone);
    for (const next of ["Select All", "Dismiss"]) {
      await save.click();
      await expect.poll(status).toBeDefined();
      await button(next).click();
      await expect.poll(status).toBeUndefined();
    }
    await save.click();
    await expect.poll(status).toBeDefined();
    await tab("Analytics").click();
    await expect.poll(status).toBeUndefined();
  },
);

test("five thousand videos scroll as cards and as a table with few elements", async () => {
  const { screen, read, cards, button, select, heading } = await openExtractor();
  await read(someVideos(5_000).map((one) => ({ ...one, image: IMAGE })));
  await expect.element(heading("5,000 videos"), { timeout: 20_000 }).toBeVisible();
  expect(cards().length).toBeLessThan(60);
  await button("Select All").click();
  await expect.element(screen.getByText("5,000 videos selected")).toBeVisible();
  const last = select(/^Select 5000\./);
  await vi.waitUntil(
    () => {
      window.scrollTo(0, document.body.scrollHeight);
      return last.elements().length > 0;
    },
    { timeout: 10_000 },
  );
  await expect.element(last).toBeChecked();
  expect(cards().length).toBeLessThan(60);

  window.scrollTo(0, 0);
  await screen.getByRole("radio", { name: "Table" }).click();
  const table = screen.getByRole("table");
  await expect.element(table).toHaveAttribute("aria-rowcount", "5001");
  expect(table.getByRole("row").elements().length).toBeLessThan(60);
  const part = screen.getByRole("region", { name: "Table of videos" }).element();
  part.scrollTo(0, part.scrollHeight);
  await expect.element(table.getByRole("checkbox", { name: /^Select 5000\./ })).toBeVisible();
  await screen.getByLabelText("Sort by").selectOptions("Most views");
  await expect.poll(() => table.getByRole("row").nth(1).element().textContent).toContain("9.9M");
});

test("R-VID-22 a duration from a page's data is shown on the card and in the table", async () => {
  const { screen, cards, field, extract, heading } = await openExtractor();
  const item = (n: number, duration: number) => ({
    ...{ id: `763869554322251914${n}`, desc: `Video ${n}`, createTime: 1_741_536_012 },
    ...{ author: { uniqueId: "ann" }, video: { duration } },
  });
  await field.click();
  paste(JSON.stringify({ itemList: [item(1, 75), item(2, 0)] }));
  await extract.click();
  await expect.element(heading("2 videos")).toBeVisible();
  const durations = () => cards().map((card) => card.querySelector("[data-slot=video-duration]")?.textContent);
  expect(durations()).toEqual(["Duration: 1:15", undefined]);
  await screen.getByRole("radio", { name: "Table" }).click();
  const rows = screen.getByRole("table").getByRole("row");
  await expect.element(rows.nth(0)).toHaveTextContent("SelectedVideoCreatorViewsLikesDurationDateHashtagsCopy");
  expect(rows.nth(1).element().textContent).toContain("1:15");
  expect(rows.nth(2).element().textContent).not.toContain("0:00");
});
