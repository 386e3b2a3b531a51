import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { users } from "#db/schema/identity.ts";
import { sendMessage } from "#lib/features/contact/messages.ts";
import { grantCredits } from "#lib/features/credits/grants.ts";
import { startGeneration } from "#lib/features/generation/groups.ts";
import { requestEmailChange } from "#lib/features/identity/email-change.ts";
import { logIn } from "#lib/features/identity/sessions.ts";
import { exportData } from "#lib/features/privacy/export.ts";
import { EXPORT_PAGE } from "#lib/features/privacy/schema.ts";
import { contextOf } from "#tests/support/context.ts";
import { PASSWORD } from "./privacy-house.ts";
import { type Maker, publishingWorld } from "./publishing-house.ts";

const world = publishingWorld();

const download = async ({ ctx }: Maker) => {
  let text = "";
  for await (const piece of await exportData(ctx)) text += piece;
  return { text, json: JSON.parse(text) };
};
const emailOf = async ({ userId }: Maker) =>
  (await world.job().db.select().from(users).where(eq(users.id, userId)))[0]?.email ?? "";

describe("the export of one's own data", () => {
  test("is everything of the user, in one document, and nothing of anybody else's", async () => {
    const [maker, other] = [await world.makeMaker(), await world.makeMaker()];
    const email = await emailOf(maker);
    const visitor = contextOf(world.house, { kind: "visitor", address: "", userAgent: "curl/8.5" });
    await logIn(visitor, { email, password: PASSWORD });
    const confirmed = { emailVerifiedAt: new Date(), chosenTimeZone: "Antarctica/Troll" };
    await world.job().db.update(users).set(confirmed).where(eq(users.id, maker.userId));
    await requestEmailChange(maker.ctx, { email: `new-${email}`, password: PASSWORD });
    await sendMessage(visitor, { name: "Ada", email, subject: "A question", message: 'With "quotes"\nand lines.' });
    const { ctx, account, boardId, userId } = maker;
    const rows = [{ keyword: "moss garden", url: null }];
    await startGeneration(ctx, { accountId: account.id, boardId, quality: "high", rows });
    await grantCredits(ctx, { userId, credits: 7, note: "welcome", cause: `test:${userId}` });
    const published = await world.scheduled(maker, { title: 'Ferns & "friends"' });
    await world.drive(published);
    await world.draft(maker, { title: "A draft" });
    await world.draft(other, { title: "Not mine" });

    const { text, json } = await download(maker);
    expect(json).toMatchObject({
      product: "Evertack",
      user: {
        id: userId,
        email,
        email_verified_at: expect.any(String),
        plan: "free",
        time_zone: "UTC",
        chosen_time_zone: "Antarctica/Troll",
      },
      credits: { allowance: 3, purchased: 7, held: 2 },
      logins: [{ device: "curl", ended_at: null }],
      email_changes: [{ new_email: `new-${email}`, asked_at: expect.any(String), ended_at: null }],
      pinterest_accounts: [{ id: account.id, username: account.username, status: "connected" }],
      generations: [{ quality: "high", tasks: [{ keyword: "moss garden", status: "PENDING" }] }],
      pins: [
        {
          title: 'Ferns & "friends"',
          status: "published",
          image_url: "http://localhost:3000/api/images/pins/test.jpg",
          receipt: [{ number: 1, outcome: "created" }],
        },
        { title: "A draft", status: "draft", receipt: [] },
      ],
      credit_entries: [{ kind: "allowance" }, { kind: "reserve" }, { kind: "grant", credits: { purchased: 7 } }],
      messages_to_support: [{ subject: "A question", message: 'With "quotes"\nand lines.' }],
    });
    expect(json.pins).toHaveLength(2);
    for (const foreign of ["Not mine", other.userId, other.account.username, await emailOf(other)]) {
      expect(text).not.toContain(foreign);
    }
    // Nothing that opens anything.
    expect(text).not.toMatch(/argon2|v1\.[0-9a-f]{8}\.|pina_|pinr_|sealed|_hash|password/i);
  });

  test("holds every row, however many pages they fill", async () => {
    const maker = await world.makeMaker();
    const titles = Array.from({ length: EXPORT_PAGE + 3 }, (_, n) => `Pin no. ${n}`);
    for (const title of titles) await world.draft(maker, { title });
    const { json } = await download(maker);
    expect(json.pins.map(({ title }: { title: string }) => title).toSorted()).toEqual(titles.toSorted());
  });

  test("leaves out messages from an address that was never confirmed, and needs a user who is there", async () => {
    const maker = await world.makeMaker();
    const visitor = contextOf(world.house, { kind: "visitor", address: "" });
    await sendMessage(visitor, { name: "N", email: await emailOf(maker), subject: "S", message: "M" });
    expect((await download(maker)).json.messages_to_support).toEqual([]);
    await expect(exportData(visitor)).rejects.toMatchObject({ code: "unauthenticated" });
    await world.job().db.update(users).set({ closedAt: new Date() }).where(eq(users.id, maker.userId));
    await expect(exportData(maker.ctx)).rejects.toMatchObject({ code: "unauthenticated" });
  });
});
