import { randomBytes } from "node:crypto";
import { payments } from "#db/schema/billing.ts";
import { generationGroups, generationTasks } from "#db/schema/generation.ts";
import { passkeys } from "#db/schema/identity.ts";
import { pinImportRows, pinImports } from "#db/schema/imports.ts";
import { keywordLists, savedKeywords } from "#db/schema/keywords.ts";
import { pageProposals, siteWatches } from "#db/schema/sites.ts";
import { savedVideos } from "#db/schema/videos.ts";
import { webhookDeliveries, webhookEndpoints, webhookMessages } from "#db/schema/webhooks.ts";
import { createId, type PinId, type UserId } from "#lib/core/ids.ts";
import { VIDEO_PATH } from "#lib/features/pins/constants.ts";
import { clientOf } from "./app-client.ts";
import { type Fixtures, fixturesOf, type RunningProduct } from "./fixtures/product.ts";
import type { TestUser } from "./fixtures/users.ts";

/** A signed-in user who owns one of everything that has an id. */
export interface SurfaceUser {
  id: UserId;
  email: string;
  username: string;
  password: string;
  token: string;
  cookie: string;
  /** Of the public API, with every scope. */
  apiKey: string;
  keyId: string;
  accountId: string;
  boardId: string;
  draftIds: string[];
  scheduledId: string;
  publishedId: string;
  failedId: string;
  imageKey: string;
  videoKey: string;
  groupId: string;
  videoId: string;
  paymentId: string;
  importId: string;
  listId: string;
  keywordId: string;
  watchId: string;
  proposalId: string;
  /** Another login of the user. */
  loginId: string;
  passkeyId: string;
  webhookId: string;
  deliveryId: string;
  /** Texts that occur in the user's data only. */
  secrets: string[];
}

const insertRecords = async ({ db }: Fixtures, user: TestUser, accountId: string, boardId: string) => {
  const now = new Date();
  const [groupId, videoId] = [createId("group", now), createId("video", now)];
  const paymentId = `txn_${randomBytes(13).toString("hex")}`;
  const number = String(7_300_000_000_000_000_000n + BigInt(randomBytes(4).readUInt32BE()));
  const title = `Saved ${randomBytes(6).toString("hex")}`;
  await db.insert(generationGroups).values({
    id: groupId,
    userId: user.id,
    accountId,
    boardId,
    quality: "standard",
    totalTasks: 1,
    createdAt: now,
    finishedAt: now,
  });
  await db.insert(generationTasks).values({
    id: createId("task", now),
    groupId,
    userId: user.id,
    position: 0,
    keyword: "moss",
    status: "FAILURE",
    costCredits: 1,
    createdAt: now,
    finishedAt: now,
    wakeAt: now,
  });
  await db.insert(savedVideos).values({
    id: videoId,
    userId: user.id,
    videoUrl: `https://www.tiktok.com/@moss/video/${number}`,
    videoNumber: number,
    listKey: videoId,
    title,
    views: 0,
    hashtags: [],
    hashtagKeys: [],
    createdAt: now,
    updatedAt: now,
  });
  await db.insert(payments).values({
    id: paymentId,
    userId: user.id,
    status: "completed",
    origin: "web",
    kind: "pack",
    credits: 0,
    currency: "USD",
    totalMinor: 900,
    createdAt: now,
    paidAt: now,
    asOf: now,
    grantedAt: now,
  });
  const passkeyId = createId("passkey", now);
  const passkey = { credentialId: randomBytes(16).toString("base64url"), publicKey: "AAAA", counter: 0 };
  await db.insert(passkeys).values({ id: passkeyId, userId: user.id, ...passkey, name: "Phone", createdAt: now });
  const importId = createId("import", now);
  const sheet = { fileName: `${title}.csv`, format: "other", headers: ["Title"], mapping: { title: 0 } };
  const times = { createdAt: now, updatedAt: now };
  await db
    .insert(pinImports)
    .values({ id: importId, userId: user.id, accountId, status: "review", isScheduled: false, ...sheet, ...times });
  await db.insert(pinImportRows).values({ importId, number: 2, cells: [title] });
  const [listId, keywordId] = [createId("keywordList", now), createId("savedKeyword", now)];
  const names = { name: title, nameKey: title.toLowerCase() };
  await db.insert(keywordLists).values({ id: listId, userId: user.id, ...names, createdAt: now });
  const savedOn = now.toISOString().slice(0, 10);
  await db.insert(savedKeywords).values({ id: keywordId, listId, keyword: title, keywordKey: names.nameKey, savedOn });
  const [watchId, proposalId] = [createId("watch", now), createId("proposal", now)];
  const watched = { address: `https://${number}.example/feed`, name: title, known: "" };
  await db.insert(siteWatches).values({
    ...{ id: watchId, userId: user.id, ...watched },
    ...{ createdAt: now, checkedAt: now, nextAt: now },
  });
  await db.insert(pageProposals).values({
    ...{ id: proposalId, userId: user.id, watchId, url: `https://${number}.example/a` },
    ...{ title, keyword: title, foundAt: now },
  });
  return { groupId, videoId, paymentId, importId, passkeyId, listId, keywordId, watchId, proposalId, title };
};

