import "server-only";
import { createMcpHandler, fromJsonSchema, McpServer } from "@modelcontextprotocol/server";
import { composeContext } from "#lib/composition.ts";
import type { FullCtx } from "#lib/context.ts";
import { type AppError, toAppError } from "#lib/core/errors.ts";
import type { FoundKey } from "#lib/features/api-keys/authentication.ts";
import { networkOf } from "#lib/features/identity/device.ts";
import { callerOf, visitorOf } from "../actor.ts";
import { finishResponse } from "../error-response.ts";
import { openRequestEvent, runUseCase } from "../pipeline.ts";
import { product } from "../product.ts";
import { limitCall, rateLimitFactor } from "../rate-limit.ts";
import type { RouteHandler } from "../route.ts";
import { authenticateKey, requireActive, requireScope } from "../v1/authenticate.ts";
import { noteUse } from "../v1/key-uses.ts";
import { toProblemResponse } from "../v1/problem.ts";
import { TOOLS, type Tool } from "./tools.ts";

const PATH = "/api/mcp";
const BODY_BYTES_MAX = 1_000_000;

const INSTRUCTIONS =
  "You can search pins and results, draft pins, and propose schedules. You can't schedule or publish: the user sees each pin and confirms in the product. Ask before you spend credits.";

interface Session {
  ctx: FullCtx;
  key: FoundKey;
  network: string;
}

const answerOf = (value: unknown) => ({ content: [{ type: "text" as const, text: JSON.stringify(value) }] });

const refusalOf = ({ code, message, fields }: AppError) => {
  const details = Object.entries(fields ?? {}).map(([name, texts]) => `${name}: ${texts.join(" ")}`);
  return { isError: true, content: [{ type: "text" as const, text: [`${code}: ${message}`, ...details].join("\n") }] };
};

/** One use of a tool is one entry in the key's log, like a call of the API. */
const runTool = async ({ ctx, key, network }: Session, tool: Tool, args: unknown) => {
  let status = 200;
  try {
    requireScope(key, tool.scope);
    return answerOf(await runUseCase(() => tool.run(ctx, args)));
  } catch (thrown) {
    const error = toAppError(thrown);
    status = error.status;
    if (error.code === "internal") throw thrown;
    return refusalOf(error);
  } finally {
    const use = { keyId: key.id, call: `MCP ${tool.name}`, status, network, at: new Date() };
    await noteUse(use, !tool.isRead || status >= 400);
  }
};

/** Only the tools that the key's scopes allow. */
const serverOf = (session: Session): McpServer => {
  const { name } = product();
  const server = new McpServer(
    { name: name.toLowerCase(), title: name, version: "1.0.0" },
    { instructions: INSTRUCTIONS },
  );
  for (const tool of TOOLS.filter(({ scope }) => session.key.scopes.includes(scope))) {
    const { title, description, input, isRead } = tool;
    const annotations = { readOnlyHint: isRead, destructiveHint: false, openWorldHint: true };
    server.registerTool(tool.name, { title, description, inputSchema: fromJsonSchema(input), annotations }, (args) =>
      runTool(session, tool, args),
    );
  }
  return server;
};

const serve = async (request: Request, session: Session): Promise<Response> => {
  const { fetch } = createMcpHandler(() => serverOf(session), {
    responseMode: "json",
    maxRequestBodySize: BODY_BYTES_MAX,
    onerror: (error) => session.ctx.log.set({ problem: error.message }),
  });
  return fetch(request);
};

/** The MCP server (streamable HTTP, without sessions), for clients with an API key. */
export const answerMcp: RouteHandler = async (request) => {
  const event = openRequestEvent({ method: request.method, path: PATH, route: PATH });
  const { address } = visitorOf(callerOf(request));
  let used: FoundKey | undefined;
  let error: AppError | undefined;
  let response: Response;
  try {
    const key = await authenticateKey(request);
    used = key;
    requireActive(key);
    const ctx = composeContext({ kind: "key", userId: key.userId, keyId: key.id, address }, event);
    event.set({ actor: "key", user_id: key.userId, key_id: key.id });
    await limitCall(ctx, "default", key.userId, rateLimitFactor());
    response = await serve(request, { ctx, key, network: networkOf(address) });
  } catch (thrown) {
    error = toAppError(thrown);
    response = toProblemResponse(error, event.requestId);
  }
  const use = {
    call: `${request.method} ${PATH}`,
    status: response.status,
    network: networkOf(address),
    at: new Date(),
  };
  if (used) await noteUse({ ...use, keyId: used.id }, response.status >= 400);
  return finishResponse(new Response(response.body, response), event, error);
};
