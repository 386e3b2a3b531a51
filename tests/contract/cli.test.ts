import { execFile, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, inject, test } from "vitest";
import { inRepository } from "#scripts/root.ts";
import { type Fixtures, fixturesOf } from "#tests/support/fixtures/product.ts";
import { png } from "#tests/support/sample-images.ts";

const MAIN = inRepository("packages", "cli", "src", "main.ts");

let fixtures: Fixtures;
let folder = "";
beforeAll(() => {
  fixtures = fixturesOf(inject("app"));
  folder = mkdtempSync(join(tmpdir(), "cli-"));
  return async () => {
    rmSync(folder, { recursive: true });
    await fixtures.close();
  };
});

interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

const runWith = async (env: Record<string, string>, ...args: string[]): Promise<Ended> => {
  const { PATH = "" } = process.env;
  const own = { PATH, NODE_ENV: "test" as const, XDG_CONFIG_HOME: folder, ...env };
  const options = { cwd: folder, env: own };
  try {
    return { code: 0, ...(await promisify(execFile)(process.execPath, [MAIN, ...args], options)) };
  } catch (error) {
    const { code, stdout, stderr } = Object(error);
    return { code, stdout, stderr };
  }
};

/** A user with an account, a key, and credits. */
const insertOwner = async (scopes?: Parameters<Fixtures["apiKey"]>[1]) => {
  const user = await fixtures.user({ isVerified: true, plan: "pro" });
  await fixtures.credits(user, 10);
  const account = await fixtures.account(user, { boards: 2 });
  const { secret } = await fixtures.apiKey(user, scopes);
  const env = { EVERTACK_URL: inject("app").baseUrl, EVERTACK_API_KEY: secret };
  return { account, env, run: (...args: string[]) => runWith(env, ...args) };
};

const json = ({ code, stdout, stderr }: Ended) => {
  expect([code, stderr]).toEqual([0, expect.not.stringMatching(/Error/)]);
  return JSON.parse(stdout);
};

