import { isLoopback } from "../compose.ts";
import { type ApiClient, asObject, RefusedError } from "./client.ts";

/**
 * Connects an account the way a browser does: the product's `auth_url`, the stand-in's consent form, back to the
 * product with the cookie it set.
 * @returns where the stand-in is.
 * @throws RefusedError when Pinterest is the real one, or the product did not accept the connection
 */
export async function connectAccount(client: ApiClient): Promise<{ pinterestUrl: string }> {
  const { auth_url } = asObject(await client.get("/api/users/pinterest/auth/"));
  const consentUrl = new URL(String(auth_url));
  if (!isLoopback(consentUrl.hostname)) {
    throw new RefusedError(
      "This product talks to the real Pinterest; the demo publishes made-up pins only in its sandbox.",
    );
  }
  const back = await approve(consentUrl);
  const answer = await client.raw(back);
  const target = answer.headers.get("location") ?? "";
  if (!target.includes("success=1"))
    throw new RefusedError(`The account was not connected: ${answer.status} ${target}`);
  return { pinterestUrl: consentUrl.origin };
}

/**
 * Has Pinterest's stand-in count pins as older than they are. Figures of the last two days are never final, so those of
 * pins made just now would be there the day after tomorrow.
 */
export async function countAsOlder(pinterestUrl: string, days: number): Promise<boolean> {
  const answer = await fetch(`${pinterestUrl}/__control/settings`, {
    method: "PATCH",
    body: JSON.stringify({ analyticsHeadStartDays: days }),
  });
  return answer.ok;
}

/** Fills in the consent form: the first account, approved. @returns the product's callback address */
async function approve(consentUrl: URL): Promise<string> {
  const page = await (await fetch(consentUrl)).text();
  const form = new URLSearchParams({ decision: "approve" });
  for (const [, name, value] of page.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)) {
    form.set(name ?? "", unescapeHtml(value ?? ""));
  }
  form.set("username", unescapeHtml(/type="radio" name="username" value="([^"]*)"/.exec(page)?.[1] ?? ""));
  const action = /<form[^>]*action="([^"]*)"/.exec(page)?.[1];
  if (!action) throw new RefusedError("The consent page has no form; is this the Pinterest stand-in?");
  const answer = await fetch(new URL(action, consentUrl), { method: "POST", body: form, redirect: "manual" });
  const back = answer.headers.get("location");
  if (!back) throw new RefusedError(`The consent page answered ${answer.status}.`);
  return back;
}

function unescapeHtml(text: string): string {
  const named: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" };
  return text.replaceAll(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => named[name] ?? "");
}
