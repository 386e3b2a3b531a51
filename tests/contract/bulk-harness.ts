import { inject } from "vitest";
import { bulkForm, type SentPin } from "#tests/support/bulk-form.ts";
import { type ContractUser, connectOverHttp, signUp } from "#tests/support/contract-client.ts";
import { photo } from "#tests/support/sample-images.ts";

export const BULK = "/api/users/pinterest/create-bulk/";

/** A user with a connected account and its first board. */
export interface PinCreator {
  user: ContractUser;
  token: string;
  accountId: string;
  boardId: string;
}

export const createPinCreator = async (): Promise<PinCreator> => {
  const user = await signUp();
  const { id: accountId } = await connectOverHttp(user);
  const { json } = await user.call(`/api/users/pinterest/boards/${accountId}/`);
  return { user, token: user.token, accountId, boardId: Object(json).items[0].id };
};

let image: Buffer | undefined;
export const samplePhoto = async (): Promise<Buffer> => {
  image ??= await photo(300, 200);
  return image;
};

/** Valid pins with overrides. */
export const goodPins = async (boardId: string, count: number, change: Partial<SentPin> = {}): Promise<SentPin[]> => {
  const image = await samplePhoto();
  return Array.from({ length: count }, (_, index) => {
    return { board_id: boardId, title: `Moss ${index + 1}`, description: "Soft.", image, ...change };
  });
};

export interface BulkResponse {
  status: number;
  json: Record<string, unknown> & { message?: string };
  headers: Headers;
}

/** Sends a raw body, with a bearer token if there is one. */
export const post = async (
  token: string | null,
  body: BodyInit,
  headers: Record<string, string> = {},
): Promise<BulkResponse> => {
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

export const sendPins = (
  creator: PinCreator,
  pins: SentPin[],
  headers: Record<string, string> = {},
): Promise<BulkResponse> => post(creator.token, bulkForm({ account: creator.accountId, pins }), headers);

export const pinsOf = async ({ user, accountId }: PinCreator): Promise<Record<string, unknown>[]> =>
  Object((await user.call(`/api/users/pinterest/generated-pins/${accountId}/`)).json).posts;
