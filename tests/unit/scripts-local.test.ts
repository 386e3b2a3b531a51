import { spawn } from "node:child_process";
import {
  chmodSync,
  closeSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { hashOf } from "#scripts/build.ts";
import { claimRun, readState } from "#scripts/local.ts";
import { isPortFree, pickPort } from "#scripts/ports.ts";
import { identityOf, isRunning, openLog, trimLog, waitForEnd } from "#scripts/processes.ts";
import { loadSecrets } from "#scripts/settings-file.ts";
import { clockEnvironment, moveClock } from "#tests/support/clock.ts";
import { until } from "#tests/support/poll.ts";

const folder = mkdtempSync(join(tmpdir(), "scripts-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function sleeper() {
  const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { detached: true, stdio: "ignore" });
  if (child.pid === undefined) throw new Error("No child.");
  return { pid: child.pid, identity: identityOf(child.pid) ?? "" };
}

test("a port in use is detected and another one picked", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await until(() => server.listening);
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  expect(await isPortFree(port)).toBe(false);
  expect(await pickPort(port)).not.toBe(port);
  server.close();
});

test("secrets are created once, saved, and readable only by their owner", () => {
  const file = join(folder, "secrets.json");
  expect(loadSecrets(file)).toEqual(loadSecrets(file));
  expect(loadSecrets(join(folder, "others.json"))).not.toEqual(loadSecrets(file));
});

test("logs are readable only by their owner, also those of an older version and moved ones", () => {
  const modeOf = (file: string) => (statSync(file).mode & 0o777).toString(8);
  const file = join(folder, "logs", "app.log");
  closeSync(openLog(file));
  expect(modeOf(file)).toBe("600");
  chmodSync(file, 0o644);
  truncateSync(file, 21 * 1024 * 1024);
  writeFileSync(`${file}.1`, "", { mode: 0o644 });
  trimLog(file);
  expect([modeOf(`${file}.1`), statSync(file).size]).toEqual(["600", 0]);
  closeSync(openLog(file));
  expect(modeOf(file)).toBe("600");
  chmodSync(file, 0o644);
  truncateSync(file, 21 * 1024 * 1024);
  closeSync(openLog(file));
  expect([modeOf(file), modeOf(`${file}.1`)]).toEqual(["600", "600"]);
});

test("a build's hash changes with its source, its build-time settings and its pages", () => {
  const file = join(folder, "proxy.ts");
  writeFileSync(file, "1");
  const first = hashOf(folder, {});
  expect(hashOf(folder, { PRODUCT_NAME: "x" })).not.toBe(first);
  const ofOnePage = hashOf(folder, {}, ["app/page.tsx"]);
  expect(new Set([first, ofOnePage, hashOf(folder, {}, ["app/faqs/page.tsx"])]).size).toBe(3);
  writeFileSync(file, "2");
  expect(hashOf(folder, {})).not.toBe(first);
  writeFileSync(file, "1");
  expect(hashOf(folder, {})).toBe(first);
});

test("a second start of the same checkout is rejected with a message", async () => {
  const file = join(folder, "refused.json");
  const claim = await claimRun(file, "http://localhost:3000");
  await expect(claimRun(file, "http://localhost:3001")).rejects.toThrow("is already running from this folder");
  claim.release();
  expect(readState(file)).toBeUndefined();
});

test("processes left by a killed start are ended, but not another process with the same pid", async () => {
  const file = join(folder, "stale.json");
  const [left, stranger] = [sleeper(), sleeper()];
  const children = [
    { name: "app", ...left },
    { name: "sandbox", pid: stranger.pid, identity: "another beginning" },
  ];
  writeFileSync(
    file,
    JSON.stringify({ supervisor: { name: "supervisor", pid: 999_999, identity: "x" }, url: "", children }),
  );
  const claim = await claimRun(file, "http://localhost:3000");
  expect(isRunning(left.pid, left.identity)).toBe(false);
  expect(isRunning(stranger.pid, stranger.identity)).toBe(true);
  process.kill(stranger.pid, "SIGKILL");
  await waitForEnd(stranger.pid, stranger.identity, 5_000);
  claim.release();
});

test("tests move the clock of another process", async () => {
  const file = join(folder, "clock");
  const out = join(folder, "now");
  const script = `setInterval(() => require("fs").writeFileSync(${JSON.stringify(out)}, String(new Date().getTime())), 20)`;
  const child = spawn(process.execPath, ["-e", script], { env: { ...process.env, ...clockEnvironment(file) } });
  const hourMs = 3_600_000;
  const ahead = () => Number(readFileSync(out, "utf8")) - Date.now();
  await until(() => Math.abs(ahead()) < hourMs / 2, { what: "the child's real time" });
  moveClock(file, hourMs);
  await until(() => ahead() > hourMs / 2, { what: "the child's clock to jump" });
  child.kill("SIGKILL");
});
