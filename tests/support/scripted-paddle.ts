import { onTestFinished } from "vitest";
import { createPayments } from "#lib/integrations/payments/client.ts";
import { createApp, serve } from "#sandbox/kit/serve.ts";

interface Seen {
  method: string;
  path: string;
  query: Record<string, string>;
  authorization: string | undefined;
  body: unknown;
}

type Answer = { status?: number; data?: unknown; json?: unknown; text?: string; headers?: Record<string, string> };

/** An error in the provider's format. */
export const refusal = (status: number, code: string, over: Partial<Answer> = {}): Answer => ({
  status,
  json: {
    error: {
      type: status >= 500 ? "api_error" : "request_error",
      code,
      detail: `about ${code}`,
      documentation_url: "",
    },
    meta: { request_id: "r" },
  },
  ...over,
});

const bodyOf = ({ text, json, data }: Answer): string =>
  text ??
  JSON.stringify(json ?? { data, meta: { request_id: "r", pagination: { per_page: 200, next: "", has_more: false } } });

/** A server that gives these responses in order, and our client connected to it. Both end with the test. */
export const scriptedPaddle = async (...answers: (Answer | "cut" | "hang")[]) => {
  const seen: Seen[] = [];
  const app = createApp();
  app.all("*", async (c) => {
    const answer = answers[seen.length] ?? { status: 599, text: "unexpected call" };
    const text = await c.req.text();
    seen.push({
      method: c.req.method,
      path: c.req.path,
      query: c.req.query(),
      authorization: c.req.header("authorization"),
      body: text === "" ? null : JSON.parse(text),
    });
    if (answer === "hang") await new Promise((resolve) => c.env.outgoing.once("close", resolve));
    if (answer === "cut" || answer === "hang") {
      c.env.outgoing.destroy();
      return new Response();
    }
    return new Response(bodyOf(answer), { status: answer.status ?? 200, headers: answer.headers ?? {} });
  });
  const server = await serve(app, { port: 0, host: "127.0.0.1" });
  onTestFinished(() => server.close());
  const isHanging = answers.includes("hang");
  const client = createPayments({
    apiKey: "pdl_test_key",
    apiUrl: `${server.url}/`,
    webhookSecrets: ["pdl_ntfset_one"],
    ...(isHanging && { timeoutMs: 300 }),
  });
  return { client, seen };
};
