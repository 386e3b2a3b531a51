import { test } from "vitest";
import { readLive } from "#tests/support/live-reader.ts";
import { until } from "#tests/support/poll.ts";
import { databaseAt } from "./wire-database.ts";
import { appForFile, bearer, openSession } from "./wire-harness.ts";

const app = appForFile({});
const database = databaseAt(() => app().databaseUrl);

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    if (Object(error).code === "ESRCH") return false;
    throw error;
  }
};

const listen = async (headers: Record<string, string>) => {
  const response = await fetch(`${app().baseUrl}/api/users/events/`, { headers });
  if (!response.body) throw new Error(`events answered ${response.status}`);
  const reader = readLive(response.body);
  return { reader, first: await reader.find("alive") };
};

test("SIGTERM ends streams immediately, and the next process resumes them", async () => {
  const { token, person } = await openSession(app());
  await app().callApp("/api/users/credits/", { headers: bearer(token) });
  const before = await listen(bearer(token));
  const pid = app().pid("app");
  process.kill(pid, "SIGTERM");
  await before.reader.untilOver();
  await until(() => !isRunning(pid), { deadlineMs: 20_000, what: "the app to exit" });
  await database()`
    update credit_balances set purchased = purchased + 7
    where user_id = (select id from users where email = ${person.email})`;
  await app().restart("app");
  const after = await listen({ ...bearer(token), "last-event-id": String(before.reader.events.at(-1)?.id) });
  await after.reader.find("credits", ({ available_credits }) => available_credits === 12);
  await after.reader.close();
}, 120_000);
