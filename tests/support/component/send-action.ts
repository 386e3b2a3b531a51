/** URL prefix of server actions in component tests. */
export const ACTION_PATH = "/_action/";

/** As Next throws it when the server does not know an action. */
const unknownAction = (name: string): Error =>
  Object.assign(new Error(`Server Action "${name}" was not found on the server.`), { name: "UnrecognizedActionError" });

const isForm = (value: unknown): value is FormData => value instanceof FormData;

/** Sends a server action as a request; form data is sent as an object. */
export const sendAction = async (name: string, args: readonly unknown[]): Promise<unknown> => {
  const body = JSON.stringify(args.map((value) => (isForm(value) ? Object.fromEntries(value) : value)));
  const response = await fetch(`${ACTION_PATH}${name}`, { method: "POST", body });
  if (response.headers.get("x-nextjs-action-not-found") === "1") throw unknownAction(name);
  if (!response.ok) throw new Error(`The action ${name} was answered with status ${response.status}.`);
  const text = await response.text();
  return text ? JSON.parse(text) : undefined;
};
