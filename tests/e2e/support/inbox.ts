import { expect, type Page } from "@playwright/test";

/** A message in the inbox of the email stand-in. */
export interface Email {
  from: string;
  subject: string;
  text: string;
  html: string;
  links: string[];
}

const emailsTo = async (page: Page, address: string): Promise<Email[]> => {
  const url = `${process.env.E2E_INBOX_URL}/api/messages?to=${encodeURIComponent(address)}`;
  return (await page.request.get(url)).json();
};

/** Waits up to `timeout` ms for a matching email to an address. */
export const awaitEmail = async (
  page: Page,
  address: string,
  fits: (email: Email) => boolean,
  timeout = 60_000,
): Promise<Email> => {
  let found: Email | undefined;
  await expect
    .poll(
      async () => {
        found = (await emailsTo(page, address)).find(fits);
        return found !== undefined;
      },
      { timeout, message: `an email to ${address}` },
    )
    .toBe(true);
  if (!found) throw new Error("The poll above found an email");
  return found;
};

/** Waits for an email with a link to a page, and returns the path of that link. */
export const awaitLink = async (page: Page, address: string, to: string): Promise<string> => {
  const email = await awaitEmail(page, address, ({ links }) => links.some((link) => link.includes(to)));
  return new URL(email.links.find((link) => link.includes(to)) ?? "").pathname;
};