describe("the command line", () => {
  test("generates, lists, drafts, and schedules pins, as tables and as JSON", async () => {
    const { account, run } = await insertOwner();
    const board = account.boards[0]?.name ?? "";
    const made = await run("generate", "moss garden", "fern terrace", "--board", board);
    expect([made.code, made.stdout]).toEqual([0, expect.stringMatching(/^KEYWORD +STATUS .*\nmoss garden +SUCCESS/)]);
    expect(made.stderr).toContain("Generating: 2 of 2");
    const drafts = json(await run("pins", "list", "--status", "draft", "--json"));
    expect(drafts.map(({ status }: { status: string }) => status)).toEqual(["draft", "draft"]);
    writeFileSync(join(folder, "own.png"), await png(600, 900));
    const own = ["pins", "draft", "own.png", "--board", board, "--title", "My own pin", "--json"];
    const [first] = json(await run(...own));
    const [again] = json(await run(...own));
    expect([first.title, again.id]).toEqual(["My own pin", first.id]);
    const start = new Date(Date.now() + 86_400_000).toISOString();
    const ids = [first.id, drafts[0].id];
    const scheduled = json(await run("pins", "schedule", ...ids, "--every", "30", "--start", start, "--json"));
    expect(scheduled.map((pin: { scheduled_at: string }) => pin.scheduled_at)).toEqual([
      start,
      new Date(Date.parse(start) + 30 * 60_000).toISOString(),
    ]);
    expect((await run("accounts")).stdout).toContain(account.username);
    expect((await run("boards")).stdout).toContain(board);
    expect(json(await run("credits", "--json"))).toMatchObject({ available: 8 });
    expect(json(await run("analytics", "--json"))).toMatchObject({ top_pins: [] });
    expect((await run("analytics")).stdout).toMatch(
      /^PERIOD +IMPRESSIONS +OUTBOUND CLICKS +SAVES\n[\d-]+ to [\d-]+ +\d/,
    );
  }, 120_000);

  test("imports a plan as a whole, and the same plan again without doing anything twice", async () => {
    const { account, env, run } = await insertOwner();
    const board = account.boards[1]?.name ?? "";
    writeFileSync(join(folder, "plan.png"), await png(700, 900));
    const at = new Date(Date.now() + 2 * 86_400_000).toISOString();
    const head = "image,keyword,board,title,link,publish_at";
    const rows = [`plan.png,,${board},"Pin, planned",,${at}`, `,kale soup,${board},,,`];
    writeFileSync(join(folder, "plan.csv"), `\uFEFF${[head, ...rows].join("\r\n")}\r\n`);
    const first = json(await run("import", "plan.csv", "--json"));
    expect(first.pins).toMatchObject([{ title: "Pin, planned", status: "scheduled", scheduled_at: at }]);
    expect(first.generations).toMatchObject([{ is_finished: true, total_tasks: 1 }]);
    const second = json(await run("import", "plan.csv", "--json"));
    expect([second.pins[0].id, second.generations[0].id]).toEqual([first.pins[0].id, first.generations[0].id]);
    expect(json(await run("pins", "list", "--json"))).toHaveLength(2);
    const later = new Date(Date.parse(at) + 86_400_000).toISOString();
    writeFileSync(join(folder, "twice.csv"), [head, rows[0], `plan.png,,${board},"Pin, planned",,${later}`].join("\n"));
    const twice = json(await run("import", "twice.csv", "--json"));
    expect(twice.pins.map((pin: { scheduled_at: string }) => pin.scheduled_at)).toEqual([at, later]);
    expect(twice.pins[0].id).toBe(first.pins[0].id);
    expect(json(await run("pins", "list", "--json"))).toHaveLength(3);

    const passed = new Date(Date.now() - 600_000).toISOString();
    writeFileSync(join(folder, "late.csv"), [head, `plan.png,,${board},"Pin, late",,${passed}`].join("\n"));
    const late = await run("import", "late.csv", "--json");
    expect([late.code, late.stderr]).toEqual([1, expect.stringContaining("their time has passed: 1")]);
    const [draft] = JSON.parse(late.stdout).pins;
    await run("pins", "schedule", draft.id, "--start", later);
    expect(json(await run("import", "late.csv", "--json")).pins).toMatchObject([{ id: draft.id, status: "scheduled" }]);

    const api = (method: string, path: string) =>
      fetch(`${env.EVERTACK_URL}/api/v1/pins/${path}`, {
        method,
        headers: { authorization: `Bearer ${env.EVERTACK_API_KEY}` },
      });
    expect((await api("POST", `${first.pins[0].id}/unschedule`)).status).toBe(200);
    const undone = await run("import", "plan.csv", "--json");
    expect([undone.code, undone.stderr]).toEqual([
      1,
      expect.stringContaining("unscheduled after an earlier import: 1"),
    ]);
    expect(JSON.parse(undone.stdout).pins).toMatchObject([{ id: first.pins[0].id, status: "draft" }]);
    expect((await api("DELETE", first.pins[0].id)).status).toBe(204);
    const gone = await run("import", "plan.csv", "--json");
    expect([gone.code, gone.stderr]).toEqual([1, expect.stringContaining("Deleted after an earlier import")]);
    expect(JSON.parse(gone.stdout).pins).toEqual([]);

    const wrong = [
      "none.png,,Nowhere,,,",
      `plan.png,both,${board},T,,tomorrow`,
      `,,${board},,,`,
      `plan.png,,${board},${"x".repeat(101)},ftp://a.example,2099-01-01T00:00:00Z`,
    ];
    writeFileSync(join(folder, "wrong.csv"), [head, rows[0], ...wrong].join("\n"));
    const refused = await run("import", "wrong.csv");
    expect([refused.code, refused.stdout]).toEqual([2, ""]);
    for (const text of [
      "Row 3 needs a title",
      "doesn't exist",
      "Nowhere",
      "Row 4 has both",
      "Row 5 needs an image",
      "Row 6 has more than 100",
      "Row 6 needs a link",
      "Row 6 has a publish_at more than a year",
    ]) {
      expect(refused.stderr).toContain(text);
    }
    expect(json(await run("pins", "list", "--json"))).toHaveLength(3);
  }, 120_000);

  test("explains what is wrong, and shows no stack", async () => {
    const { env, run } = await insertOwner({ scopes: ["accounts:read"] });
    const cases: [Promise<Ended>, number, RegExp][] = [
      [run("pins", "list"), 1, /requires the scope pins:read\. \(scope_missing\)/],
      [run("dance"), 2, /Unknown command: dance/],
      [run("accounts", "--colour"), 2, /--colour/],
      [run("boards", "--account", "nobody"), 2, /Choose an account/],
      [run("pins", "schedule"), 2, /Missing argument: the IDs of drafts/],
      [run("import", "missing.csv"), 2, /missing\.csv can't be read/],
      [runWith({}, "accounts"), 2, /Sign in first/],
      [runWith({ ...env, EVERTACK_API_KEY: "evertack_wrong" }, "accounts"), 1, /\(invalid_key\)/],
      [runWith({ ...env, EVERTACK_URL: "http://pins.example" }, "accounts"), 2, /--url/],
      [runWith({ ...env, EVERTACK_URL: "http://127.0.0.1:9" }, "accounts"), 1, /Can't reach/],
      [run("import", "plan.csv", "--quality", "best"), 2, /--quality must be/],
    ];
    for (const [work, code, text] of cases) {
      const ended = await work;
      expect([ended.code, ended.stderr]).toEqual([code, expect.stringMatching(text)]);
      expect(ended.stderr).not.toMatch(/\n\s+at /);
    }
  });

  test("a key is kept for later commands until the logout", async () => {
    const { account, env } = await insertOwner();
    const home = { XDG_CONFIG_HOME: join(folder, "home") };
    const login = (key: string) => {
      const options = { env: { PATH: process.env.PATH ?? "", NODE_ENV: "test" as const, ...home }, input: `${key}\n` };
      return spawnSync(process.execPath, [MAIN, "login", "--url", env.EVERTACK_URL, "--with-key"], options).status;
    };
    expect([login("evertack_wrong"), login(""), (await runWith(home, "accounts")).code]).toEqual([1, 2, 2]);
    // Another server, which answers with a page.
    const elsewhere = createServer((_, response) => response.end("<p>Hello</p>")).listen(0);
    await once(elsewhere, "listening");
    const { port } = elsewhere.address() as AddressInfo;
    const wrong = await new Promise((resolve) => {
      const url = `http://127.0.0.1:${port}`;
      const child = spawn(process.execPath, [MAIN, "login", "--url", url, "--with-key"], {
        env: { PATH: process.env.PATH ?? "", NODE_ENV: "test", ...home },
      });
      child.stdin.end(`${env.EVERTACK_API_KEY}\n`);
      child.on("exit", resolve);
    });
    elsewhere.close();
    expect([wrong, (await runWith(home, "accounts")).code]).toEqual([1, 2]);
    expect(login(env.EVERTACK_API_KEY)).toBe(0);
    expect((await runWith(home, "accounts", "--url", "https://other.example")).stderr).toContain("You're signed in to");
    expect((await runWith(home, "accounts")).stdout).toContain(account.username);
    await runWith(home, "logout");
    expect((await runWith(home, "accounts")).code).toBe(2);
  });

  /** The app that a login by browser opens the page for. */
  const clientOfLogin = async (clientId: string): Promise<string | null> => {
    const home = join(folder, "browser");
    const url = inject("app").baseUrl;
    mkdirSync(join(home, "evertack"), { recursive: true });
    const known = { url, clientId, accessToken: "x", refreshToken: "y", expiresAt: 0 };
    writeFileSync(join(home, "evertack", "credentials.json"), JSON.stringify(known));
    // Without a PATH, no browser is found.
    const env = { PATH: "", NODE_ENV: "test" as const, XDG_CONFIG_HOME: home };
    const login = spawn(process.execPath, [MAIN, "login", "--url", url], { env, stdio: ["ignore", "ignore", "pipe"] });
    let shown = "";
    for await (const chunk of login.stderr) {
      shown += chunk;
      if (/\n\S+\n/.test(shown)) break;
    }
    login.kill();
    return new URL(/\n(\S+)\n/.exec(shown)?.[1] ?? "").searchParams.get("client_id");
  };

  test("a login by browser uses the app of this computer, or a new one once that was deleted", async () => {
    const deleted = `ocl_${"0".repeat(26)}`;
    const registered = (await clientOfLogin(deleted)) ?? "";
    expect([registered, registered === deleted]).toEqual([expect.stringMatching(/^ocl_/), false]);
    expect(await clientOfLogin(registered)).toBe(registered);
  });

  test("is packed into one file that runs elsewhere", async () => {
    await promisify(execFile)("npm", ["pack", "--pack-destination", folder], { cwd: inRepository("packages", "cli") });
    await promisify(execFile)("tar", ["-xzf", "evertack-0.1.0.tgz", "-C", folder], { cwd: folder });
    const { stdout } = await promisify(execFile)(process.execPath, [
      join(folder, "package", "dist", "evertack.mjs"),
      "--help",
    ]);
    expect(stdout).toContain("pins schedule ID…");
  }, 60_000);
});
