import { inject } from "vitest";
import { bulkForm, type SentPin } from "#tests/support/bulk-form.ts";
import { type ContractUser, connectOverHttp, signUp } from "#tests/support/contract-client.ts";
import { photo } from "#tests/support/sample-pictures.ts";

export const BULK = "/api/users/pinterest/create-bulk/";

/** A person with a connected account and its first board. */
export interface PinMaker {
  user: ContractUser;
  token: string;
  accountId: string;
  boardId: string;
}

export const makePinMaker = async (): Promise<PinMaker> => {
  const user = await signUp();
  const { id: accountId } = await connectOverHttp(user);
  const { json } = await user.call(`/api/users/pinterest/boards/${accountId}/`);
  return { user, token: user.token, accountId, boardId: Object(json).items[0].id };
};

let picture: Buffer | undefined;
export const samplePhoto = async (): Promise<Buffer> => {
  picture ??= await photo(300, 200);
  return picture;
};

/** Pins that are all right, with what is changed in them. */
export const goodPins = async (boardId: string, count: number, change: Partial<SentPin> = {}): Promise<SentPin[]> => {
  const image = await samplePhoto();
  return Array.from({ length: count }, (_, index) => {
    return { board_id: boardId, title: `Moss ${index + 1}`, description: "Soft.", image, ...change };
  });
};

export interface Posted {
  status: number;
  json: Record<string, unknown> & { message?: string };
  headers: Headers;
}

/** Sends a body as it is, with a bearer token unless there is none. */
export const post = async (
  token: string | null,
  body: BodyInit,
  headers: Record<string, string> = {},
): Promise<Posted> => {
  const init: RequestInit & { duplex: "half" } = {
    method: "POST",
    headers: { ...(token !== null && { authorization: `Bearer ${token}` }), ...headers },
    body,
    duplex: "half",
    signal: AbortSignal.timeout(60_000),
  };
  const response = await fetch(`${inject("app").baseUrl}${BULK}`, init);
  return { status: response.status, json: Object(await response.json()), headers: response.headers };
};

export const sendPins = (maker: PinMaker, pins: SentPin[], headers: Record<string, string> = {}): Promise<Posted> =>
  post(maker.token, bulkForm({ account: maker.accountId, pins }), headers);

export const postsOf = async ({ user, accountId }: PinMaker): Promise<Record<string, unknown>[]> =>
  Object((await user.call(`/api/users/pinterest/generated-pins/${accountId}/`)).json).posts;
