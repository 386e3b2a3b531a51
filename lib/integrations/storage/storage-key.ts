/** Parts of letters, digits, dot, dash and underscore, none beginning with a dot: no key can leave its folder. */
const KEY_SHAPE = /^[a-z0-9][a-z0-9._-]*(\/[a-z0-9][a-z0-9._-]*)*$/;
const MAX_KEY_LENGTH = 200;

/** @throws Error when a text is not a key as the port describes it. */
export const assertStorageKey = (key: string): void => {
  if (key.length > MAX_KEY_LENGTH || !KEY_SHAPE.test(key)) throw new Error(`Not a storage key: ${JSON.stringify(key)}`);
};
