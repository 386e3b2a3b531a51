import { expect, type Page } from "@playwright/test";

/** A message as the mail stand-in's inbox tells it. */
export interface Mail {
  from: string;
  subject: string;
  text: string;
  html: string;
  links: string[];
}

const mailsTo = async (page: Page, address: string): Promise<Mail[]> => {
  const url = `${process.env.E2E_INBOX_URL}/api/messages?to=${encodeURIComponent(address)}`;
  return (await page.request.get(url)).json();
};

/** Waits for a mail to an address that fits. Durable functions send it: that takes a moment, or `timeout` ms. */
export const awaitMail = async (
  page: Page,
  address: string,
  fits: (mail: Mail) => boolean,
  timeout = 60_000,
): Promise<Mail> => {
  let found: Mail | undefined;
  await expect
    .poll(
      async () => {
        found = (await mailsTo(page, address)).find(fits);
        return found !== undefined;
      },
      { timeout, message: `a mail to ${address}` },
    )
    .toBe(true);
  if (!found) throw new Error("The poll above found one");
  return found;
};

/** Waits for a mail with a link to a page, and answers that link's path. */
export const awaitLink = async (page: Page, address: string, to: string): Promise<string> => {
  const mail = await awaitMail(page, address, ({ links }) => links.some((link) => link.includes(to)));
  return new URL(mail.links.find((link) => link.includes(to)) ?? "").pathname;
};
