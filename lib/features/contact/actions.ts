"use server";

import { formAction } from "#lib/server/form-action.ts";
import { sendMessage } from "./messages.ts";
import { CONTACT_FIELDS, checkContact, TEXTS } from "./policy.ts";
import { contactInput } from "./schema.ts";

export const contactFormAction = formAction({
  name: "contact",
  fields: CONTACT_FIELDS,
  check: checkContact,
  brokenText: TEXTS.fixForm,
  limitInput: { name: "contact", subject: (_, actor) => ("address" in actor ? actor.address : "") },
  input: contactInput,
  run: sendMessage,
  onDone: async ({ message }) => message || TEXTS.sent,
});
