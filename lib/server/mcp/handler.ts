import "server-only";
import { createMcpHandler, fromJsonSchema, McpServer } from "@modelcontextprotocol/server";
import { composeContext } from "#lib/composition.ts";
import type { FullCtx } from "#lib/context.ts";
import { AppError, messageOf, toAppError } from "#lib/core/errors.ts";
import { networkOf } from "#lib/features/identity/device.ts";
import { callerOf, visitorOf } from "../actor.ts";
import { parseJson, readBytes } from "../body.ts";
import { finishResponse } from "../error-response.ts";
import { refuseForeignOrigin } from "../origins.ts";
import { openRequestEvent, runUseCase } from "../pipeline.ts";
import { product } from "../product.ts";
import { limitCall, rateLimitFactor } from "../rate-limit.ts";
import type { RouteHandler } from "../route.ts";
import { authenticateKey, type CallingKey, requireActive, requireScope } from "../v1/authenticate.ts";
import { noteUse } from "../v1/key-uses.ts";
import { toProblemResponse } from "../v1/problem.ts";
import { TOOLS, type Tool } from "./tools.ts";

const PATH = "/api/mcp";

const INSTRUCTIONS =
  "You can search pins and results, draft pins, and propose schedules. You can't schedule or publish pins. The user reviews and confirms each one in the product. Ask before you spend credits.";

interface Session {
  ctx: FullCtx;
  key: CallingKey;
  network: string;
}

const answerOf = (value: unknown) => ({ content: [{ type: "text" as const, text: JSON.stringify(value) }] });

const refusalOf = ({ code, message, fields }: AppError) => {
  const details = Object.entries(fields ?? {}).map(([name, texts]) => `${name}: ${texts.join(" ")}`);
  return { isError: true, content: [{ type: "text" as const, text: [`${code}: ${message}`, ...details].join("\n") }] };
};

/** One use of a tool is one entry in the key's log, and counts against the limits, like a call of the API. */
const runTool = async ({ ctx, key, network }: Session, tool: Tool, args: unknown) => {
  let status = 200;
  try {
    requireScope(key, tool.scope);
    if (tool.limit) await limitCall(ctx, tool.limit, key.userId, rateLimitFactor());
    return answerOf(await runUseCase(() => tool.run(ctx, args)));
  } catch (thrown) {
    const error = toAppError(thrown);
    status = error.status;
    if (error.code === "internal") ctx.log.set({ problem: messageOf(error.cause ?? thrown) });
    return refusalOf(error);
  } finally {
    const use = { keyId: key.id, call: `MCP ${tool.name}`, status, network, at: new Date() };
    await noteUse(use, status !== 429 && (!tool.isRead || status >= 400));
  }
};

/** Only the tools that the key's scopes allow. */
const serverOf = (session: Session): McpServer => {
  const { name } = product();
  const info = { name: name.toLowerCase(), title: name, version: "1.0.0" };
  const server = new McpServer(info, { instructions: INSTRUCTIONS });
  for (const tool of TOOLS.filter(({ scope }) => session.key.scopes.includes(scope))) {
    const { title, description, input, isRead, isOverwriting = false } = tool;
    const hints = { readOnlyHint: isRead, destructiveHint: isOverwriting, idempotentHint: isOverwriting };
    const annotations = { ...hints, openWorldHint: true };
    server.registerTool(tool.name, { title, description, inputSchema: fromJsonSchema(input), annotations }, (args) =>
      runTool(session, tool, args),
    );
  }
  return server;
};

/** Subscriptions would hold a stream open beyond the key's end, and nothing here changes that a client could await. */
const REFUSED_METHODS = ["subscriptions/listen"];

/** One message per request, so that each counts. @throws AppError `invalid`, `too_large` */
const readMessage = async (request: Request): Promise<unknown> => {
  const message = parseJson(await readBytes(request));
  if (Array.isArray(message)) throw new AppError("invalid", { text: "Send one message at a time." });
  const { method } = Object(message);
  if (REFUSED_METHODS.includes(method)) throw new AppError("invalid", { text: `${method} isn't supported.` });
  return message;
};

const serve = async (request: Request, session: Session): Promise<Response> => {
  refuseForeignOrigin(request);
  if (request.method !== "POST") throw new AppError("method_not_allowed", { more: { allow: "POST" } });
  const parsedBody = await readMessage(request);
  const { fetch } = createMcpHandler(() => serverOf(session), {
    onerror: (error) => session.ctx.log.set({ problem: messageOf(error) }),
  });
  const response = await fetch(request, { parsedBody });
  // To the end, because older clients get a stream, and the log is written after it.
  return new Response(response.body && (await response.text()), response);
};

/** The MCP server (streamable HTTP, without sessions), for clients with an API key or an app's access token. */
export const answerMcp: RouteHandler = async (request) => {
  const event = openRequestEvent({ method: request.method, path: PATH, route: PATH });
  const visitor = visitorOf(callerOf(request));
  const { address } = visitor;
  let used: CallingKey | undefined;
  let error: AppError | undefined;
  let response: Response;
  try {
    const key = await authenticateKey(request, "mcp", visitor);
    used = key;
    event.set({ actor: "key", user_id: key.userId, key_id: key.id });
    const ctx = composeContext({ kind: "key", userId: key.userId, keyId: key.id, address }, event);
    await limitCall(ctx, "default", key.state === "active" ? key.userId : key.id, rateLimitFactor());
    requireActive(key);
    response = await serve(request, { ctx, key, network: networkOf(address) });
  } catch (thrown) {
    error = toAppError(thrown);
    response = toProblemResponse(error, event.requestId, "mcp");
    if (error.code === "method_not_allowed") response.headers.set("allow", "POST");
  }
  const use = {
    call: `${request.method} ${PATH}`,
    status: response.status,
    network: networkOf(address),
    at: new Date(),
  };
  if (used) await noteUse({ ...use, keyId: used.id }, response.status >= 400 && response.status !== 429);
  return finishResponse(response, event, error);
};
