import { execFile, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import {
  Client,
  type OAuthClientProvider,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
import { expect } from "@playwright/test";
import { eq } from "drizzle-orm";
import { pins } from "#db/schema/pins.ts";
import { DAY_MS, HOUR_MS } from "#lib/core/time.ts";
import { inRepository } from "#scripts/root.ts";
import { login } from "./support/person.ts";
import { connectQuickly, fixtures, insertPins, signInConfirmed } from "./support/quick.ts";
import { appearancesFor, checkScreen, setAppearance } from "./support/screens.ts";
import { test } from "./support/test.ts";

/** An assistant on this computer, with the address that its user's browser comes back to. */
class Assistant implements OAuthClientProvider {
  readonly clientMetadata;
  authorizationUrl = "";
  /** What the browser brought back last. */
  returned = new URLSearchParams();
  #client: StoredOAuthClientInformation | undefined;
  #tokens: StoredOAuthTokens | undefined;
  #verifier = "";
  readonly #server: Server;
  readonly redirectUrl: string;

  constructor(server: Server) {
    this.#server = server;
    this.redirectUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`;
    this.clientMetadata = { client_name: "Garden assistant", redirect_uris: [this.redirectUrl] };
  }

  static async open(): Promise<Assistant> {
    let opened: Assistant | undefined;
    const server = createServer(({ url = "/" }, response) => {
      if (url.startsWith("/callback") && opened) opened.returned = new URL(url, "http://localhost").searchParams;
      response.setHeader("content-type", "text/html").end("<title>Assistant</title><h1>Welcome back</h1>");
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    opened = new Assistant(server);
    return opened;
  }

  close = (): Server => this.#server.close();
  state = () => "state of the assistant";
  clientInformation = () => this.#client;
  saveClientInformation = (client: StoredOAuthClientInformation): void => {
    this.#client = client;
  };
  tokens = () => this.#tokens;
  saveTokens = (tokens: StoredOAuthTokens): void => {
    this.#tokens = tokens;
  };
  invalidateCredentials = (): void => {
    this.#tokens = undefined;
  };
  redirectToAuthorization = (url: URL): void => {
    this.authorizationUrl = url.href;
  };
  saveCodeVerifier = (verifier: string): void => {
    this.#verifier = verifier;
  };
  codeVerifier = () => this.#verifier;
}

test("an assistant is let in with what its user chooses, and put out again", { tag: "@screens" }, async ({
  page,
  baseURL,
}) => {
  const { token } = await signInConfirmed(page);
  const { username, id: accountId } = await connectQuickly(page, token);
  const [draftId = ""] = await insertPins(accountId, [{ title: "Moss walls" }]);
  const assistant = await Assistant.open();
  const url = new URL("/api/mcp", baseURL);
  const connect = async () => {
    const transport = new StreamableHTTPClientTransport(url, { authProvider: assistant });
    const client = new Client({ name: "garden", version: "1.0.0" });
    return { transport, client, outcome: await client.connect(transport).catch((error: unknown) => error) };
  };

  const first = await connect();
  expect(first.outcome).toBeInstanceOf(UnauthorizedError);
  await page.goto(assistant.authorizationUrl);
  await page.getByRole("link", { name: "Cancel" }).click();
  await expect(page.getByRole("heading", { name: "Welcome back" })).toBeVisible();
  expect(assistant.returned.get("error")).toBe("access_denied");

  await page.goto(assistant.authorizationUrl);
  await expect(page.getByRole("heading", { name: "Connect Garden assistant?" })).toBeVisible();
  await expect(page.getByText("a program on this computer")).toBeVisible();
  await page.getByRole("checkbox", { name: /^analytics:read/ }).uncheck();
  await page.getByLabel("Daily credit limit").fill("many");
  await page.getByRole("button", { name: "Connect", exact: true }).click();
  await expect(page.getByText(/Enter a whole number/).first()).toBeVisible();
  await page.getByLabel("Daily credit limit").fill("3");
  for (const { width, theme } of appearancesFor("connect-app")) {
    await setAppearance(page, width, theme);
    await checkScreen(page, `connect-app-${width}-${theme}`);
  }
  await page.getByRole("button", { name: "Connect", exact: true }).click();
  await expect(page.getByRole("heading", { name: "Welcome back" })).toBeVisible();
  await first.transport.finishAuth(assistant.returned);

  const { client } = await connect();
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toContain("draft_pins");
  expect(tools.map(({ name }) => name)).not.toContain("get_results");
  const { content } = await client.callTool({ name: "list_accounts", arguments: {} });
  expect(JSON.stringify(content)).toContain(username);

  const start = new Date(Math.floor(Date.now() / HOUR_MS) * HOUR_MS + 3 * DAY_MS).toISOString();
  const plan = { pin_ids: [draftId], start, interval_minutes: 60 };
  const proposed = await client.callTool({ name: "propose_plan", arguments: plan });
  const [answer] = proposed.content;
  await page.goto(JSON.parse(answer?.type === "text" ? answer.text : "{}").confirm_url);
  await expect(page.getByRole("checkbox", { name: "Select Moss walls" })).toBeChecked();
  const stored = async () => {
    const [row] = await fixtures().db.select().from(pins).where(eq(pins.id, draftId));
    return [row?.status, row?.scheduledAt?.toISOString()];
  };
  expect(await stored()).toEqual(["draft", undefined]);
  await page.getByRole("button", { name: "Schedule 1 pin", exact: true }).click();
  await expect.poll(stored).toEqual(["scheduled", start]);

  await page.goto("/app/settings/api-keys");
  await expect(page.getByRole("list", { name: "Connected apps" })).toContainText("up to 3 credits a day");
  for (const { width, theme } of appearancesFor("connected-apps")) {
    await setAppearance(page, width, theme);
    await checkScreen(page, `connected-apps-${width}-${theme}`);
  }
  await page.getByRole("button", { name: "Disconnect Garden assistant" }).click();
  await page.getByRole("button", { name: "Disconnect", exact: true }).click();
  await expect(page.getByText("Disconnected", { exact: true })).toBeVisible();
  await expect(client.listTools()).rejects.toThrow();
  assistant.close();

  await page.goto(assistant.authorizationUrl.replace("code_challenge_method=S256", "code_challenge_method=plain"));
  await expect(page.getByRole("heading", { name: "This app can't be connected" })).toBeVisible();
  await expect(page.getByRole("link", { name: "Back to Garden assistant" })).toHaveAttribute(
    "href",
    /error=invalid_request/,
  );
  await page.goto("/app/authorize?client_id=unknown");
  await expect(page.getByText("This app isn't registered. Start again in the app.")).toBeVisible();
});

test("the command line signs in by browser, after its user signed in and came back to its page, and out again", async ({
  page,
  baseURL,
}) => {
  const { who, token } = await signInConfirmed(page);
  const { username } = await connectQuickly(page, token);
  await page.context().clearCookies();
  await page.evaluate(() => localStorage.clear());
  const folder = mkdtempSync(join(tmpdir(), "cli-login-"));
  const env = { PATH: process.env.PATH ?? "", NODE_ENV: "test" as const, XDG_CONFIG_HOME: folder };
  const main = inRepository("packages", "cli", "src", "main.ts");
  const command = spawn(process.execPath, [main, "login", "--url", baseURL ?? ""], {
    env,
    stdio: ["ignore", "ignore", "pipe"],
  });
  const ended = new Promise<number | null>((resolve) => command.on("close", resolve));
  let shown = "";
  command.stderr.on("data", (chunk) => {
    shown += chunk;
  });
  await expect.poll(() => shown).toMatch(/Open this page to continue:\n\S+\n/);
  await page.goto(/\n(http\S+)\n/.exec(shown)?.[1] ?? "");
  await expect(page).toHaveURL(/\/login\/?\?next=/);
  await login(page, who, /\/app\/authorize\?/);
  await expect(page.getByRole("checkbox", { name: /^schedule:write/ })).toBeChecked();
  await page.getByRole("button", { name: "Connect", exact: true }).click();
  await expect(page.getByText("You can close this page and go back to the terminal.")).toBeVisible();
  expect(await ended).toBe(0);
  const run = (...args: string[]) => promisify(execFile)(process.execPath, [main, ...args], { env });
  expect((await run("accounts")).stdout).toContain(username);
  await run("logout");
  await page.goto("/app/settings/api-keys");
  await expect(page.getByRole("list", { name: "Connected apps" })).toContainText("Disconnected");
  rmSync(folder, { recursive: true });
});
