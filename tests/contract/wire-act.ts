import { surfaceActions } from "#tests/support/surface.ts";
import type { Caller } from "./wire-harness.ts";

/** The ids of this build's server actions, by name. */
const actionIds = (): Map<string, string> => new Map(surfaceActions().map(({ name, id }) => [name, id]));

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
  // Long texts of the value are rows of their own, which don't end with a line break.
  const [, value] = /(?:^|\D)1:(\{.*)/.exec(answer.text) ?? [];
  return { ...answer, result: value === undefined ? undefined : JSON.parse(value) };
};
