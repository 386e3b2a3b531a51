import { randomBytes, timingSafeEqual } from "node:crypto";
import type { Context, Hono } from "hono";
import { isPlaying } from "../kit/apply-faults.ts";
import { createApp, type StandInEnv } from "../kit/serve.ts";
import type { Pinterest } from "./context.ts";
import type { Grant } from "./model.ts";
import { invalidRequest, REFUSALS, RefusedError } from "./refusals.ts";

const CODE_LIFE_MS = 10 * 60_000;
const REFRESH_TOKEN_SECONDS = 5_184_000;

/** What a user grants who leaves out the rest. */
const FEWER_SCOPES = ["boards:read", "pins:read", "user_accounts:read"];

type GrantType = "authorization_code" | "refresh_token";

/**
 * `POST /oauth/token`: exchanges a code, or rotates a refresh token; both die by being used. `POST /oauth/token/revoke`
 * serves system users only, which this stand-in has none of.
 */
export function oauthTokenApi(pinterest: Pinterest): Hono<StandInEnv> {
  const app = createApp();
  app.post("/oauth/token", async (c) => {
    checkClient(pinterest, c.req.header("authorization"));
    const form = await readForm(pinterest, c);
    const type = form.grant_type;
    if (type === "authorization_code") {
      const grant = exchangeCode(pinterest, form, isPlaying(c, "fewer-scopes") ? FEWER_SCOPES : undefined);
      return c.json(answer(pinterest, grant, type));
    }
    if (type === "refresh_token") return c.json(answer(pinterest, rotate(pinterest, form), type));
    throw new RefusedError(invalidRequest(`grant_type '${type}' is not played by this stand-in`));
  });
  app.post("/oauth/token/revoke", async (c) => {
    checkClient(pinterest, c.req.header("authorization"));
    await readForm(pinterest, c, "/oauth/token/revoke");
    throw new RefusedError(REFUSALS.notPermitted);
  });
  return app;
}

function checkClient({ client }: Pinterest, header: string | undefined): void {
  const given = Buffer.from(header?.match(/^Basic (\S+)$/i)?.[1] ?? "", "base64");
  const wanted = Buffer.from(`${client.id}:${client.secret}`, "utf8");
  const isRight = given.length === wanted.length && timingSafeEqual(given, wanted);
  if (!isRight) throw new RefusedError(REFUSALS.authenticationFailed);
}

/** `continuous_refresh` is documented but left the description; it changes nothing for apps of today. */
async function readForm(
  { spec }: Pinterest,
  c: Context<StandInEnv>,
  path = "/oauth/token",
): Promise<Record<string, string>> {
  const form = Object.fromEntries(new URLSearchParams(await c.req.text()));
  const { continuous_refresh: _, ...described } = form;
  const result = spec.check("POST", path, { body: described });
  if (!result.ok) throw new RefusedError(invalidRequest(result.errors[0] ?? "body"));
  return described;
}

function exchangeCode(pinterest: Pinterest, form: Record<string, string>, only: string[] | undefined): Grant {
  const { store, clock, client } = pinterest;
  const code = store.state.codes.get(form.code ?? "");
  const isFresh = code !== undefined && clock.now().getTime() - new Date(code.issuedAt).getTime() < CODE_LIFE_MS;
  if (!isFresh || code.redirectUri !== form.redirect_uri || code.clientId !== client.id) {
    throw new RefusedError(REFUSALS.grantInvalid);
  }
  const scopes = code.scopes.filter((scope) => only === undefined || only.includes(scope));
  const grant = newGrant(pinterest, code.accountId, scopes);
  store.commit({ kind: "grant", grant, usedCode: code.code });
  return grant;
}

function rotate(pinterest: Pinterest, form: Record<string, string>): Grant {
  const { store, clock } = pinterest;
  const old = store.state.byRefreshToken.get(form.refresh_token ?? "");
  if (old === undefined || new Date(old.refreshExpiresAt) <= clock.now()) {
    throw new RefusedError(REFUSALS.authenticationFailed);
  }
  const scopes = form.scope === undefined ? old.scopes : form.scope.split(/[ ,]+/).filter(Boolean);
  if (scopes.some((scope) => !old.scopes.includes(scope))) {
    throw new RefusedError(invalidRequest("scope asks for more than was granted"));
  }
  const grant = newGrant(pinterest, old.accountId, scopes);
  store.commit({ kind: "grant", grant, usedRefreshToken: old.refreshToken });
  return grant;
}

function newGrant({ clock, client, accessTokenSeconds }: Pinterest, accountId: string, scopes: string[]): Grant {
  const inSeconds = (seconds: number) => new Date(clock.now().getTime() + seconds * 1000).toISOString();
  return {
    accountId,
    clientId: client.id,
    scopes,
    accessToken: `pina_${randomBytes(48).toString("base64url")}`,
    accessExpiresAt: inSeconds(accessTokenSeconds),
    refreshToken: `pinr_${randomBytes(48).toString("base64url")}`,
    refreshExpiresAt: inSeconds(REFRESH_TOKEN_SECONDS),
  };
}

function answer({ accessTokenSeconds }: Pinterest, grant: Grant, responseType: GrantType): Record<string, unknown> {
  return {
    access_token: grant.accessToken,
    refresh_token: grant.refreshToken,
    response_type: responseType,
    token_type: "bearer",
    expires_in: accessTokenSeconds,
    refresh_token_expires_in: REFRESH_TOKEN_SECONDS,
    refresh_token_expires_at: Math.floor(new Date(grant.refreshExpiresAt).getTime() / 1000),
    scope: grant.scopes.join(" "),
  };
}
