import "server-only";
import { SECOND_MS } from "#lib/core/time.ts";
import { createAnalyticsCalls } from "./analytics.ts";
import { createPinWith, createReadCalls } from "./calls.ts";
import { readReply, send } from "./http.ts";
import { createKeywordCalls } from "./keywords.ts";
import { createMediaCalls } from "./media.ts";
import type { PinterestPort } from "./port.ts";
import { createTokenCalls } from "./tokens.ts";
import { boardShape, sectionShape } from "./wire.ts";

export interface PinterestOptions {
  appId: string;
  appSecret: string;
  /** API with version, e.g. `https://api.pinterest.com/v5`. */
  apiUrl: string;
  oauthUrl: string;
  webUrl: string;
  timeoutMs?: number;
}

const READ_TIMEOUT_MS = 15 * SECOND_MS;
const CREATE_TIMEOUT_MS = 60 * SECOND_MS;

const jsonHeaders = (accessToken: string) => ({
  authorization: `Bearer ${accessToken}`,
  "content-type": "application/json",
});

/** Pinterest's API v5. Every response is validated, and every problem becomes a `PinterestProblem`. */
export const createPinterest = (options: PinterestOptions): PinterestPort => {
  const { appId, appSecret, apiUrl, oauthUrl, webUrl } = options;
  const readTimeoutMs = options.timeoutMs ?? READ_TIMEOUT_MS;
  const createTimeoutMs = options.timeoutMs ?? CREATE_TIMEOUT_MS;
  return {
    ...createTokenCalls({ appId, appSecret, apiUrl, timeoutMs: readTimeoutMs }),
    ...createReadCalls({ apiUrl, timeoutMs: readTimeoutMs }),
    ...createAnalyticsCalls({ apiUrl, timeoutMs: readTimeoutMs }),
    ...createKeywordCalls({ apiUrl, timeoutMs: readTimeoutMs }),
    ...createMediaCalls({ apiUrl, timeoutMs: readTimeoutMs }),
    consentUrl: ({ state, redirectUri, scopes }) => {
      const url = new URL(oauthUrl);
      url.searchParams.set("client_id", appId);
      url.searchParams.set("redirect_uri", redirectUri);
      url.searchParams.set("response_type", "code");
      url.searchParams.set("scope", scopes.join(","));
      url.searchParams.set("state", state);
      return url.href;
    },
    createBoard: async (accessToken, { name }) => {
      const body = JSON.stringify({ name, privacy: "PUBLIC" });
      const request = { headers: jsonHeaders(accessToken), body, timeoutMs: createTimeoutMs };
      return readReply(await send({ method: "POST", url: `${apiUrl}/boards`, ...request }), boardShape);
    },
    createBoardSection: async (accessToken, { boardId, name }) => {
      const request = { headers: jsonHeaders(accessToken), body: JSON.stringify({ name }), timeoutMs: createTimeoutMs };
      const url = `${apiUrl}/boards/${encodeURIComponent(boardId)}/sections`;
      return readReply(await send({ method: "POST", url, ...request }), sectionShape);
    },
    createPin: (accessToken, pin) => {
      const headers = jsonHeaders(accessToken);
      const url = `${apiUrl}/pins`;
      return createPinWith((body) => send({ method: "POST", url, headers, body, timeoutMs: createTimeoutMs }), pin);
    },
    profileUrl: (username) => `${webUrl}/${encodeURIComponent(username)}/`,
    pinUrl: (pinterestPinId) => `${webUrl}/pin/${encodeURIComponent(pinterestPinId)}/`,
  };
};
