/**
 * `npm run demo`: the main job from a terminal, on the product that runs from this checkout. Signs up and connects over
 * the documented calls, then generates, schedules, and lists pins with the command line of `packages/cli`.
 * `--every=MINUTES` schedules one spaced batch.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { SCOPES } from "#lib/features/api-keys/constants.ts";
import { insertKey } from "#lib/features/api-keys/keys.ts";
import { findUserIdByEmailKey } from "#lib/features/identity/queries.ts";
import { lockUser } from "#lib/features/identity/users.ts";
import type { Board, Pin } from "../packages/cli/src/api.d.ts";
import { backdateAnalytics, connectAccount, createClient, signUp } from "./demo-client.ts";
import { readRunning, runFile } from "./local.ts";
import { OperatorError, operate } from "./operator.ts";
import { inRepository } from "./root.ts";

const keywords = [
  "small balcony herb garden",
  "sourdough for beginners",
  "linen summer wardrobe",
  "rainy day crafts for kids",
  "mid century reading corner",
];
const olderDays = 30;
const publishDeadlineMs = 5 * 60_000;
const keyLifetimeDays = 30 as const;
const cli = inRepository("packages", "cli", "src", "main.ts");

const { values } = parseArgs({ options: { every: { type: "string" } } });

await operate("demo", async ({ ctx }) => {
  const running = readRunning(runFile);
  if (!running)
    throw new OperatorError("The product isn't running here. Start it in another terminal first: npm start");
  if (running.env && !running.env.SANDBOX_SERVICES?.includes("pinterest")) {
    throw new OperatorError(
      "The real Pinterest is configured here. The demo publishes made-up pins, so it only runs in the sandbox.",
    );
  }
  const client = createClient(running.url);
  const login = await signUp(client, { first_name: "Dana", last_name: "Demo" });
  console.log(`Signed up as ${login.email}.`);
  const { pinterestUrl } = await connectAccount(client);
  const evertack = commandLine(running.url, await createKey(ctx, login.email));

  const boards = await evertack.read<Board[]>("boards");
  const board = boards.find(({ privacy }) => privacy === "PUBLIC") ?? boards[0];
  if (!board) throw new OperatorError("The account has no boards.");
  await evertack.show("generate", ...keywords, "--board", board.name);
  await publish(evertack);
  await evertack.show("pins", "list");

  if (await backdateAnalytics(pinterestUrl, olderDays))
    console.log(`Pinterest's stand-in now treats each pin as ${olderDays} days older, so Analytics has data to show.`);
  console.log(`To see them in the product, sign in at ${running.url}/login with ${login.email} and ${login.password}.`);
});

/** In Settings, a user confirms their email address and their identity first. @returns the secret */
async function createKey(ctx: Ctx, email: string): Promise<string> {
  const userId = await findUserIdByEmailKey(ctx, email);
  if (!userId) throw new OperatorError("The user was created, but isn't in this product's database.");
  const key = { userId, name: "Demo", scopes: [...SCOPES], dailyCredits: null, lifetimeDays: keyLifetimeDays };
  const { secret } = await inTransaction(ctx, async (tx) => {
    await lockUser(tx, userId);
    return insertKey(tx, key);
  });
  return secret;
}

type CommandLine = {
  /** Runs a command in this terminal. @throws OperatorError if it fails */
  show(...args: string[]): Promise<void>;
  /** Its JSON. @throws OperatorError if it fails */
  read<T>(...args: string[]): Promise<T>;
};

function commandLine(url: string, key: string): CommandLine {
  const run = async (stdout: "inherit" | "pipe", args: string[]): Promise<string> => {
    const child = spawn(process.execPath, [cli, ...args], {
      env: { ...process.env, EVERTACK_URL: url, EVERTACK_API_KEY: key },
      stdio: ["ignore", stdout, "inherit"],
    });
    const ended = once(child, "close");
    const output = child.stdout ? await text(child.stdout) : "";
    const [code] = await ended;
    if (code !== 0) throw new OperatorError(`evertack ${args.join(" ")} failed.`);
    return output;
  };
  return {
    show: async (...args) => {
      console.log(`\n$ evertack ${args.map((arg) => (/\s/.test(arg) ? `"${arg}"` : arg)).join(" ")}`);
      await run("inherit", args);
    },
    read: async (...args) => JSON.parse(await run("pipe", [...args, "--json"])),
  };
}

/** By default, each pin is a schedule of its own that is due now. @throws OperatorError unless all are published in time */
async function publish(evertack: CommandLine): Promise<void> {
  const ids = (await evertack.read<Pin[]>("pins", "list", "--status", "draft")).map(({ id }) => id);
  if (values.every) await evertack.show("pins", "schedule", ...ids, "--every", values.every);
  else for (const id of ids) await evertack.show("pins", "schedule", id);
  let last = "";
  for (let deadlineMs = Number.POSITIVE_INFINITY; ; await delay(2_000)) {
    const pins = await evertack.read<Pin[]>("pins", "list");
    const lastDueMs = Math.max(...pins.map((pin) => Date.parse(pin.scheduled_at ?? "") || Date.now()));
    deadlineMs = Math.min(deadlineMs, lastDueMs + publishDeadlineMs);
    const published = pins.filter(({ status }) => status === "published").length;
    const line = `Published: ${published} of ${keywords.length}, last due ${new Date(lastDueMs).toLocaleTimeString("en-US")}`;
    if (line !== last) console.log(line);
    last = line;
    if (published === keywords.length) return;
    if (pins.some(({ status }) => status === "failed")) throw new OperatorError("A pin failed. See Generated Posts.");
    if (Date.now() > deadlineMs) throw new OperatorError("The pins were not published in time.");
  }
}
