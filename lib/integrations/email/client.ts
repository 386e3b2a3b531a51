import "server-only";
import { createTransport } from "nodemailer";
import type { EmailPort } from "./port.ts";

/** Sends over SMTP. `url` like `smtp://user:password@host:587`, `from` like `Name <address>`. */
export const createEmail = ({ url, from }: { url: string; from: string }): EmailPort => {
  const transport = createTransport({ url, pool: false, connectionTimeout: 10_000, socketTimeout: 20_000 });
  const domain = /@([^>\s]+)/.exec(from)?.[1] ?? "localhost";
  return {
    send: async ({ uniqueKey, to, unsubscribeUrl, ...email }) => {
      await transport.sendMail({
        ...email,
        ...(unsubscribeUrl && {
          list: { unsubscribe: { url: unsubscribeUrl } },
          headers: { "List-Unsubscribe-Post": "List-Unsubscribe=One-Click" },
        }),
        // As an object, because a string would be parsed as a list of addresses.
        to: { name: "", address: to },
        from,
        messageId: `<${uniqueKey}@${domain}>`,
        disableFileAccess: true,
        disableUrlAccess: true,
      });
    },
  };
};