/** A webhook with a delivery. No site has its URL. */
const insertWebhook = async ({ db, sealer }: Fixtures, user: TestUser, description: string) => {
  const now = new Date();
  const [webhookId, messageId] = [createId("webhookEndpoint", now), createId("webhookMessage", now)];
  const deliveryId = createId("webhookDelivery", now);
  const own = { userId: user.id, createdAt: now };
  await db.insert(webhookEndpoints).values({
    ...{ ...own, id: webhookId, url: "https://hooks.example/a", description, events: ["pin.failed"] },
    sealedSecret: sealer.seal("whsec_bW9zcw=="),
  });
  const body = JSON.stringify({ type: "pin.failed", timestamp: now.toISOString(), data: { title: description } });
  await db.insert(webhookMessages).values({ ...own, id: messageId, type: "pin.failed", cause: messageId, body });
  const delivery = { id: deliveryId, endpointId: webhookId, messageId, subject: messageId, dueAt: now };
  await db.insert(webhookDeliveries).values({ ...own, ...delivery, state: "delivered", finishedAt: now });
  return { webhookId, deliveryId };
};

const insertSurfaceUser = async (
  fixtures: Fixtures,
  readKey: (token: string, accountId: string) => Promise<string>,
): Promise<SurfaceUser> => {
  const user = await fixtures.user({ plan: "pro", isVerified: true });
  const account = await fixtures.account(user, { boards: 2 });
  const [login, other] = [await fixtures.login(user), await fixtures.login(user)];
  const key = await fixtures.apiKey(user);
  const name = randomBytes(6).toString("hex");
  const pins = await fixtures.pins(account, [
    { title: `Draft ${name} 1`, keyword: `moss ${name}` },
    { title: `Draft ${name} 2`, link: "https://example.com/" },
    { title: `Draft ${name} 3` },
    { title: `Due ${name}`, status: "scheduled" },
    { title: `Out ${name}`, status: "published" },
    { title: `Lost ${name}`, status: "failed", reason: "Pinterest refused it." },
  ]);
  const [first = "", second = "", third = "", scheduledId = "", publishedId = "", failedId = ""] = pins;
  const boardId = account.boards[0]?.id ?? "";
  const records = await insertRecords(fixtures, user, account.id, boardId);
  const { title, ...ids } = records;
  const webhook = await insertWebhook(fixtures, user, title);
  return {
    id: user.id,
    email: user.email,
    username: user.username,
    password: user.password,
    token: login.token,
    cookie: login.cookie,
    ...{ apiKey: key.secret, keyId: key.id },
    accountId: account.id,
    boardId,
    draftIds: [first, second, third],
    ...{ scheduledId, publishedId, failedId },
    imageKey: await readKey(login.token, account.id),
    videoKey: (await fixtures.video(third as PinId)).replace(VIDEO_PATH, ""),
    ...ids,
    ...webhook,
    loginId: other.id,
    secrets: [user.email, user.username, account.username, name, title],
  };
};

/** Inserts users into a running product; `close` ends the connection. */
export const surfaceUsersOf = (product: RunningProduct) => {
  const fixtures = fixturesOf(product);
  const { callApp } = clientOf(product);
  const readKey = async (token: string, accountId: string): Promise<string> => {
    const path = `/api/users/pinterest/generated-pins/${accountId}/?limit=1`;
    const { json } = await callApp(path, { headers: { authorization: `Bearer ${token}` } });
    return String(Object(json).posts[0].image_url).replace(/^.*\/api\/images\//, "");
  };
  return {
    insert: () => insertSurfaceUser(fixtures, readKey),
    credits: fixtures.credits,
    close: () => fixtures.close(),
  };
};
