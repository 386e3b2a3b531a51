import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { generationTasks } from "#db/schema/generation.ts";
import { pageReadings } from "#db/schema/pages.ts";
import { pins } from "#db/schema/pins.ts";
import { generatePin } from "#inngest/functions/generate-pin.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "#lib/core/time.ts";
import { DEFAULT_VOICE, saveVoice } from "#lib/features/branding/voice.ts";
import { rejectedText } from "#lib/features/copywriting/constants.ts";
import { PAGE_WAIT_MAX_MS } from "#lib/features/generation/constants.ts";
import { previewText, suggestText, writeTaskCopy } from "#lib/features/generation/drafting.ts";
import { trackGeneration } from "#lib/features/generation/groups.ts";
import { findEarlierPins } from "#lib/features/generation/queries.ts";
import { toTrackingWire } from "#lib/features/generation/serializers.ts";
import { readPinPage, readTaskPage } from "#lib/features/generation/task-pages.ts";
import { HOST_CHECKS_MAX } from "#lib/features/links/constants.ts";
import { readPage } from "#lib/features/pages/readings.ts";
import { editDraft } from "#lib/features/pins/edits.ts";
import { readPin } from "#lib/features/pins/library.ts";
import { applyRetentionRule } from "#lib/features/privacy/retention.ts";
import { readEvents } from "#lib/features/realtime/events.ts";
import { writePinCopy } from "#sandbox/openai/copy.ts";
import { setProcessContainer } from "#tests/support/process-harness.ts";
import { jsonLd } from "#tests/support/web-pages/fixture.ts";
import { startHarness, untilEnded } from "./executor-harness.ts";
import { CHAT, type Creator, IMAGES } from "./generation-harness.ts";
import { refuse, show, siteSetup } from "./generation-site.ts";

const { site, setup } = siteSetup("shop", 30);

setProcessContainer(() => setup.harness);

const MUG = `<html><head><title>Fern mug</title>${jsonLd({
  "@type": "Product",
  name: "Fern mug",
  offers: { price: "24.50", priceCurrency: "USD" },
})}</head><body><p>Thrown by hand, fired twice, and safe in the dishwasher.</p></body></html>`;

const startRow = async (more: { unreadPage?: "use_keyword" | "stop"; path?: string } = {}) => {
  const creator = await setup.insertCreator();
  const { path = "mug", ...options } = more;
  const rows = [{ keyword: "coffee mugs", url: site.url(`/${path}`) }];
  const { groupId } = await setup.start(creator, [], { rows, ...options });
  const [task] = await setup.tasksOf(groupId);
  if (!task) throw new Error("The group has no task.");
  return { creator, groupId, taskId: task.id };
};

const wireOf = async (creator: Creator, groupId: string) =>
  toTrackingWire(await trackGeneration(creator.ctx, { groupId }), creator.ctx).tasks[0];

const read = (taskId: string, waitedSeconds = 0) => readTaskPage(setup.job(), { taskId, waitedSeconds });

/** Whether a pin says that it was generated for a page: when it is read, when it is changed, and in its live event. */
const fromPage = async ({ ctx, userId }: Creator, pinId: string) => {
  const { post } = await readPin(ctx, { pinId });
  const edited = await editDraft(ctx, { pinId, title: post.title });
  const read = await readEvents(ctx, { userId, after: 0 });
  const events = read.kind === "events" ? read.events : [];
  const sent = events.flatMap(({ kind, data }) => (kind === "post" && data.id === pinId ? data.from_page : []));
  return [post.from_page, edited.from_page, ...sent];
};

