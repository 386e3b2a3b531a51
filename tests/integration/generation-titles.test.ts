import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { generationTasks } from "#db/schema/generation.ts";
import { rejectedText } from "#lib/features/copywriting/constants.ts";
import { sameTitles } from "#lib/features/copywriting/review.ts";
import { writeTaskCopy } from "#lib/features/generation/drafting.ts";
import { CHAT, type Creator, generationSetup } from "./generation-harness.ts";

const setup = generationSetup();

/** One task each, of generations of their own. */
const startTasks = async (creator: Creator, keywords: readonly string[]): Promise<string[]> => {
  const ids: string[] = [];
  for (const keyword of keywords) {
    const { groupId } = await setup.start(creator, [keyword]);
    ids.push(...(await setup.tasksOf(groupId)).map(({ id }) => id));
  }
  return ids;
};

/** Writes the texts of tasks, and no model answers before all of them have asked. */
const writeAtOnce = async (ids: readonly string[]): Promise<string[]> => {
  const all = Promise.withResolvers<void>();
  let waiting = 0;
  const kinds = ids.map(async (taskId) => {
    const job = setup.job();
    const { writeCopy } = job.ai;
    const ai: typeof job.ai = {
      ...job.ai,
      writeCopy: async (request) => {
        waiting += 1;
        if (waiting >= ids.length) all.resolve();
        await all.promise;
        return writeCopy.call(job.ai, request);
      },
    };
    return (await writeTaskCopy({ ...job, ai }, { taskId, attempt: 0 })).kind;
  });
  return Promise.all(kinds);
};

const titlesOf = async (ids: readonly string[]): Promise<string[]> =>
  (await Promise.all(ids.map((id) => setup.task(id)))).map(({ title }) => title ?? "");

test("texts of one keyword that are written at the same time get different titles", async () => {
  const creator = await setup.insertCreator(5);
  const ids = await startTasks(creator, ["fern pots", "fern pots", "Fern pots"]);
  const before = await setup.calls(CHAT);
  expect(await writeAtOnce(ids)).toEqual(["stored", "stored", "stored"]);
  const titles = await titlesOf(ids);
  for (const [at, title] of titles.entries()) {
    const otherTitles = titles.filter((_, other) => other !== at);
    expect(sameTitles(title, { keyword: "fern pots", otherTitles })).toEqual([]);
  }
  expect((await setup.calls(CHAT)) - before).toBeGreaterThan(3);
});

test("two runs of one task store one text, which is no repetition of its own", async () => {
  const creator = await setup.insertCreator();
  const [id = ""] = await startTasks(creator, ["moss walls"]);
  const before = await setup.calls(CHAT);
  expect(await writeAtOnce([id, id])).toEqual(["stored", "stored"]);
  expect((await setup.calls(CHAT)) - before).toBe(2);
});

test("titles of other accounts and of ended tasks don't matter", async () => {
  const [creator, stranger] = [await setup.insertCreator(), await setup.insertCreator()];
  const ids = [...(await startTasks(creator, ["clay bowls"])), ...(await startTasks(stranger, ["clay bowls"]))];
  await writeAtOnce(ids);
  const [first, second] = await titlesOf(ids);
  expect(second).toBe(first);
  const [failed = ""] = ids;
  await creator.ctx.db.update(generationTasks).set({ finishedAt: new Date() }).where(eq(generationTasks.id, failed));
  const [again = ""] = await startTasks(creator, ["clay bowls"]);
  await writeAtOnce([again]);
  expect(await titlesOf([again])).toEqual([first]);
  await creator.ctx.db.update(generationTasks).set({ finishedAt: null }).where(eq(generationTasks.id, failed));
});

test("a model that keeps repeating a title written meanwhile fails the pin, and its credit returns", async () => {
  const creator = await setup.insertCreator();
  const [stored = "", repeated = ""] = await startTasks(creator, ["oak shelves", "oak shelves"]);
  await writeTaskCopy(setup.job(), { taskId: stored, attempt: 0 });
  const [title = ""] = await titlesOf([stored]);
  await creator.ctx.db.update(generationTasks).set({ title: null }).where(eq(generationTasks.id, stored));
  const job = setup.job();
  const ai: typeof job.ai = {
    ...job.ai,
    writeCopy: async (request) => {
      const written = await job.ai.writeCopy(request);
      await creator.ctx.db.update(generationTasks).set({ title }).where(eq(generationTasks.id, stored));
      return written.kind === "written" ? { ...written, copy: { ...written.copy, title } } : written;
    },
  };
  expect((await writeTaskCopy({ ...job, ai }, { taskId: repeated, attempt: 0 })).kind).toBe("failed");
  expect(await setup.task(repeated)).toMatchObject({ status: "FAILURE", reason: rejectedText("near_duplicate") });
});
