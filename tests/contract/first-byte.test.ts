import { expect, test } from "vitest";
import { databaseAt } from "./wire-database.ts";
import { appForFile, openSession } from "./wire-harness.ts";

const app = appForFile({});
const database = databaseAt(() => app().databaseUrl);

/** Reads a response until it contains a text, which may be before its end. */
const readUntil = async (body: ReadableStream<Uint8Array>, text: string): Promise<string> => {
  const decoder = new TextDecoder();
  let seen = "";
  for await (const chunk of body) {
    seen += decoder.decode(chunk, { stream: true });
    if (seen.includes(text)) return seen;
  }
  return seen;
};

test("a screen sends its shell and title while a query is still running", async () => {
  const { cookie } = await openSession(app());
  const sql = database();
  await sql.begin(async (locked) => {
    await locked`lock table saved_videos in access exclusive mode`;
    const answer = await fetch(`${app().baseUrl}/app/saved-videos`, { headers: { cookie } });
    expect(answer.status).toBe(200);
    if (!answer.body) throw new Error("The response has a body");
    const seen = await readUntil(answer.body, "Loading Saved TikTok Videos");
    expect(seen).toContain("Loading Saved TikTok Videos");
    expect(seen).not.toContain("No saved videos found.");
  });
  const whole = await app().callApp("/app/saved-videos", { headers: { cookie } });
  expect(whole.text).toContain("No saved videos found.");
});

test("R-ROUTE-23 an unknown path of the app returns 404", async () => {
  const { cookie } = await openSession(app());
  expect((await app().callApp("/app/no-such-screen", { headers: { cookie } })).status).toBe(404);
});