describe("a page that can be read", () => {
  test("the draft is written from it and says what was taken", async () => {
    site.answer = show(MUG);
    const { creator, groupId, taskId } = await startRow();
    const task = await setup.drive(taskId);
    expect(task).toMatchObject({ status: "SUCCESS" });
    expect(task.description).toContain("Fern mug, for 24.50 USD.");
    expect((await wireOf(creator, groupId))?.page).toEqual({
      taken: [
        { label: "Title", value: "Fern mug" },
        { label: "Product", value: "Fern mug, 24.50 USD" },
        { label: "Text", value: "Thrown by hand, fired twice, and safe in the dishwasher." },
      ],
      problem: null,
    });
    // The pin says so, too, but to its user only.
    const [pin] = await creator.ctx.db.select().from(pins).where(eq(pins.userId, creator.userId));
    const pinId = pin?.id ?? "";
    expect(await readPinPage(creator.ctx, { pinId })).toEqual((await wireOf(creator, groupId))?.page);
    const stranger = await setup.insertCreator();
    await expect(readPinPage(stranger.ctx, { pinId })).rejects.toMatchObject({ code: "not_found" });
    expect(await fromPage(creator, pinId)).toEqual([true, true, true]);
    await creator.ctx.db.delete(generationTasks).where(eq(generationTasks.id, taskId));
    expect(await readPinPage(creator.ctx, { pinId })).toBeNull();
    expect(await fromPage(creator, pinId)).toEqual([false, false, false]);
  });

  test("each step may run twice, and a page is requested once a day, whoever names it", async () => {
    site.answer = show(MUG);
    const [one, other] = [await startRow(), await startRow()];
    const before = await setup.calls(CHAT);
    for (const { taskId } of [one, one, other]) {
      expect(await read(taskId)).toEqual({ kind: "ready" });
      expect(await writeTaskCopy(setup.job(), { taskId, attempt: 0 })).toEqual({ kind: "stored" });
    }
    expect(site.requests).toHaveLength(1);
    expect((await setup.calls(CHAT)) - before).toBe(2);
    const later = await startRow();
    await setup.harness.later(DAY_MS + MINUTE_MS, async () => {
      await read(later.taskId);
    });
    expect(site.requests).toHaveLength(2);
  });

  test("a page that many rows name at the same time is requested once, also after a reading that failed", async () => {
    site.answer = show(MUG);
    const url = site.url("/mug");
    const job = setup.job();
    const { fetchPage } = job.links;
    job.links.fetchPage = () => Promise.reject(new Error("This reading fails."));
    const failing = await Promise.allSettled([readPage(job, { url }), readPage(job, { url })]);
    job.links.fetchPage = fetchPage;
    expect(failing.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    const found = await Promise.all(Array.from({ length: 4 }, () => readPage(setup.job(), { url })));
    expect(found.map(({ kind }) => kind)).toEqual(["read", "read", "read", "read"]);
    expect(site.requests.filter(({ url: path }) => path === "/mug")).toHaveLength(1);
  });

  test("a text that waited longer than the reading is kept reads the page again", async () => {
    site.answer = show(MUG);
    const { taskId } = await startRow();
    await read(taskId);
    await setup.job().db.delete(pageReadings);
    site.answer = show(MUG.replaceAll("Fern", "Moss"));
    await writeTaskCopy(setup.job(), { taskId, attempt: 0 });
    const task = await setup.task(taskId);
    expect(task.description).toContain("Moss mug");
    expect(JSON.stringify(task.page)).toContain("Moss mug");
  });

  test("readings hold no URL, and are deleted after a day", async () => {
    site.answer = show(MUG);
    const { taskId } = await startRow({ path: "secret-token" });
    await read(taskId);
    const rows = await setup.job().db.select().from(pageReadings);
    expect(rows).not.toEqual([]);
    expect(JSON.stringify(rows)).not.toContain("secret-token");
    const purge = () => applyRetentionRule(setup.job(), { rule: "page-readings" });
    await purge();
    expect(await setup.job().db.$count(pageReadings)).toBeGreaterThan(0);
    await setup.harness.later(DAY_MS + MINUTE_MS, purge);
    expect(await setup.job().db.$count(pageReadings)).toBe(0);
  });

  test("a suggestion uses a page that was read lately, and doesn't request it", async () => {
    site.answer = show(MUG);
    const { creator, taskId } = await startRow();
    const { pinId } = await setup.drive(taskId);
    const suggest = () => suggestText(creator.ctx, { pinId: pinId ?? "", part: "description", instead: "A mug." });
    expect((await suggest()).text).toContain("Fern mug, for 24.50 USD.");
    await setup.job().db.delete(pageReadings);
    expect((await suggest()).text).not.toContain("Fern mug");
    expect(site.requests.filter(({ headers }) => headers.accept?.startsWith("text/html"))).toHaveLength(1);
  });
});

const rowsOf = (pages: number) =>
  Array.from({ length: pages }, (_, n) => ({ keyword: `mug ${n}`, url: site.url(`/mugs/${n}`) }));

describe("a page that can't be read", () => {
  test("by default the text is written from the keyword, and the draft says why", async () => {
    site.answer = refuse(403);
    const { creator, groupId, taskId } = await startRow();
    expect(await setup.drive(taskId)).toMatchObject({ status: "SUCCESS" });
    expect((await wireOf(creator, groupId))?.page).toEqual({
      taken: [],
      problem: "The site refused to show us the page (403).",
    });
    expect(await creator.ctx.db.$count(pins, eq(pins.userId, creator.userId))).toBe(1);
  });

  test("a row that stops fails with the reason, before any model is called, and its credit returns", async () => {
    site.answer = show('<title>Sign in</title><p>Sign in to see this page.</p><input type="password">');
    const { creator, taskId } = await startRow({ unreadPage: "stop" });
    const before = [await setup.calls(CHAT), await setup.calls(IMAGES)];
    for (const _ of [1, 2]) expect(await read(taskId)).toEqual({ kind: "ended" });
    expect(await setup.drive(taskId)).toMatchObject({
      status: "FAILURE",
      reason: "This page couldn't be used. The page asks visitors to sign in.",
    });
    expect([await setup.calls(CHAT), await setup.calls(IMAGES)]).toEqual(before);
    expect(await setup.buckets(creator)).toEqual([5, 0, 0]);
  });

  test("a fixed page can be used after ten minutes", async () => {
    site.answer = refuse(500);
    const [first, second, third] = [await startRow(), await startRow(), await startRow()];
    await read(first.taskId);
    site.answer = show(MUG);
    await read(second.taskId);
    expect((await setup.task(second.taskId)).page).toMatchObject({ kind: "unread", status: 500 });
    await setup.harness.later(11 * MINUTE_MS, () => read(third.taskId));
    expect((await setup.task(third.taskId)).page).toMatchObject({ kind: "read" });
  });

  test("a site at its limit is waited for, and after an hour its page counts as unread", async () => {
    site.answer = show(MUG);
    // The robots.txt is one of the requests.
    const rows = rowsOf(HOST_CHECKS_MAX);
    const creator = await setup.insertCreator(HOST_CHECKS_MAX);
    const { groupId } = await setup.start(creator, [], { rows });
    const tasks = await setup.tasksOf(groupId);
    const last = tasks.at(-1)?.id ?? "";
    for (const { id } of tasks.slice(0, -1)) expect(await read(id)).toEqual({ kind: "ready" });
    expect(await read(last)).toEqual({ kind: "later", afterSeconds: expect.any(Number) });
    expect(site.requests).toHaveLength(HOST_CHECKS_MAX);
    expect(await read(last, PAGE_WAIT_MAX_MS / SECOND_MS)).toEqual({ kind: "ready" });
    expect((await setup.task(last)).page).toEqual({ kind: "unread", reason: "busy", status: null });
    const other = (await startRow({ path: "later" })).taskId;
    await setup.harness.later(HOUR_MS, () => read(other));
    expect((await setup.task(other)).page).toMatchObject({ kind: "read" });
  });
});

describe("numbers that a model invented", () => {
  test("are sent back once", async () => {
    site.answer = show(MUG);
    const { taskId } = await startRow();
    const before = await setup.calls(CHAT);
    await setup.addFault({ match: CHAT, scenario: "invented_number" });
    const task = await setup.drive(taskId);
    expect(task).toMatchObject({ status: "SUCCESS" });
    expect(task.description).not.toMatch(/1,947|87/);
    expect((await setup.calls(CHAT)) - before).toBe(2);
  });

  test("twice fail the pin, once, and its credit returns", async () => {
    site.answer = show(MUG);
    const { creator, taskId } = await startRow();
    await setup.addFault({ match: CHAT, scenario: "invented_number", times: 2 });
    expect(await setup.drive(taskId)).toMatchObject({
      status: "FAILURE",
      reason: expect.stringContaining("numbers that aren't on your page"),
    });
    expect(await writeTaskCopy(setup.job(), { taskId, attempt: 0 })).toEqual({ kind: "finished" });
    expect(await setup.buckets(creator)).toEqual([5, 0, 0]);
    expect(await creator.ctx.db.$count(pins, eq(pins.userId, creator.userId))).toBe(0);
  });

  test("are found without a page, too; in a row without a URL, a plain number is no fault", async () => {
    site.answer = refuse(404);
    const { taskId } = await startRow();
    await setup.addFault({ match: CHAT, scenario: "invented_number", times: 2 });
    expect(await setup.drive(taskId)).toMatchObject({ status: "FAILURE" });
    const creator = await setup.insertCreator();
    const { groupId } = await setup.start(creator, ["ferns"]);
    await setup.addFault({ match: CHAT, scenario: "invented_number" });
    const [plain] = await setup.tasksOf(groupId);
    expect(await setup.drive(plain?.id ?? "")).toMatchObject({ status: "SUCCESS", page: null });
  });
});

describe("a page that has a pin already", () => {
  const insertPins = async ({ ctx, userId, accountId }: Creator, titles: readonly string[], link: string | null) =>
    ctx.db.insert(pins).values(
      titles.map((title, n) => ({
        ...{ id: ctx.newId("pin"), userId, accountId, boardId: "1", status: "draft" as const, title, link },
        ...{ source: "manual" as const, description: "", altText: "", imageKey: "none.jpg" },
        ...{ createdAt: new Date(n), updatedAt: new Date(n) },
      })),
    );

  test("is known by its link, whatever the keyword, and one of the same keyword comes first", async () => {
    const { creator, taskId } = await startRow();
    const task = await setup.task(taskId);
    const earlier = () => findEarlierPins(setup.job(), task);
    expect(await earlier()).toEqual({ pins: 0, title: null });
    await insertPins(creator, ["Mugs", "Cups"], task.url);
    expect(await earlier()).toEqual({ pins: 2, title: "Cups" });
    await creator.ctx.db.update(pins).set({ keyword: "coffee mugs" }).where(eq(pins.title, "Mugs"));
    expect(await earlier()).toEqual({ pins: 2, title: "Mugs" });
  });

  test("never gets its title again, even after hundreds of other pins", async () => {
    site.answer = refuse(404);
    const creator = await setup.insertCreator();
    const url = site.url("/mug");
    // The stand-in repeats some titles when it is asked for others.
    const titleOf = (keyword: string, insteadOf: string) => writePinCopy({ keyword, host: site.host, insteadOf }).title;
    const repeated = ["mugs", "tea cups", "fern pots", "clay bowls", "shelves"].flatMap((keyword) => {
      const titles = Array.from({ length: 40 }, (_, n) => titleOf(keyword, String(n)));
      return titles.filter((title) => titleOf(keyword, title) === title).map((title) => ({ keyword, title }));
    });
    const { keyword, title } = repeated[0] ?? { keyword: "", title: "" };
    await insertPins(creator, [title], url);
    await insertPins(
      creator,
      Array.from({ length: 201 }, (_, n) => `Other ${n}`),
      null,
    );
    const { groupId } = await setup.start(creator, [], { rows: [{ keyword, url }] });
    const [task] = await setup.tasksOf(groupId);
    const before = await setup.calls(CHAT);
    const made = await setup.drive(task?.id ?? "");
    expect((await setup.calls(CHAT)) - before).toBe(2);
    expect(made.title).not.toBe(title);
  });
});

test("words that the account's voice avoids fail the pin after one repair, and its credit returns", async () => {
  const creator = await setup.insertCreator();
  // The stand-in describes every image with these words. A keyword's own words are never avoided.
  await saveVoice(creator.ctx, {
    ...DEFAULT_VOICE,
    accountId: creator.accountId,
    wordsToAvoid: ["ferns", "illustrated poster"],
  });
  const { groupId } = await setup.start(creator, ["Ferns"]);
  const [task] = await setup.tasksOf(groupId);
  const before = await setup.calls(CHAT);
  expect(await setup.drive(task?.id ?? "")).toMatchObject({ status: "FAILURE", reason: rejectedText("avoided_word") });
  expect((await setup.calls(CHAT)) - before).toBe(2);
  expect(await setup.buckets(creator)).toEqual([5, 0, 0]);
});

test("the durable function reads the page first, and ends when the row stops", async () => {
  site.answer = refuse(404);
  const { taskId } = await startRow({ unreadPage: "stop" });
  const executor = await startHarness(setup.databaseUrl, () => [generatePin]);
  const event = setup.harness.sentEvents.find(({ data }) => "taskId" in data && data.taskId === taskId);
  if (!event) throw new Error("The task was not dispatched.");
  await executor.app.client.send([{ ...event }]);
  const [run] = await untilEnded(executor.url, "generate-pin", 1);
  expect(run?.steps.map(({ name }) => name)).toEqual(["read-page-0"]);
  const [row] = await setup.job().db.select().from(generationTasks).where(eq(generationTasks.id, taskId));
  expect(row).toMatchObject({ status: "FAILURE", reason: "This page couldn't be used. The page doesn't exist (404)." });
});

test("an example of a row's text reads its page, costs nothing, and stores nothing but the reading", async () => {
  site.answer = show(MUG);
  const creator = await setup.insertCreator(5);
  const { accountId, ctx } = creator;
  const url = site.url("/mug");
  const shown = await previewText(ctx, { accountId, keyword: "coffee mugs", url });
  expect(shown).toMatchObject({ description: expect.stringContaining("Fern mug, for 24.50 USD."), problem: null });
  site.answer = refuse(403);
  const unread = await previewText(ctx, { accountId, keyword: "coffee mugs", url: `${url}?locked` });
  expect(unread).toMatchObject({ title: expect.stringMatching(/Coffee mugs/), problem: expect.stringMatching(/403/) });
  expect(await setup.buckets(creator)).toEqual([5, 5, 0]);
  expect(await ctx.db.$count(generationTasks, eq(generationTasks.userId, creator.userId))).toBe(0);
  const stranger = await setup.insertCreator();
  const stolen = previewText(stranger.ctx, { accountId, keyword: "mugs", url: null });
  await expect(stolen).rejects.toMatchObject({ code: "not_found" });
});
