import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { letters } from "#db/schema/email.ts";
import { isId } from "#lib/core/ids.ts";
import { deliverLetter } from "#lib/features/email/delivery.ts";
import { generationWorld, type Maker } from "./generation-house.ts";

const world = generationWorld();

const lettersOf = async ({ ctx, userId }: Maker) => {
  const rows = await ctx.db.select({ id: letters.id }).from(letters).where(eq(letters.userId, userId));
  return rows.map(({ id }) => id);
};

const announced = () =>
  world.house.sentEvents.filter(({ name }) => name === "letters/letter.posted").map(({ id }) => id);

test("R-CRED-02: a start that leaves few credits has the mail about it sent at once, and another start sends none", async () => {
  const maker = await world.makeMaker(10);
  const before = await lettersOf(maker);
  await world.start(maker, ["a", "b", "c", "d", "e", "f"]);
  const [letterId, ...more] = (await lettersOf(maker)).filter((id) => !before.includes(id));
  expect([isId("letter", letterId), more]).toEqual([true, []]);
  expect(announced()).toContain(`letter:${letterId}:0`);
  const count = announced().length;
  await world.start(maker, ["g"]);
  expect(announced()).toHaveLength(count);
  expect(await lettersOf(maker)).toHaveLength(before.length + 1);
});

test("a mail server that is away, or an engine, does not undo the start", async () => {
  const maker = await world.makeMaker(10);
  const before = await lettersOf(maker);
  world.house.failNextSend();
  await world.start(maker, ["a", "b", "c", "d", "e", "f"]);
  expect(await world.buckets(maker)).toEqual([0, 9, 6]);
  const [letterId] = (await lettersOf(maker)).filter((id) => !before.includes(id));
  if (!isId("letter", letterId)) throw new Error("No mail was posted.");
  // Nobody listens where this house's mail server would be.
  await expect(deliverLetter(world.job(), { letterId })).rejects.toThrow();
  expect(await lettersOf(maker)).toContain(letterId);
});
