import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { CliError, createClient } from "./client.ts";
import { COMMANDS, OPTION_NAMES } from "./commands.ts";
import { logInByBrowser, logInByKey, logOut, originOf, readAccess } from "./login.ts";
import { createOutput } from "./output.ts";

const usage = (): string => {
  const lines = [
    ["login --url URL [--with-key]", "Sign in with your browser, or paste an API key with --with-key"],
    ["logout", "Sign out"],
    ...Object.values(COMMANDS).map(({ usage: own, text }) => [own, text]),
  ];
  return [
    "evertack COMMAND [options]",
    "",
    ...lines.flatMap(([own, text]) => [`  ${own}`, `      ${text}`]),
    "",
    "  --account NAME   Which Pinterest account, if you have several",
    "  --json           JSON instead of tables",
    "",
    "Or set EVERTACK_URL and EVERTACK_API_KEY instead of signing in.",
  ].join("\n");
};

const readArguments = (args: string[]) => {
  const flags = {
    json: { type: "boolean" },
    "with-key": { type: "boolean" },
    help: { type: "boolean", short: "h" },
  } as const;
  const options = Object.fromEntries(OPTION_NAMES.map((name) => [name, { type: "string" as const }]));
  try {
    return parseArgs({ args, allowPositionals: true, options: { ...options, ...flags } });
  } catch (error) {
    throw new CliError(`${error instanceof Error ? error.message : error}\nSee: evertack --help`, 2);
  }
};

type Flags = { json?: boolean; help?: boolean; "with-key"?: boolean };

/** Not an argument, which other programs could see. */
const readKey = async (show: (line: string) => void): Promise<string> => {
  if (process.stdin.isTTY) show("Paste the API key, then press Enter:");
  for await (const line of createInterface({ input: process.stdin })) return line.trim();
  return "";
};

const durationOf = (seconds: number): string =>
  seconds < 120 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`;

const run = async (args: string[]): Promise<void> => {
  const { values, positionals } = readArguments(args);
  const {
    json = false,
    help = false,
    "with-key": withKey = false,
    ...options
  } = values as Record<string, string> & Flags;
  const output = createOutput({ out: process.stdout, err: process.stderr }, json);
  const [first = "", second = "", ...rest] = positionals;
  if (help || first === "") return void process.stdout.write(`${usage()}\n`);
  const { env } = process;
  if (first === "login") {
    const url = originOf(options.url ?? env.EVERTACK_URL);
    if (withKey) await logInByKey(env, url, await readKey(output.show));
    else await logInByBrowser(env, url, output.show);
    return output.show(`Signed in to ${url}.`);
  }
  if (first === "logout") {
    await logOut(env);
    return output.show("Signed out.");
  }
  const name = COMMANDS[`${first} ${second}`] ? `${first} ${second}` : first;
  const command = COMMANDS[name];
  if (!command) throw new CliError(`Unknown command: ${first}. Run evertack --help to see all commands.`, 2);
  const words = name === first ? positionals.slice(1) : rest;
  const onWait = (seconds: number): void =>
    output.show(`You've reached the server's rate limit. Continuing in ${durationOf(seconds)}.`);
  const client = createClient(readAccess(env, options.url), onWait);
  return command.run({ client, output, words, options });
};

const messageOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  // OAuth's errors say why.
  const { error_description: why } = error as { error_description?: unknown };
  const isOffline = error instanceof TypeError && error.message === "fetch failed";
  return isOffline ? "Can't reach the server." : typeof why === "string" ? why : error.message;
};

try {
  await run(process.argv.slice(2));
} catch (error) {
  console.error(messageOf(error));
  process.exitCode = error instanceof CliError ? error.exitCode : 1;
}
