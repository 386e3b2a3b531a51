import "server-only";
import * as oidc from "openid-client";
import { z } from "zod";
import { AppError, messageOf } from "#lib/core/errors.ts";
import type { GoogleAnswer, GooglePort } from "./port.ts";

interface GoogleSettings {
  issuer: string;
  clientId: string | null;
  clientSecret: string;
  redirectUri: string;
}

const TIMEOUT_SECONDS = 10;

const claims = z.object({
  sub: z.string().min(1).max(255),
  email: z.email().max(254),
  email_verified: z.boolean().default(false),
  given_name: z.string().max(200).default(""),
  family_name: z.string().max(200).default(""),
});

const toAnswer = (raw: unknown): GoogleAnswer => {
  const parsed = claims.safeParse(raw);
  if (!parsed.success) return { kind: "failed" };
  const { sub, email, email_verified, given_name, family_name } = parsed.data;
  const profile = { subject: sub, email, isEmailVerified: email_verified };
  return { kind: "profile", profile: { ...profile, firstName: given_name, lastName: family_name } };
};

const isRefusal = (error: unknown): boolean =>
  error instanceof oidc.ResponseBodyError ||
  error instanceof oidc.WWWAuthenticateChallengeError ||
  (error instanceof oidc.ClientError && error.code !== "OAUTH_TIMEOUT" && !(error.cause instanceof TypeError));

const unavailable = (cause: unknown) => new AppError("provider_unavailable", { cause });

/** Sign-in by OpenID Connect: authorization code with PKCE, state and nonce (OpenID Connect Core 1.0, section 3.1). */
export const createGoogle = ({ issuer, clientId, clientSecret, redirectUri }: GoogleSettings): GooglePort => {
  const isInsecure = issuer.startsWith("http:");
  let known: Promise<oidc.Configuration> | undefined;
  const discover = async (): Promise<oidc.Configuration> => {
    if (clientId === null) throw new AppError("not_found");
    const execute = isInsecure ? [oidc.allowInsecureRequests] : [];
    known ??= oidc.discovery(new URL(issuer), clientId, clientSecret, undefined, { execute, timeout: TIMEOUT_SECONDS });
    try {
      return await known;
    } catch (error) {
      // Tried again by the next sign-in.
      known = undefined;
      throw unavailable(error);
    }
  };
  return {
    isOn: clientId !== null,
    begin: async (state) => {
      const config = await discover();
      const challenge = { state, nonce: oidc.randomNonce(), codeVerifier: oidc.randomPKCECodeVerifier() };
      const url = oidc.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: "openid email profile",
        state,
        nonce: challenge.nonce,
        code_challenge: await oidc.calculatePKCECodeChallenge(challenge.codeVerifier),
        code_challenge_method: "S256",
        prompt: "select_account",
      });
      return { url: url.href, challenge };
    },
    finish: async (callbackUrl, { state, nonce, codeVerifier }) => {
      const config = await discover();
      // The server may be reached under another address than the public one.
      const answered = new URL(redirectUri);
      answered.search = callbackUrl.search;
      try {
        const tokens = await oidc.authorizationCodeGrant(config, answered, {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: codeVerifier,
          idTokenExpected: true,
        });
        return toAnswer(tokens.claims());
      } catch (error) {
        if (error instanceof oidc.AuthorizationResponseError) {
          return { kind: error.error === "access_denied" ? "declined" : "failed" };
        }
        if (isRefusal(error)) return { kind: "failed" };
        throw unavailable(messageOf(error));
      }
    },
  };
};
