import "server-only";
import { createTransport } from "nodemailer";
import type { MailPort } from "./port.ts";

/** Mail over SMTP. `url` like `smtp://user:password@host:587`, `from` like `Name <address>`. */
export const createMail = ({ url, from }: { url: string; from: string }): MailPort => {
  const transport = createTransport({ url, pool: false, connectionTimeout: 10_000, socketTimeout: 20_000 });
  const domain = /@([^>\s]+)/.exec(from)?.[1] ?? "localhost";
  return {
    send: async ({ uniqueKey, to, unsubscribeUrl, ...mail }) => {
      await transport.sendMail({
        ...mail,
        ...(unsubscribeUrl && {
          list: { unsubscribe: { url: unsubscribeUrl } },
          headers: { "List-Unsubscribe-Post": "List-Unsubscribe=One-Click" },
        }),
        // One address, whatever is in it: a text would be read as a list.
        to: { name: "", address: to },
        from,
        messageId: `<${uniqueKey}@${domain}>`,
        disableFileAccess: true,
        disableUrlAccess: true,
      });
    },
  };
};
