import { DAY_MS, SECOND_MS } from "#lib/core/time.ts";
import { type Reply, readReply, send } from "./http.ts";
import type { PinterestPort, PinterestResult, PinterestTokens } from "./port.ts";
import { decideProblem, decideRefreshProblem, type Refusal } from "./problems.ts";
import { tokensShape } from "./wire.ts";

interface TokenEndpoint {
  appId: string;
  appSecret: string;
  apiUrl: string;
  timeoutMs: number;
}

/** Pinterest's default life of a refresh token: 60 days. */
const REFRESH_LIFE_SECONDS = (60 * DAY_MS) / SECOND_MS;

const toTokens = (
  reply: Reply,
  presentRefreshToken: string | undefined,
  decide: (refusal: Refusal) => ReturnType<typeof decideProblem>,
): PinterestResult<PinterestTokens> => {
  const answer = readReply(reply, tokensShape, decide);
  if (answer.kind === "problem") return answer;
  const { value } = answer;
  const refreshToken = value.refresh_token ?? presentRefreshToken;
  if (refreshToken === undefined) {
    return { kind: "problem", problem: { kind: "rejected", text: "Pinterest didn't return a refresh token." } };
  }
  return {
    kind: "ok",
    value: {
      accessToken: value.access_token,
      refreshToken,
      accessExpiresInSeconds: value.expires_in,
      refreshExpiresInSeconds: value.refresh_token_expires_in ?? REFRESH_LIFE_SECONDS,
      scopes: value.scope,
    },
  };
};

export const createTokenCalls = ({
  appId,
  appSecret,
  apiUrl,
  timeoutMs,
}: TokenEndpoint): Pick<PinterestPort, "exchangeCode" | "refreshTokens"> => {
  const post = (form: Record<string, string>): Promise<Reply> =>
    send({
      method: "POST",
      url: `${apiUrl}/oauth/token`,
      headers: {
        authorization: `Basic ${Buffer.from(`${appId}:${appSecret}`).toString("base64")}`,
        "content-type": "application/x-www-form-urlencoded",
      },
      body: new URLSearchParams(form).toString(),
      timeoutMs,
    });

  return {
    exchangeCode: async ({ code, redirectUri }) => {
      const form = { grant_type: "authorization_code", code, redirect_uri: redirectUri, continuous_refresh: "true" };
      return toTokens(await post(form), undefined, decideProblem);
    },
    refreshTokens: async ({ refreshToken }) => {
      const form = { grant_type: "refresh_token", refresh_token: refreshToken };
      return toTokens(await post(form), refreshToken, decideRefreshProblem);
    },
  };
};
