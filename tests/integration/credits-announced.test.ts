import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { emailOutbox } from "#db/schema/email.ts";
import { isId } from "#lib/core/ids.ts";
import { deliverEmail } from "#lib/features/email/delivery.ts";
import { type Creator, generationSetup } from "./generation-harness.ts";

const setup = generationSetup();

const emailsOf = async ({ ctx, userId }: Creator) => {
  const rows = await ctx.db.select({ id: emailOutbox.id }).from(emailOutbox).where(eq(emailOutbox.userId, userId));
  return rows.map(({ id }) => id);
};

const announced = () =>
  setup.harness.sentEvents.filter(({ name }) => name === "email/email.queued").map(({ id }) => id);

test("R-CRED-02: a start that makes credits low has the email sent immediately; another start sends none", async () => {
  const creator = await setup.insertCreator(10);
  const before = await emailsOf(creator);
  await setup.start(creator, ["a", "b", "c", "d", "e", "f"]);
  const [emailId, ...more] = (await emailsOf(creator)).filter((id) => !before.includes(id));
  expect([isId("email", emailId), more]).toEqual([true, []]);
  expect(announced()).toContain(`email:${emailId}:0`);
  const count = announced().length;
  await setup.start(creator, ["g"]);
  expect(announced()).toHaveLength(count);
  expect(await emailsOf(creator)).toHaveLength(before.length + 1);
});

test("a mail server or engine that is down does not undo the start", async () => {
  const creator = await setup.insertCreator(10);
  const before = await emailsOf(creator);
  setup.harness.failNextSend();
  await setup.start(creator, ["a", "b", "c", "d", "e", "f"]);
  expect(await setup.buckets(creator)).toEqual([0, 9, 6]);
  const [emailId] = (await emailsOf(creator)).filter((id) => !before.includes(id));
  if (!isId("email", emailId)) throw new Error("No mail was posted.");
  // This harness has no mail server.
  await expect(deliverEmail(setup.job(), { emailId })).rejects.toThrow();
  expect(await emailsOf(creator)).toContain(emailId);
});
