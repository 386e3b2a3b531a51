import "server-only";
import { container, listenToDatabase } from "#lib/composition.ts";
import { messageOf } from "#lib/core/errors.ts";
import { env, isDevelopment } from "#lib/env.ts";
import { IMAGE_SLOT_CHANNEL } from "#lib/features/generation/image-slots.ts";
import { recordClientAddresses } from "./address.ts";
import { keepListening } from "./event-hub.ts";
import { logConsole } from "./library-log.ts";
import { metrics } from "./metrics.ts";
import { drainOnSignals, onShutdown } from "./shutdown.ts";
import { answerUnusualRequests } from "./unusual-requests.ts";

/** Waiters also poll every two seconds. */
const listenForImageSlots = (): void => {
  const subscription = keepListening({
    open: (onPayload) => listenToDatabase(IMAGE_SLOT_CHANNEL, onPayload),
    onPayload: (waiter) => container().signals.emit(waiter),
    onOpen: () => {},
  });
  onShutdown(() => subscription.close());
};

export const startServer = (): void => {
  try {
    env();
  } catch (error) {
    process.stderr.write(`${messageOf(error)}\n`);
    process.exit(1);
  }
  if (!isDevelopment()) logConsole();
  recordClientAddresses();
  answerUnusualRequests(env().APP_URL, env().ROLE);
  if (env().ROLE !== "web") listenForImageSlots();
  drainOnSignals();
  if (env().METRICS_TOKEN !== undefined) metrics();
};
