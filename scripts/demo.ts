/**
 * `npm run demo`: the main job from a terminal, over the documented HTTP API of a running product: sign up, connect,
 * generate, schedule, publish. `--url` sets the product's URL, `--every=MINUTES` schedules one spaced batch.
 */
import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import {
  type ApiClient,
  asList,
  asObject,
  backdateAnalytics,
  connectAccount,
  createClient,
  createProgress,
  DemoError,
  type Json,
  shorten,
  tableOf,
} from "./demo-client.ts";
import { readRunning, runFile } from "./local.ts";

const keywords = [
  "small balcony herb garden",
  "sourdough for beginners",
  "linen summer wardrobe",
  "rainy day crafts for kids",
  "mid century reading corner",
];
const olderDays = 30;
const generateDeadlineMs = 10 * 60_000;
const publishDeadlineMs = 5 * 60_000;

const { values } = parseArgs({ options: { url: { type: "string" }, every: { type: "string" } } });

try {
  process.exitCode = await runDemo();
} catch (error) {
  if (!(error instanceof DemoError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}

async function runDemo(): Promise<number> {
  const running = readRunning(runFile);
  const baseUrl = (values.url ?? running?.url ?? "http://localhost:3000").replace(/\/+$/, "");
  if (!values.url && running?.env && !running.env.SANDBOX_SERVICES?.includes("pinterest")) {
    throw new DemoError(
      "The real Pinterest is configured here. The demo publishes made-up pins, so it only runs in the sandbox.",
    );
  }
  await requireRunning(baseUrl);
  const client = createClient(baseUrl);
  const login = await signUp(client);
  const { pinterestUrl } = await connectAccount(client);
  const account = asList(await client.get("/api/users/pinterest/accounts/"))[0];
  if (!account) throw new DemoError("The account was connected, but isn't listed.");
  console.log(`Connected ${account.username}.`);
  await generate(client, account);
  const posts = await publish(client, account);
  report(posts, baseUrl, login);
  if (await backdateAnalytics(pinterestUrl, olderDays))
    console.log(`Pinterest's stand-in now treats each pin as ${olderDays} days older, so Analytics has data to show.`);
  return posts.length === keywords.length && posts.every((post) => post.status === "published") ? 0 : 1;
}

async function requireRunning(baseUrl: string): Promise<void> {
  try {
    const health = await fetch(`${baseUrl}/api/health/`, { signal: AbortSignal.timeout(5_000) });
    if (health.ok) return;
    throw new DemoError(`The product at ${baseUrl} is not ready: ${await health.text()}`);
  } catch (error) {
    if (error instanceof DemoError) throw error;
    throw new DemoError(`Nothing is running at ${baseUrl}. Start the product in another terminal first: npm start`);
  }
}

type Login = { email: string; password: string };

async function signUp(client: ApiClient): Promise<Login> {
  const name = `demo_${randomBytes(4).toString("hex")}`;
  const login = { email: `${name}@example.com`, password: randomBytes(12).toString("base64url") };
  const person = { username: name, first_name: "Dana", last_name: "Demo", confirmPassword: login.password };
  await client.post("/api/users/register/", { ...person, ...login });
  const { accessToken } = asObject(await client.post("/api/users/login/", login));
  client.setToken(String(accessToken));
  console.log(`Signed up as ${login.email}.`);
  return login;
}

async function generate(client: ApiClient, account: Json): Promise<void> {
  const boards = asList(asObject(await client.get(`/api/users/pinterest/boards/${account.id}/`)).items);
  const board = boards.find(({ privacy }) => privacy === "PUBLIC") ?? boards[0];
  if (!board) throw new DemoError("The account has no boards.");
  console.log(`Generating ${keywords.length} pins for the board "${board.name}" (1 of ${boards.length}).`);
  const started = asObject(
    await client.post("/api/users/pinterest/generate-pins/", {
      pinterest_account: account.id,
      board_id: board.id,
      quality: "standard",
      keyword_data: keywords.map((keyword) => ({ keyword, url: null })),
    }),
  );
  if (started.warning) console.log(String(started.warning));
  if (!started.group_id) throw new DemoError("No pins were generated.");
  await trackGroup(client, String(started.group_id));
}

async function trackGroup(client: ApiClient, groupId: string): Promise<void> {
  const progress = createProgress("Generating");
  const deadline = performance.now() + generateDeadlineMs;
  for (;;) {
    const tracking = asObject(await client.get(`/api/users/pinterest/track-pin-generation/?group_id=${groupId}`));
    const [completed, total] = [Number(tracking.completed_tasks), Number(tracking.total_tasks)];
    progress.show(completed, total, `${tracking.progress_percentage}%`);
    if (completed === total) break;
    if (performance.now() > deadline) throw new DemoError("The pins were not generated in time.");
    await delay(1_000);
  }
  progress.end();
}

/**
 * Schedules the drafts and waits until each is published or failed. By default, one batch per pin is published
 * immediately.
 */
async function publish(client: ApiClient, account: Json): Promise<Json[]> {
  const list = async (status: string) =>
    asList(asObject(await client.get(`/api/users/pinterest/generated-pins/${account.id}/?status=${status}`)).posts);
  const ids = (await list("draft")).map((post) => post.id);
  const intervalMinutes = Number(values.every ?? 1);
  const batches = values.every ? [ids] : ids.map((id) => [id]);
  let lastDueAtMs = Date.now();
  for (const post_ids of batches) {
    const body = { post_ids, interval_minutes: intervalMinutes };
    const { last_publish } = asObject(await client.post("/api/users/pinterest/batch-publish-pins/", body));
    lastDueAtMs = Math.max(lastDueAtMs, Date.parse(String(last_publish)));
  }
  const progress = createProgress("Publishing");
  const deadlineMs = lastDueAtMs + publishDeadlineMs;
  for (;;) {
    const posts = await list("all");
    const finished = posts.filter(({ status }) => status === "published" || status === "failed").length;
    progress.show(finished, ids.length, values.every ? `last due ${new Date(lastDueAtMs).toLocaleTimeString()}` : "");
    if (finished === ids.length || Date.now() > deadlineMs) {
      progress.end();
      return posts;
    }
    await delay(1_000);
  }
}

function report(posts: Json[], baseUrl: string, login: Login): void {
  const rows = posts.map((post) => [
    shorten(String(post.keyword), 28),
    shorten(String(post.title), 46),
    String(post.status),
    String(post.pinterest_url ?? post.reason ?? ""),
  ]);
  console.log(`\n${tableOf(["keyword", "title", "status", "link"], rows)}\n`);
  console.log(`To see them in the product, sign in at ${baseUrl}/login with ${login.email} and ${login.password}.`);
}
