import { sendMessage } from "#lib/features/contact/messages.ts";
import { contactInput } from "#lib/features/contact/schema.ts";
import { route, routes } from "#lib/server/route.ts";

export const { DELETE, GET, PATCH, POST, PUT } = routes({
  /** R-API-19: works without a login, and looks at none. */
  POST: route({
    auth: "visitor",
    // Counted once it is complete: whoever forgets a field may try again.
    limitInput: { name: "contact", subject: (_, actor) => ("address" in actor ? actor.address : "") },
    dialect: "contact",
    input: contactInput,
    run: sendMessage,
    present: ({ message }) => ({ success: true, message, errors: {} }),
  }),
});
