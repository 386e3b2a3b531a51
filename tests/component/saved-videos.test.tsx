import { afterEach, expect, test, vi } from "vitest";
import { userEvent } from "vitest/browser";
import { failWith, pendingResponse } from "#tests/support/component/calls.ts";
import { visited } from "#tests/support/component/router.ts";
import { LIST, listSaved, openSaved, savedVideo } from "#tests/support/component/videos.tsx";
import { someVideos } from "#tests/support/tiktok-page.ts";

const REMOVE = "DELETE /api/users/tiktok_videos/*/";
const REMOVE_SEVERAL = "ACTION deleteVideosAction";
const RESTORE = "ACTION restoreVideosAction";
const done = { ok: true, value: null };

const saved = (author: string, caption: string, views: number, at: number) =>
  savedVideo({ author, caption, views: String(views) }, at, { views });
const THREE = [
  saved("moss", "Slow linen #linen #sea", 1_200, 0),
  saved("Ana.Bakes", "Bread at dawn #bread", 3_000_000, 1),
  saved("zoe", "Linen again #Linen", 987, 2),
];
const many = (count: number) => someVideos(count).map((video, at) => savedVideo(video, at));

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

test("R-SAV-04, R-SAV-05, R-SAV-06, R-SAV-07 search, hashtags, and counts of matching videos and views", async () => {
  const { screen, search, cards, counts, button } = await openSaved(THREE);
  expect(counts()).toBe("3 of 3 videos3,002,187 total views");
  await search.fill("ana.bakes");
  await expect.poll(counts).toBe("1 of 3 videos3,000,000 total views");
  expect(location.search).toContain("q=ana.bakes");
  await search.fill("LINEN");
  await expect.poll(counts).toBe("2 of 3 videos2,187 total views");
  await userEvent.keyboard("{Escape}");
  await expect.poll(() => cards().length).toBe(3);
  const hashtag = screen.getByRole("combobox", { name: "Hashtag" });
  expect([...hashtag.element().querySelectorAll("option")].map((one) => one.textContent?.toLowerCase())).toEqual([
    "all hashtags",
    "#bread",
    "#linen",
    "#sea",
  ]);
  await hashtag.selectOptions("#bread");
  await expect.poll(() => cards().length).toBe(1);
  await hashtag.selectOptions("All Hashtags");
  await expect.poll(() => cards().length).toBe(3);
  await button("#sea").click();
  await expect.poll(counts).toBe("1 of 3 videos1,200 total views");
  await expect.element(button("#sea")).toHaveAttribute("aria-pressed", "true");
  await button("#sea").click();
  await expect.poll(() => cards().length).toBe(3);
});

test("R-SAV-08, R-SAV-09, R-SAV-10, R-SAV-13, R-ERR-26, R-ERR-28 open, copy, delete after confirmation, and undo", async () => {
  const { screen, calls, cards, counts, failed, button } = await openSaved(THREE, {
    answers: { [REMOVE]: failWith(500, {}), [RESTORE]: done },
  });
  const card = () => cards().find((one) => one.textContent?.includes("Bread at dawn"));
  const link = [...(card()?.querySelectorAll("a") ?? [])].find((one) => one.textContent?.startsWith("Open in TikTok"));
  expect(link?.href).toBe(THREE[1]?.video_url);
  const write = vi.spyOn(navigator.clipboard, "writeText").mockResolvedValue();
  await button(/^Copy URL ?: Bread at dawn/).click();
  await expect.element(screen.getByText("URL copied to clipboard!")).toBeVisible();
  expect(write.mock.calls).toEqual([[THREE[1]?.video_url]]);

  const remove = button(/^Delete ?: Bread at dawn/);
  const question = screen.getByRole("dialog", { name: "Are you sure you want to delete this video?" });
  await remove.click();
  await question.getByRole("button", { name: "Keep it" }).click();
  await expect.element(remove).toHaveFocus();
  expect(calls.to(REMOVE)).toEqual([]);
  await remove.click();
  await question.getByRole("button", { name: "Delete" }).click();
  await expect.poll(failed).toContain("Failed to delete video. Please try again.");
  expect(card()).toBeDefined();

  calls.set({ [REMOVE]: { message: "Deleted." } });
  await remove.click();
  await question.getByRole("button", { name: "Delete" }).click();
  await expect.poll(counts).toBe("2 of 2 videos2,187 total views");
  await button("Undo").click();
  await expect.poll(counts).toBe("3 of 3 videos3,002,187 total views");
  expect(card()).toBeDefined();
});

