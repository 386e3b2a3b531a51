/** Validates all settings when the server starts, so that invalid ones stop the start. */
export const register = async (): Promise<void> => {
  if (process.env.NEXT_RUNTIME !== "nodejs") return;
  const { startServer } = await import("#lib/server/start.ts");
  startServer();
};
