import { readFileSync } from "node:fs";
import { inRepository } from "#scripts/root.ts";
import { testDistDir } from "#tests/support/app.ts";
import type { Caller } from "./wire-harness.ts";

/** The ids of this build's server actions, by name. */
const actionIds = (): Map<string, string> => {
  const manifest = JSON.parse(
    readFileSync(inRepository(testDistDir, "server", "server-reference-manifest.json"), "utf8"),
  );
  const entries = Object.entries<{ exportedName: string }>(manifest.node);
  return new Map(entries.map(([id, { exportedName }]) => [exportedName, id]));
};

/** Actions that need no login belong to public pages. Next forwards those of other pages, without their cookies. */
const PAGES: Record<string, string> = {
  changePasswordAction: "/app/settings",
  verifyEmailAction: "/verify-email/x",
  confirmEmailChangeAction: "/change-email/x",
  switchEmailsByLinkAction: "/unsubscribe/x",
};

/** Calls a server action like Next's client; `result` is its return value. */
export const act = async ({ callApp }: Caller, name: string, argument: unknown, headers: Record<string, string>) => {
  const id = actionIds().get(name);
  if (id === undefined) throw new Error(`There is no action ${name}.`);
  const answer = await callApp(PAGES[name] ?? "/app/generated-posts", {
    method: "POST",
    body: JSON.stringify([argument]),
    headers: { "next-action": id, "content-type": "text/plain;charset=UTF-8", ...headers },
  });
  const line = answer.text.split("\n").find((item) => item.startsWith("1:{"));
  return { ...answer, result: line === undefined ? undefined : JSON.parse(line.slice(2)) };
};
