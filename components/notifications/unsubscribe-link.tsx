"use client";

import { MailedLink } from "#components/identity/mailed-link.tsx";
import { callAction } from "#lib/client/api.ts";
import type { MutableMail } from "#lib/features/email/constants.ts";
import { switchOfferedAction } from "#lib/features/notifications/actions.ts";
import { MAIL_WORDS } from "#lib/features/notifications/constants.ts";

const SETTINGS = { href: "/app/settings#mails", label: "Choose your mails" } as const;

const DEAD = {
  title: "This link is not whole",
  words: "Open it from the mail again, or choose your mails in Settings.",
  ...SETTINGS,
} as const;

const listed = new Intl.ListFormat("en", { type: "conjunction" });

type UnsubscribeLinkProps = {
  token: string;
  /** What the link says it is about; whether it is ours, the server looks at when it is pressed. */
  kinds: readonly MutableMail[];
};

/** Switches off the mails that a mail was about, without a login. */
export function UnsubscribeLink({ token, kinds }: UnsubscribeLinkProps) {
  const about = listed.format(kinds.map((kind) => MAIL_WORDS[kind].inSentence));
  const words =
    about === "" ? "We send no more mails like the one you came from." : `We send no more mails about ${about}.`;
  return (
    <MailedLink
      title="Stop these mails?"
      words={`${words} What concerns your account itself still comes.`}
      label="Stop these mails"
      use={async () => {
        const answer = await callAction(switchOfferedAction({ token, isOn: false }));
        if (!answer.ok) {
          return answer.code === "invalid" ? { kind: "dead", view: DEAD } : { kind: "trouble", text: answer.text };
        }
        const view = { title: "These mails are stopped", words: "You can have them again in Settings.", ...SETTINGS };
        return { kind: "done", view };
      }}
    />
  );
}
