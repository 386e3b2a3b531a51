import { Inngest } from "inngest";

/**
 * The app's identity for the durable engine. Keys and addresses come from the settings of the same names
 * (INNGEST_BASE_URL, INNGEST_EVENT_KEY, INNGEST_SIGNING_KEY), which the SDK reads when it is called.
 */
export const inngest = new Inngest({ id: "app", isDev: false });
