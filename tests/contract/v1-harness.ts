import { randomBytes } from "node:crypto";
import { beforeAll, expect, inject } from "vitest";
import type { AppResponse } from "#tests/support/app-client.ts";
import { callApp } from "#tests/support/contract-client.ts";
import { type Fixtures, fixturesOf } from "#tests/support/fixtures/product.ts";
import { undocumented } from "#tests/support/v1-spec.ts";

interface Client {
  userId: Awaited<ReturnType<Fixtures["user"]>>["id"];
  account: Awaited<ReturnType<Fixtures["account"]>>;
  accountId: string;
  boardId: string;
  secret: string;
}

let opened: Fixtures | undefined;
let own: Client | undefined;

/** Inserts rows into the shared app; from {@link v1ForFile} on. */
export const fixtures = (): Fixtures => {
  if (!opened) throw new Error("Call v1ForFile() first.");
  return opened;
};

/** The file's user, with an account, credits, and a key with every scope. */
export const client = (): Client => {
  if (!own) throw new Error("Call v1ForFile() first.");
  return own;
};

export const insertClient = async (): Promise<Client> => {
  const user = await fixtures().user({ isVerified: true, plan: "pro" });
  await fixtures().credits(user, 100);
  const account = await fixtures().account(user, { boards: 2 });
  return {
    userId: user.id,
    account,
    accountId: account.id,
    boardId: account.boards[0]?.id ?? "",
    secret: (await fixtures().apiKey(user)).secret,
  };
};

/** Call it once per test file. */
export const v1ForFile = (): void => {
  beforeAll(async () => {
    opened = fixturesOf(inject("app"));
    own = await insertClient();
    return () => opened?.close();
  }, 60_000);
};

interface Options {
  method?: string;
  body?: unknown;
  headers?: Record<string, string>;
  secret?: string;
}

/** A call of the API below `/api/v1`; `pattern` is its path in the specification, if it differs. */
export const call = async (
  path: string,
  options: Options = {},
  pattern = path.split("?")[0] ?? "",
): Promise<AppResponse> => {
  const { method = "GET", body, headers = {}, secret = client().secret } = options;
  const answer = await callApp(`/api/v1${path}`, {
    method,
    ...(body !== undefined && { body }),
    headers: { authorization: `Bearer ${secret}`, ...headers },
  });
  expect(undocumented(method, pattern, answer)).toBeNull();
  return answer;
};

export const newKey = () => randomBytes(12).toString("hex");
export const problem = (code: string, status: number, more: object = {}) => ({
  type: expect.stringMatching(new RegExp(`/developers#${code}$`)),
  title: expect.any(String),
  status,
  detail: expect.any(String),
  code,
  request_id: expect.stringMatching(/^req_/),
  ...more,
});
