import { sendMessage } from "#lib/features/contact/messages.ts";
import { contactInput } from "#lib/features/contact/schema.ts";
import { answersOnly, route } from "#lib/server/route.ts";

/** R-API-19: works without a login, and looks at none. */
export const POST = route({
  auth: "visitor",
  // Counted once it is complete: whoever forgets a field may try again.
  limitInput: { name: "contact", subject: (_, actor) => ("address" in actor ? actor.address : "") },
  dialect: "contact",
  input: contactInput,
  run: sendMessage,
  present: ({ message }) => ({ success: true, message, errors: {} }),
});

const other = answersOnly("POST");

export { other as DELETE, other as GET, other as PATCH, other as PUT };
