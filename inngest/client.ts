import { Inngest } from "inngest";

/** The SDK reads its keys and URLs from the settings INNGEST_BASE_URL, INNGEST_EVENT_KEY and INNGEST_SIGNING_KEY. */
export const inngest = new Inngest({ id: "app", isDev: false });
