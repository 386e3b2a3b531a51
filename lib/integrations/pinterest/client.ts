import "server-only";
import { SECOND_MS } from "#lib/core/time.ts";
import { createPinThrough } from "./create-pin.ts";
import { type Reply, readReply, send } from "./http.ts";
import { readPages } from "./paging.ts";
import type { PinterestPort } from "./port.ts";
import { createTokenCalls } from "./tokens.ts";
import { boardPinsPage, boardsPage, profileShape } from "./wire.ts";

export interface PinterestOptions {
  appId: string;
  appSecret: string;
  /** API with version, e.g. `https://api.pinterest.com/v5`. */
  apiUrl: string;
  /** The whole address of the consent page. */
  oauthUrl: string;
  /** Origin of profile and pin pages. */
  webUrl: string;
  /** Instead of 15 s for reads and 60 s for creating a pin. */
  timeoutMs?: number;
}

const READ_TIMEOUT_MS = 15 * SECOND_MS;
const CREATE_TIMEOUT_MS = 60 * SECOND_MS;
const BOARDS_PER_PAGE = 250;
const PINS_PER_PAGE = 100;

const pageQuery = (pageSize: number, bookmark: string | null): string =>
  new URLSearchParams({ page_size: String(pageSize), ...(bookmark !== null && { bookmark }) }).toString();

/** Pinterest's API v5 over HTTP: every answer is checked, every problem told in our words (BRIEF §1-3). */
export const createPinterest = (options: PinterestOptions): PinterestPort => {
  const { appId, apiUrl, oauthUrl, webUrl } = options;
  const readTimeoutMs = options.timeoutMs ?? READ_TIMEOUT_MS;
  const createTimeoutMs = options.timeoutMs ?? CREATE_TIMEOUT_MS;
  const get = (accessToken: string, path: string): Promise<Reply> =>
    send({
      method: "GET",
      url: `${apiUrl}${path}`,
      headers: { authorization: `Bearer ${accessToken}` },
      timeoutMs: readTimeoutMs,
    });

  return {
    ...createTokenCalls({ appId, appSecret: options.appSecret, apiUrl, timeoutMs: readTimeoutMs }),
    consentUrl: ({ state, redirectUri, scopes }) => {
      const url = new URL(oauthUrl);
      url.searchParams.set("client_id", appId);
      url.searchParams.set("redirect_uri", redirectUri);
      url.searchParams.set("response_type", "code");
      url.searchParams.set("scope", scopes.join(","));
      url.searchParams.set("state", state);
      return url.href;
    },
    readProfile: async (accessToken) => readReply(await get(accessToken, "/user_account"), profileShape),
    listBoards: (accessToken) =>
      readPages(async (bookmark) =>
        readReply(await get(accessToken, `/boards?${pageQuery(BOARDS_PER_PAGE, bookmark)}`), boardsPage),
      ),
    listBoardPinsSince: async (accessToken, boardId, since) => {
      const path = `/boards/${encodeURIComponent(boardId)}/pins`;
      const answer = await readPages(
        async (bookmark) =>
          readReply(await get(accessToken, `${path}?${pageQuery(PINS_PER_PAGE, bookmark)}`), boardPinsPage),
        // A whole page of older pins: one old pin alone may stand out of order.
        (pins) => pins.length > 0 && pins.every((pin) => pin.createdAt < since),
      );
      if (answer.kind === "problem") return answer;
      return { kind: "ok", value: answer.value.filter((pin) => pin.createdAt >= since) };
    },
    createPin: (accessToken, pin) =>
      createPinThrough(
        (body) =>
          send({
            method: "POST",
            url: `${apiUrl}/pins`,
            headers: { authorization: `Bearer ${accessToken}`, "content-type": "application/json" },
            body,
            timeoutMs: createTimeoutMs,
          }),
        pin,
      ),
    profileUrl: (username) => `${webUrl}/${encodeURIComponent(username)}/`,
    pinUrl: (pinterestPinId) => `${webUrl}/pin/${encodeURIComponent(pinterestPinId)}/`,
  };
};
