/** Checks every setting when the server starts, so that a wrong one stops the start and not a visitor. */
export const register = async (): Promise<void> => {
  if (process.env.NEXT_RUNTIME !== "nodejs") return;
  const { startServer } = await import("#lib/server/start.ts");
  startServer();
};