test("R-SAV-03, R-SAV-11, R-SAV-12, R-ERR-26, R-ERR-28 nothing saved, nothing found, and a list that cannot be loaded", async () => {
  const none = await openSaved([]);
  const empty = { name: "No saved videos found." };
  await expect.element(none.screen.getByRole("heading", empty)).toBeVisible();
  await expect
    .element(none.screen.getByRole("link", { name: "Extract TikTok Videos" }))
    .toHaveAttribute("href", "/app/videos");
  await none.screen.unmount();

  const nowhere = await openSaved(THREE, { q: "nowhere" });
  await expect.element(nowhere.screen.getByRole("heading", empty)).toBeVisible();
  await nowhere.button("Show all videos").click();
  await expect.poll(() => nowhere.cards().length).toBe(3);
  await nowhere.screen.unmount();

  const { calls, failed, cards, button } = await openSaved(THREE, { answers: { [LIST]: failWith(400, {}) } });
  await expect.poll(failed).toContain("Failed to load videos. Please try again.");
  calls.set({ [LIST]: listSaved(THREE) });
  await button("Try again").click();
  await expect.poll(failed).toBe("");
  expect(cards()).toHaveLength(3);
});

test("many videos load page by page; several are deleted and restored together", async () => {
  // A browser may report twice that the end is near before a render.
  const Observer = window.IntersectionObserver;
  vi.stubGlobal(
    "IntersectionObserver",
    class extends Observer {
      constructor(notify: IntersectionObserverCallback, options?: IntersectionObserverInit) {
        super((...status) => [notify(...status), notify(...status)], options);
      }
    },
  );
  const { screen, cards, counts, select, button } = await openSaved(many(60), {
    answers: { [REMOVE_SEVERAL]: done, [RESTORE]: done },
  });
  expect(counts()).toContain("60 of 60 videos");
  await vi.waitUntil(
    () => {
      window.scrollTo(0, document.body.scrollHeight);
      return cards().length === 60;
    },
    { timeout: 10_000 },
  );
  for (const start of [/^Select 1\./, /^Select 3\./, /^Select 60\./]) await select(start).click();
  await button("Delete selected").click();
  await expect.element(screen.getByText("3 videos deleted")).toBeVisible();
  await expect.poll(() => cards().length).toBe(57);
  expect(counts()).toContain("57 of 57 videos");
  await button("Undo").click();
  await expect.element(screen.getByText("3 videos restored")).toBeVisible();
  await expect.poll(() => cards().length).toBe(60);
});

test("unsaved notes are discarded only after confirmation; a tag that is too long shows an error at its field", async () => {
  const text = "A tag can have up to 50 characters.";
  const { screen, button } = await openSaved(many(1), {
    answers: { "ACTION editSavedVideoAction": { ok: false, code: "invalid", text, fields: { tags: [text] } } },
  });
  const notes = screen.getByRole("textbox", { name: "Notes" });
  await button(/^Add tags or notes/).click();
  await notes.fill("Try it in green.");
  await userEvent.keyboard("{Escape}");
  await button("Keep editing").click();
  await expect.element(notes).toHaveValue("Try it in green.");
  await expect.element(notes).toHaveFocus();
  await userEvent.keyboard("{Escape}");
  await button("Discard").click();
  await expect.element(screen.getByRole("dialog")).not.toBeInTheDocument();
  await button(/^Add tags or notes/).click();
  const tags = screen.getByRole("textbox", { name: "Tags" });
  await tags.fill("x".repeat(51));
  await button("Save").click();
  await expect.element(screen.getByText(text)).toBeVisible();
  await expect.element(tags).toHaveFocus();
  await expect.element(tags).toHaveAttribute("aria-invalid", "true");
});

test("tags and notes are saved, each tag once and without its hash, and shown on the card", async () => {
  const EDIT = "ACTION editSavedVideoAction";
  const { screen, calls, button } = await openSaved(THREE.slice(0, 1), { answers: { [EDIT]: done } });
  await button(/^Add tags or notes/).click();
  await screen.getByRole("textbox", { name: "Tags" }).fill("spring, #board, Spring");
  await screen.getByRole("textbox", { name: "Notes" }).fill("Try it in green.");
  await button("Save").click();
  await expect.element(screen.getByRole("dialog")).not.toBeInTheDocument();
  const tags = screen.getByRole("list", { name: "Your tags" }).getByRole("listitem");
  await expect.poll(() => tags.elements().map((tag) => tag.textContent)).toEqual(["spring", "board"]);
  await expect.element(screen.getByText("Try it in green.")).toBeVisible();
  expect(calls.to(EDIT).map(({ body }) => body)).toEqual([
    [{ id: "vid_1", tags: ["spring", "board"], notes: "Try it in green." }],
  ]);
});

