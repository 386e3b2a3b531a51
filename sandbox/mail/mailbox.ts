import type { Journal } from "../kit/journal.ts";
import type { MailMessage } from "./message.ts";

/** All caught messages, in memory and in the journal. */
export interface Mailbox {
  add(message: MailMessage): void;
  get(id: string): MailMessage | undefined;
  /** Newest first; with an address only what was sent there. */
  list(to?: string): MailMessage[];
  clear(): void;
}

/** A mailbox that starts with what the journal holds. */
export function createMailbox(journal: Journal<MailMessage>): Mailbox {
  const messages = [...journal.entries];
  return {
    add(message) {
      journal.append(message);
      messages.push(message);
    },
    get: (id) => messages.find((message) => message.id === id),
    list(to) {
      const wanted = to?.toLowerCase();
      return messages.filter((message) => wanted === undefined || message.to.includes(wanted)).reverse();
    },
    clear() {
      journal.clear();
      messages.length = 0;
    },
  };
}
