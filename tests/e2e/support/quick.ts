import { randomBytes } from "node:crypto";
import { expect, type Page } from "@playwright/test";
import { eq } from "drizzle-orm";
import { users } from "#db/schema/identity.ts";
import { CSRF_COOKIE } from "#lib/core/browser-keys.ts";
import type { UserId } from "#lib/core/ids.ts";
import type { TestAccount } from "#tests/support/fixtures/accounts.ts";
import type { PinOptions } from "#tests/support/fixtures/pins.ts";
import { type Fixtures, fixturesOf, type RunningProduct } from "#tests/support/fixtures/product.ts";
import type { Person } from "./person.ts";

/** A user who is signed in without the forms, and the login's token. */
export interface SignedIn {
  who: Person & { id: UserId };
  token: string;
}

const json = async (answer: {
  ok(): boolean;
  status(): number;
  json(): Promise<unknown>;
}): Promise<Record<string, unknown>> => {
  expect(answer.ok(), `status ${answer.status()}`).toBe(true);
  return Object(await answer.json());
};

/** The app that all tests share. */
export const sharedProduct = (): RunningProduct => JSON.parse(process.env.E2E_PRODUCT ?? "null");

const opened = new Map<string, Fixtures>();

/** Fixtures for an app's database; one connection pool per worker. */
export const fixtures = (product = sharedProduct()): Fixtures => {
  const known = opened.get(product.databaseUrl) ?? fixturesOf(product);
  opened.set(product.databaseUrl, known);
  return known;
};

/** The users and accounts that this worker created. */
const usersByToken = new Map<string, SignedIn["who"]>();
const accountsById = new Map<string, TestAccount>();

/** Inserts a user and a login, and sets cookies and token as the login form does. */
export const signIn = async (page: Page, product = sharedProduct()): Promise<SignedIn> => {
  // An app with its own clock needs rows dated by that clock.
  const insert = product.now ? fixturesOf(product) : fixtures(product);
  const who = await insert.user();
  const { token, cookie } = await insert.login(who);
  if (product.now) await insert.close();
  const url = product.baseUrl;
  await page.context().addCookies([
    { name: "next-auth.session-token", value: cookie, url, sameSite: "Lax", httpOnly: true },
    { name: CSRF_COOKIE, value: randomBytes(16).toString("hex"), url, sameSite: "Lax" },
  ]);
  await page.goto(`${url}/icon.svg`);
  await page.evaluate((value) => localStorage.setItem("accessToken", value), token);
  usersByToken.set(token, who);
  return { who, token };
};

/** With a confirmed email address, as adding a way to sign in needs. */
export const signInConfirmed = async (page: Page): Promise<SignedIn> => {
  const user = await signIn(page);
  await fixtures().db.update(users).set({ emailVerifiedAt: new Date() }).where(eq(users.id, user.who.id));
  return user;
};

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** Creates a Pinterest account at the stand-in and inserts it as connected. */
export const connectQuickly = async (
  _page: Page,
  token: string,
  boards = 3,
): Promise<{ username: string; id: string }> => {
  const user = usersByToken.get(token);
  if (!user) throw new Error("Only users of signIn() are connected quickly.");
  const account = await fixtures().account(user, { boards });
  accountsById.set(account.id, account);
  return account;
};

/** Inserts pins of an account, newest first. */
export const insertPins = (accountId: string, wanted: readonly PinOptions[]): Promise<string[]> => {
  const account = accountsById.get(accountId);
  if (!account) throw new Error("Only accounts of connectQuickly() get pins.");
  return fixtures().pins(account, wanted);
};

/** Inserts drafts as if they were generated from these keywords. */
export const insertGenerated = (accountId: string, keywords: readonly string[]): Promise<string[]> =>
  insertPins(
    accountId,
    keywords.map((keyword) => ({ title: keyword, keyword, source: "ai" as const })),
  );

/** Generates pins through the API and waits until every task has finished. */
export const generateQuickly = async (
  page: Page,
  token: string,
  accountId: string,
  keywords: string[],
): Promise<void> => {
  const headers = bearer(token);
  const boards = await json(await page.request.get(`/api/users/pinterest/boards/${accountId}/`, { headers }));
  const [board] = boards.items as { id: string }[];
  const started = await json(
    await page.request.post("/api/users/pinterest/generate-pins/", {
      headers,
      data: {
        pinterest_account: accountId,
        board_id: board?.id,
        quality: "standard",
        keyword_data: keywords.map((keyword) => ({ keyword, url: null })),
      },
    }),
  );
  await expect
    .poll(
      async () => {
        const path = `/api/users/pinterest/track-pin-generation/?group_id=${started.group_id}`;
        const tracking = await json(await page.request.get(path, { headers }));
        return tracking.completed_tasks;
      },
      { timeout: 60_000 },
    )
    .toBe(keywords.length);
};

/** Makes an API call of the page fail a number of times. */
export const failCall = async (page: Page, path: string | RegExp, status = 500, times = 1): Promise<void> => {
  await page.route(
    path,
    (route) => route.fulfill({ status, json: { error: "Broken for a test.", message: "Broken for a test." } }),
    { times },
  );
};

/** Pastes lines into the focused field. */
export const pasteLines = (page: Page, lines: readonly string[]): Promise<void> =>
  page.evaluate((text) => {
    const data = new DataTransfer();
    data.setData("text", text);
    const paste = new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true });
    document.activeElement?.dispatchEvent(paste);
  }, lines.join("\n"));
