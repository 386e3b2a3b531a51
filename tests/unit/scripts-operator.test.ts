import { expect, test } from "vitest";
import { OperatorError, requireSameKey } from "#scripts/operator.ts";

test("R-SRV-05 no command encrypts with a key that the running product lacks", () => {
  const running = { ENCRYPTION_KEY: "11" };
  expect(() => requireSameKey({ ENCRYPTION_KEY: "22,11" }, running)).toThrow(OperatorError);
  expect(() => requireSameKey({ ENCRYPTION_KEY: "22" }, {})).toThrow(/Restart the product first/);
  expect(() => requireSameKey(running, { ...running })).not.toThrow();
  expect(() => requireSameKey({}, running)).not.toThrow();
});
