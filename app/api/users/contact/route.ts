import { sendMessage } from "#lib/features/contact/messages.ts";
import { contactInput } from "#lib/features/contact/schema.ts";
import { route, routes } from "#lib/server/route.ts";

export const { DELETE, GET, PATCH, POST, PUT } = routes({
  /** Works without a login and ignores an existing one. */
  POST: route({
    auth: "visitor",
    // Counted after validation, so that incomplete messages do not use up the limit.
    limitInput: { name: "contact", subject: (_, actor) => ("address" in actor ? actor.address : "") },
    errorFormat: "contact",
    input: contactInput,
    run: sendMessage,
    present: ({ message }) => ({ success: true, message, errors: {} }),
  }),
});
