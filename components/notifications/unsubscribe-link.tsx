"use client";

import { EmailLinkPage } from "#components/identity/email-link.tsx";
import { callAction } from "#lib/client/api.ts";
import type { MutableEmail } from "#lib/features/email/constants.ts";
import { switchEmailsByLinkAction } from "#lib/features/notifications/actions.ts";
import { EMAIL_LABELS } from "#lib/features/notifications/constants.ts";

const SETTINGS = { href: "/app/settings#mails", label: "Email preferences" } as const;

const INVALID = {
  title: "This link isn't valid",
  text: "Open it from the email again, or change your email preferences in Settings.",
  ...SETTINGS,
} as const;

const listFormat = new Intl.ListFormat("en", { type: "conjunction" });

type UnsubscribeLinkProps = {
  token: string;
  /** Kinds named in the link; the server verifies them when it is used. */
  kinds: readonly MutableEmail[];
};

/** Unsubscribes from kinds of emails without a login. */
export function UnsubscribeLink({ token, kinds }: UnsubscribeLinkProps) {
  const about = listFormat.format(kinds.map((kind) => EMAIL_LABELS[kind].inSentence));
  const text =
    about === "" ? "We'll stop sending you emails like this one." : `We'll stop sending you emails about ${about}.`;
  return (
    <EmailLinkPage
      title="Unsubscribe?"
      text={`${text} You'll still get important emails about your account.`}
      label="Unsubscribe"
      onConfirm={async () => {
        const result = await callAction(switchEmailsByLinkAction({ token, isOn: false }));
        if (!result.ok) {
          return result.code === "invalid" ? { kind: "invalid", view: INVALID } : { kind: "error", text: result.text };
        }
        const view = {
          title: "You're unsubscribed",
          text: "You can turn these emails back on in Settings.",
          ...SETTINGS,
        };
        return { kind: "done", view };
      }}
    />
  );
}