test("R-SAV-11 deleting the last video leaves an empty library, and Undo restores it", async () => {
  const { screen, search, select, button } = await openSaved(many(1), {
    answers: { [REMOVE_SEVERAL]: done, [RESTORE]: done },
  });
  const empty = screen.getByRole("heading", { name: "No saved videos found." });
  await select(/^Select 1\./).click();
  await button("Delete selected").click();
  await expect.element(empty).toBeVisible();
  await expect.element(search).not.toBeInTheDocument();
  await expect.element(screen.getByText("1 video selected")).not.toBeInTheDocument();
  await button("Undo").click();
  await expect.element(screen.getByText("Video restored").first()).toBeVisible();
  await expect.element(screen.getByText("Video deleted")).not.toBeInTheDocument();
  await expect.element(empty).not.toBeInTheDocument();
  await expect.element(search).toBeVisible();
});

test("R-SAV-04, R-SAV-11 a late page of an earlier search does not restore deleted videos", async () => {
  const videos = many(60);
  const held = pendingResponse();
  const { search, calls, cards, select, button } = await openSaved(videos, {
    answers: {
      [LIST]: (call: Parameters<typeof held.hold>[0]) =>
        call.query.has("cursor") ? held.hold(call) : listSaved(videos)(call),
      [REMOVE_SEVERAL]: done,
    },
  });
  await vi.waitUntil(
    () => {
      window.scrollTo(0, document.body.scrollHeight);
      return held.count() > 0;
    },
    { timeout: 10_000 },
  );
  await search.fill("60.");
  await expect.poll(() => cards().length).toBe(1);
  await select(/^Select 60\./).click();
  await button("Delete selected").click();
  await expect.poll(() => cards().length).toBe(0);
  const late = calls.to(LIST).find(({ query }) => query.has("cursor"));
  if (!late) throw new Error("A page was asked for.");
  await held.answer(listSaved(videos)(late));
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  expect(cards()).toHaveLength(0);
});

test("a video's keywords go to the creator once the user confirms the right to use the idea", async () => {
  const { screen, button } = await openSaved(THREE);
  await button(/^Create pins from this ?: Slow linen/).click();
  const dialog = screen.getByRole("dialog");
  const start = dialog.getByRole("button", { name: "Create pins" });
  await expect.element(start).toBeDisabled();
  expect(dialog.getByRole("group", { name: "Keywords" }).getByRole("checkbox").elements().length).toBeGreaterThan(0);
  await dialog.getByRole("checkbox", { name: /right to use this idea/ }).click();
  await start.click();
  await expect
    .poll(visited)
    .toEqual([{ kind: "push", href: expect.stringContaining("/app/evertack-creator?keyword=") }]);
});

test("R-SAV-14 a saved video shows its duration, if it is known", async () => {
  const { cards } = await openSaved([
    { ...(THREE[0] ?? saved("a", "b", 1, 0)), duration_seconds: 3_661 },
    ...THREE.slice(1),
  ]);
  const durations = cards().map((card) => card.querySelector("[data-slot=video-duration]")?.textContent);
  expect(durations).toEqual(["Duration: 1:01:01", undefined, undefined]);
});

test("R-VID-04, R-VID-05, R-VID-06, R-VID-07, R-VID-08, R-VID-09 a saved video without its fields shows their substitutes", async () => {
  const none = { title: null, author: null, author_url: null, views_count: null, date_posted: null, hashtags: [] };
  const { cards } = await openSaved([{ ...saved("a", "b", 0, 0), ...none }]);
  const [card] = cards();
  expect(card?.querySelector("[data-slot=video-description]")?.textContent).toBe("No description available");
  for (const words of ["No Thumbnail", "N/A", "Untitled TikTok Video"]) expect(card?.textContent).toContain(words);
  expect(card?.querySelector("[data-slot=video-by]")?.textContent).toBe("Unknown · Unknown date");
  expect(card?.querySelector("[data-slot=video-by] a")).toBeNull();
});
