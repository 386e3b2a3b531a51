import { expect, test } from "vitest";
import { requireOwnedAccount } from "#lib/features/accounts/queries.ts";
import { findKit } from "#lib/features/branding/queries.ts";
import { DEFAULT_VOICE, saveVoice, type Voice } from "#lib/features/branding/voice.ts";
import { toImagePrompt } from "#lib/integrations/ai/prompts.ts";
import { type Creator, generationSetup, IMAGES } from "./generation-harness.ts";

const setup = generationSetup();

/** The prompt of a task's image call, which the stand-in answers. */
const promptFor = async (creator: Creator): Promise<string> => {
  const { groupId } = await setup.start(creator, ["moss garden"]);
  const [task] = await setup.tasksOf(groupId);
  const job = setup.job();
  const prompts: string[] = [];
  const generateImage: typeof job.ai.generateImage = (input) => {
    prompts.push(toImagePrompt(input));
    return job.ai.generateImage(input);
  };
  const before = await setup.calls(IMAGES);
  const made = await setup.driveIn({ ...job, ai: { ...job.ai, generateImage } }, task?.id ?? "");
  expect(made).toMatchObject({ status: "SUCCESS" });
  expect([prompts.length, (await setup.calls(IMAGES)) - before]).toEqual([1, 1]);
  return prompts[0] ?? "";
};

const withVoice = async (voice: Partial<Voice>): Promise<Creator> => {
  const creator = await setup.insertCreator();
  await saveVoice(creator.ctx, { ...DEFAULT_VOICE, ...voice, accountId: creator.accountId });
  return creator;
};

test("a saved voice's preset, words, and brand colors reach the image model", async () => {
  const creator = await withVoice({ imageStyle: "watercolor", imageAbout: "On oak.", hasBrandColors: true });
  const prompt = await promptFor(creator);
  expect(prompt).toContain("Make it a watercolor painted by hand");
  expect(prompt).toContain('"look":"On oak."');
  const { id } = await requireOwnedAccount(creator.ctx, creator.accountId);
  const { colors } = await findKit(setup.job(), id);
  expect(Object.values(colors).length).toBeGreaterThan(1);
  expect(prompt).toContain(`"colors":${JSON.stringify(Object.values(colors))}`);
});

test("the chosen one of the user's own styles reaches it, and no colors that weren't asked for", async () => {
  const ownStyles = [
    { name: "Clay", about: "Clay models on a table" },
    { name: "Ink", about: "Ink drawings with one red detail" },
  ];
  const prompt = await promptFor(await withVoice({ ownStyles, ownStyle: "Ink" }));
  expect(prompt).toContain('"style":"Ink drawings with one red detail"');
  expect(prompt).toContain("Make it in that style.");
  expect(prompt).not.toContain("Clay");
  expect(prompt).not.toContain('"colors"');
});

test("a voice without wishes about images leaves the default look", async () => {
  const creator = await withVoice({ about: "Warm and practical." });
  expect(await promptFor(creator)).toBe(toImagePrompt({ keyword: "moss garden" }));
});
