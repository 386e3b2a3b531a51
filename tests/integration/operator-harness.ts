import { eq } from "drizzle-orm";
import sharp from "sharp";
import * as schema from "#db/schema/index.ts";
import type { FullCtx } from "#lib/context.ts";
import { startConnection } from "#lib/features/accounts/oauth-connection.ts";
import type { OwnedAccount } from "#lib/features/accounts/queries.ts";
import { sendMessage } from "#lib/features/contact/messages.ts";
import { grantCredits } from "#lib/features/credits/grants.ts";
import { startGeneration } from "#lib/features/generation/groups.ts";
import { requestEmailChange } from "#lib/features/identity/email-change.ts";
import { createDraft } from "#lib/features/pins/drafts.ts";
import { orphanImage } from "#lib/features/pins/images.ts";
import { type Pin, toPin } from "#lib/features/pins/queries.ts";
import { settleAttempt } from "#lib/features/publishing/attempts.ts";
import { claimPin, sendPin } from "#lib/features/publishing/publisher.ts";
import { scheduleBatch } from "#lib/features/publishing/scheduling.ts";
import { logIn } from "#lib/features/sign-in/sign-in.ts";
import { connectAccount } from "#tests/support/connect-account.ts";
import { contextOf, createTestHarness, createUser, type TestHarness } from "#tests/support/context.ts";
import type { TestPinterest } from "#tests/support/pinterest.ts";

/** The encryption key of test containers, as a setting. */
export const HARNESS_KEY = "11".repeat(32);
const PASSWORD = "correct horse 1";

/** The product that is backed up and then treated as lost. */
export interface SourceProduct {
  harness: TestHarness;
  account: OwnedAccount;
  /** Publishes a pin; `armed`: the process dies before the call. */
  work(title: string, stopAt?: "armed"): Promise<void>;
}

/** A different image for each title. */
const renderImage = (title: string): Promise<Buffer> =>
  sharp({ create: { width: 400, height: 600, channels: 3, background: { r: title.length * 20, g: 90, b: 60 } } })
    .jpeg()
    .toBuffer();

/** All pins by title. */
export const pinsByTitle = async (harness: TestHarness): Promise<Map<string, Pin>> => {
  const rows = await harness.database.db.select().from(schema.pins);
  return new Map(rows.map((row) => [row.title, toPin(row)]));
};

const work = async (harness: TestHarness, title: string, stopAt?: "armed"): Promise<void> => {
  const pin = (await pinsByTitle(harness)).get(title);
  if (!pin) throw new Error(`There is no ${title}.`);
  const ctx = contextOf(harness, { kind: "job", name: "test" });
  const scheduled = { pinId: pin.id, scheduleGeneration: pin.scheduleGeneration };
  const claim = await claimPin(ctx, scheduled);
  if (claim.kind !== "attempt" || stopAt === "armed") return;
  const attempt = { ...scheduled, attemptId: claim.attemptId };
  await sendPin(ctx, attempt);
  await settleAttempt(ctx, attempt);
};

/** Inserts rows other than pins: credits, a running task, logins, links, emails, a consent, an orphaned image. */
const insertOtherRows = async (ctx: FullCtx, account: OwnedAccount, email: string): Promise<void> => {
  await grantCredits(ctx, { email, credits: 5, note: "welcome", cause: "backup-test" });
  const rows = [{ keyword: "balcony", url: null }];
  await startGeneration(ctx, { accountId: account.id, boardId: "1", quality: "standard", rows });
  await startConnection(ctx, { accountId: account.id });
  const { userId, loginId } = await logIn(ctx, { email, password: PASSWORD });
  const at = { createdAt: ctx.now(), expiresAt: ctx.now() };
  await ctx.db.insert(schema.emailVerifications).values({ tokenHash: "h", userId, emailKey: email, ...at });
  await ctx.db.insert(schema.passwordResets).values({ tokenHash: "h", userId, ...at });
  await requestEmailChange(
    { ...ctx, actor: { kind: "user", userId, loginId, address: "" } },
    { email: `new-${email}` },
  );
  await sendMessage(ctx, { name: "Ada", email, subject: "Hello", message: "One\ttab,\na line and a \\." });
  const erasure = { requestedAt: ctx.now(), eraseAt: ctx.now(), wakeAt: ctx.now(), finishedAt: ctx.now() };
  await ctx.db.insert(schema.erasures).values({ userId, ...erasure });
  await orphanImage(ctx, { imageKey: "pins/orphan.jpg" });
};

/**
 * Builds a product with one user and seven pins named after their state: published `before` the backup, scheduled and
 * published `after` it, `armed` at that time, `waiting` and `later` (scheduled), `draft`, `failed`.
 */
export const buildSource = async (options: {
  databaseUrl: string;
  storageDir: string;
  pinterest: TestPinterest;
}): Promise<SourceProduct> => {
  const { databaseUrl, storageDir, pinterest } = options;
  const harness = createTestHarness({ databaseUrl, storageDir, pinterestUrl: pinterest.url });
  const { ctx, userId, email } = await createUser(harness);
  const account = await connectAccount(ctx, pinterest);
  const board = (await pinterest.boardsOf(account.username)).find(({ privacy }) => privacy === "PUBLIC");
  if (!board) throw new Error("The account has no public board.");
  const draft = async (title: string) => {
    const imageKey = `pins/${title}.jpg`;
    await ctx.storage.put(imageKey, await renderImage(title));
    const imageInfo = { likeness: null, placeholder: null };
    const rest = {
      description: `${title}\tand\nmore \\`,
      altText: "",
      link: null,
      keyword: title,
      imageKey,
      ...imageInfo,
    };
    return createDraft(ctx, { userId, accountId: account.id, boardId: board.id, source: "ai", title, ...rest });
  };
  await insertOtherRows(ctx, account, email);
  for (const title of ["before", "after", "armed", "waiting", "later"]) {
    await scheduleBatch(ctx, { pinIds: [await draft(title)], intervalMinutes: 60, start: null });
  }
  await draft("draft");
  await draft("failed");
  await ctx.db.update(schema.pins).set({ status: "failed" }).where(eq(schema.pins.title, "failed"));
  await work(harness, "before");
  await work(harness, "armed", "armed");
  return { harness, account, work: (title, stopAt) => work(harness, title, stopAt) };
};
