import { onTestFinished } from "vitest";
import { createPinterest } from "#lib/integrations/pinterest/client.ts";
import { createApp, serve } from "#sandbox/kit/serve.ts";

interface Seen {
  method: string;
  path: string;
  query: Record<string, string>;
  /** With each value of a parameter that is sent more than once. */
  queries: Record<string, string[]>;
  authorization: string | undefined;
  body: string;
}

type Answer = { status?: number; json?: unknown; text?: string; headers?: Record<string, string> } | "cut" | "hang";

/** A server that gives these responses in order, and our client connected to it. Both end with the test. */
export const scriptedPinterest = async (...answers: Answer[]) => {
  const seen: Seen[] = [];
  const app = createApp();
  app.all("*", async (c) => {
    const answer = answers[seen.length] ?? { status: 599 };
    seen.push({
      method: c.req.method,
      path: c.req.path,
      query: c.req.query(),
      queries: c.req.queries(),
      authorization: c.req.header("authorization"),
      body: await c.req.text(),
    });
    if (answer === "hang") await new Promise((resolve) => c.env.outgoing.once("close", resolve));
    if (answer === "cut" || answer === "hang") {
      c.env.outgoing.destroy();
      return new Response();
    }
    const body = answer.text ?? JSON.stringify(answer.json ?? {});
    return new Response(body, { status: answer.status ?? 200, headers: answer.headers ?? {} });
  });
  const server = await serve(app, { port: 0, host: "127.0.0.1" });
  onTestFinished(() => server.close());
  const client = createPinterest({
    appId: "app 1",
    appSecret: "s:ecret",
    apiUrl: `${server.url}/v5`,
    oauthUrl: "https://www.pinterest.test/oauth/?lang=en",
    webUrl: "https://www.pinterest.test",
    // The timeout is short only when a response never comes.
    timeoutMs: answers.includes("hang") ? 1_000 : 20_000,
  });
  return { client, seen };
};
