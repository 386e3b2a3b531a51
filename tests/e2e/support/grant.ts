import { fixtures } from "./quick.ts";

/** Gives a user of the running app credits, as the operator's command does. */
export const grant = async (email: string, credits: number): Promise<void> => {
  await fixtures().credits({ email }, credits);
};
