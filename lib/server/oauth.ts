import "server-only";
import type { z } from "zod";
import { composeContext } from "#lib/composition.ts";
import type { FullCtx } from "#lib/context.ts";
import { AppError, toAppError } from "#lib/core/errors.ts";
import { env } from "#lib/env.ts";
import { AUDIENCES } from "#lib/features/api-keys/constants.ts";
import { registerClient } from "#lib/features/oauth/clients.ts";
import { AUDIENCE_PATHS, AUDIENCE_SCOPES, OAUTH_PATHS } from "#lib/features/oauth/constants.ts";
import { grantTokens, revokeToken } from "#lib/features/oauth/grants.ts";
import { registrationInput, revocationInput, tokenInput } from "#lib/features/oauth/schema.ts";
import { callerOf, visitorOf } from "./actor.ts";
import { parseJson, readBytes } from "./body.ts";
import { finishResponse } from "./error-response.ts";
import { openRequestEvent, runUseCase, safeParse } from "./pipeline.ts";
import { product } from "./product.ts";
import { type LimitName, limitCall, rateLimitFactor } from "./rate-limit.ts";
import type { RouteHandler } from "./route.ts";

/** Apps read metadata before they have anything to send, from any origin. */
const metadata = (body: object): Response =>
  Response.json(body, { headers: { "access-control-allow-origin": "*", "cache-control": "public, max-age=300" } });

/** RFC 8414. */
export const authorizationServerMetadata = (): Response => {
  const { APP_URL: issuer } = env();
  return metadata({
    issuer,
    authorization_endpoint: `${issuer}${OAUTH_PATHS.authorize}`,
    token_endpoint: `${issuer}${OAUTH_PATHS.token}`,
    registration_endpoint: `${issuer}${OAUTH_PATHS.register}`,
    revocation_endpoint: `${issuer}${OAUTH_PATHS.revoke}`,
    scopes_supported: AUDIENCE_SCOPES.api,
    response_types_supported: ["code"],
    response_modes_supported: ["query"],
    grant_types_supported: ["authorization_code", "refresh_token"],
    token_endpoint_auth_methods_supported: ["none"],
    revocation_endpoint_auth_methods_supported: ["none"],
    code_challenge_methods_supported: ["S256"],
    authorization_response_iss_parameter_supported: true,
    service_documentation: `${issuer}/developers`,
  });
};

/** RFC 9728, at the well-known path followed by the resource's. Null: there is no such resource. */
export const resourceMetadata = (path: string): Response | null => {
  const { APP_URL: issuer } = env();
  // Older clients look at the root.
  const audience = path === "" ? "mcp" : AUDIENCES.find((one) => AUDIENCE_PATHS[one] === path);
  if (!audience) return null;
  return metadata({
    resource: `${issuer}${AUDIENCE_PATHS[audience]}`,
    resource_name: product().name,
    authorization_servers: [issuer],
    scopes_supported: AUDIENCE_SCOPES[audience],
    bearer_methods_supported: ["header"],
    resource_documentation: `${issuer}/developers`,
  });
};

interface Refusal {
  status: number;
  error: string;
  description: string;
}

const refuse = ({ status, error, description }: Refusal): Response =>
  Response.json({ error, error_description: description }, { status });

const toRefusal = ({ code, status, message }: AppError): Refusal => ({
  status,
  error: status >= 500 ? "server_error" : code,
  description: message,
});

const invalid = (error: string, { issues }: z.ZodError): Response => {
  const [issue] = issues;
  const description = [issue?.path.join("."), issue?.message].filter(Boolean).join(": ");
  return refuse({ status: 400, error, description });
};

/** One value per name, as RFC 6749 §3.2 demands. */
const readForm = async (request: Request): Promise<Record<string, string>> => {
  const type = request.headers.get("content-type") ?? "";
  const form = new URLSearchParams((await readBytes(request)).toString("utf8"));
  const names = [...form.keys()];
  if (!/^application\/x-www-form-urlencoded\b/i.test(type) || new Set(names).size < names.length) {
    throw new AppError("invalid", { text: "Send each parameter once, as application/x-www-form-urlencoded." });
  }
  // Empty parameters count as left out.
  return Object.fromEntries([...form].filter(([, value]) => value !== ""));
};

/** Entry points for apps, whose errors are those of RFC 6749 §5.2 and RFC 7591 §3.2.2. */
const entryPoint =
  (path: string, limit: LimitName, run: (request: Request, ctx: FullCtx) => Promise<Response>): RouteHandler =>
  async (request) => {
    const event = openRequestEvent({ method: request.method, path, route: path });
    let error: AppError | undefined;
    let response: Response;
    try {
      const visitor = visitorOf(callerOf(request));
      const ctx = composeContext(visitor, event);
      await limitCall(ctx, limit, visitor.address, rateLimitFactor());
      response = await runUseCase(() => run(request, ctx));
    } catch (thrown) {
      error = toAppError(thrown);
      response = refuse(toRefusal(error));
      if (error.code === "invalid") response = refuse({ ...toRefusal(error), error: "invalid_request" });
      if (error.retryAfterSeconds) response.headers.set("retry-after", String(error.retryAfterSeconds));
    }
    return finishResponse(response, event, error);
  };

/** RFC 7591 */
export const answerRegistration = entryPoint(OAUTH_PATHS.register, "registerApp", async (request, ctx) => {
  const input = safeParse(registrationInput, parseJson(await readBytes(request)));
  if (!input.success) {
    const isUri = input.error.issues[0]?.path[0] === "redirect_uris";
    return invalid(isUri ? "invalid_redirect_uri" : "invalid_client_metadata", input.error);
  }
  const facts = {
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
  };
  return Response.json({ ...(await registerClient(ctx, input.data)), ...facts }, { status: 201 });
});

const GRANT_TYPES = ["authorization_code", "refresh_token"];

/** RFC 6749 §3.2 */
export const answerToken = entryPoint(OAUTH_PATHS.token, "default", async (request, ctx) => {
  const form = await readForm(request);
  if (form.grant_type !== undefined && !GRANT_TYPES.includes(form.grant_type)) {
    return refuse({ status: 400, error: "unsupported_grant_type", description: `Use ${GRANT_TYPES.join(" or ")}.` });
  }
  const input = safeParse(tokenInput, form);
  if (!input.success) return invalid("invalid_request", input.error);
  const outcome = await grantTokens(ctx, input.data);
  return "tokens" in outcome
    ? Response.json(outcome.tokens)
    : refuse({ status: outcome.error === "invalid_client" ? 401 : 400, ...outcome });
});

/** RFC 7009 */
export const answerRevocation = entryPoint(OAUTH_PATHS.revoke, "default", async (request, ctx) => {
  const input = safeParse(revocationInput, await readForm(request));
  if (!input.success) return invalid("invalid_request", input.error);
  await revokeToken(ctx, input.data);
  return new Response(null, { status: 200 });
});
