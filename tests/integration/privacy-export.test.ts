import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { passkeys, users } from "#db/schema/identity.ts";
import { sendMessage } from "#lib/features/contact/messages.ts";
import { grantCredits } from "#lib/features/credits/grants.ts";
import { startGeneration } from "#lib/features/generation/groups.ts";
import { requestEmailChange } from "#lib/features/identity/email-change.ts";
import { saveKeywords } from "#lib/features/keywords/lists.ts";
import { exportData } from "#lib/features/privacy/export.ts";
import { EXPORT_PAGE } from "#lib/features/privacy/schema.ts";
import { logIn } from "#lib/features/sign-in/sign-in.ts";
import { contextOf, withFreshLogin } from "#tests/support/context.ts";
import { PASSWORD } from "./privacy-harness.ts";
import { type Creator, publishingSetup } from "./publishing-harness.ts";

const setup = publishingSetup();

const download = async ({ ctx }: Creator) => {
  let text = "";
  for await (const piece of await exportData(ctx)) text += piece;
  return { text, json: JSON.parse(text) };
};
const emailOf = async ({ userId }: Creator) =>
  (await setup.job().db.select().from(users).where(eq(users.id, userId)))[0]?.email ?? "";

describe("the data export", () => {
  test("contains all of the user's data and no other user's", async () => {
    const [creator, other] = [await setup.insertCreator(), await setup.insertCreator()];
    const email = await emailOf(creator);
    const visitor = contextOf(setup.harness, { kind: "visitor", address: "", userAgent: "curl/8.5" });
    await logIn(visitor, { email, password: PASSWORD });
    const confirmed = { emailVerifiedAt: new Date(), chosenTimeZone: "Antarctica/Troll" };
    await setup.job().db.update(users).set(confirmed).where(eq(users.id, creator.userId));
    await requestEmailChange(await withFreshLogin(creator.ctx), { email: `new-${email}` });
    await sendMessage(visitor, { name: "Ada", email, subject: "A question", message: 'With "quotes"\nand lines.' });
    const { ctx, account, boardId, userId } = creator;
    const key = { credentialId: `id-of-${userId}`, publicKey: "a-public-key", counter: 0, name: "Phone" };
    await ctx.db.insert(passkeys).values({ id: ctx.newId("passkey"), userId, ...key, createdAt: ctx.now() });
    const rows = [{ keyword: "moss garden", url: null }];
    await startGeneration(ctx, { accountId: account.id, boardId, quality: "high", rows });
    await grantCredits(ctx, { userId, credits: 7, note: "welcome", cause: `test:${userId}` });
    await saveKeywords(ctx, { name: "Garden", keywords: ["moss garden", "ferns"] });
    await saveKeywords(other.ctx, { name: "Not mine", keywords: ["Not mine"] });
    const published = await setup.scheduled(creator, { title: 'Ferns & "friends"' });
    await setup.drive(published);
    await setup.draft(creator, { title: "A draft" });
    await setup.draft(other, { title: "Not mine" });

    const { text, json } = await download(creator);
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
      logins: [
        { device: "curl", ended_at: null },
        { device: "", ended_at: null },
      ],
      two_step_sign_in: [],
      google_accounts: [],
      passkeys: [{ name: "Phone", created_at: expect.any(String), last_used_at: null }],
      security_activity: [
        { kind: "signed_in", device: "curl", detail: "password", at: expect.any(String) },
        { kind: "email_change_requested", network: "127.0.0.0/24", detail: `new-${email}` },
        { kind: "data_exported" },
      ],
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
      keyword_lists: [
        {
          name: "Garden",
          keywords: [
            { keyword: "ferns", saved_on: expect.any(String) },
            { keyword: "moss garden", saved_on: expect.any(String) },
          ],
        },
      ],
      credit_entries: [{ kind: "allowance" }, { kind: "reserve" }, { kind: "grant", credits: { purchased: 7 } }],
      messages_to_support: [{ subject: "A question", message: 'With "quotes"\nand lines.' }],
    });
    expect(json.pins).toHaveLength(2);
    for (const foreign of ["Not mine", other.userId, other.account.username, await emailOf(other)]) {
      expect(text).not.toContain(foreign);
    }
    // The export must contain no credentials, only how the user signed in.
    expect(text.replace('"detail":"password"', "")).not.toMatch(
      /argon2|v1\.[0-9a-f]{8}\.|pina_|pinr_|sealed|_hash|password/i,
    );
  });

  test("contains all rows over several pages", async () => {
    const creator = await setup.insertCreator();
    const titles = Array.from({ length: EXPORT_PAGE + 3 }, (_, n) => `Pin no. ${n}`);
    for (const title of titles) await setup.draft(creator, { title });
    const { json } = await download(creator);
    expect(json.pins.map(({ title }: { title: string }) => title).toSorted()).toEqual(titles.toSorted());
  });

  test("omits messages from an unverified address and requires an existing user", async () => {
    const creator = await setup.insertCreator();
    const visitor = contextOf(setup.harness, { kind: "visitor", address: "" });
    await sendMessage(visitor, { name: "N", email: await emailOf(creator), subject: "S", message: "M" });
    expect((await download(creator)).json.messages_to_support).toEqual([]);
    await expect(exportData(visitor)).rejects.toMatchObject({ code: "unauthenticated" });
    await setup.job().db.update(users).set({ closedAt: new Date() }).where(eq(users.id, creator.userId));
    await expect(exportData(creator.ctx)).rejects.toMatchObject({ code: "unauthenticated" });
  });
});
