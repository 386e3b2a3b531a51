/** Scopes the stand-in knows, in words a person can weigh. */
const SCOPE_WORDS = new Map([
  ["user_accounts:read", "See your username, counts and profile"],
  ["boards:read", "See your public boards"],
  ["boards:write", "Create, change and delete your public boards"],
  ["boards:read_secret", "See your secret boards"],
  ["boards:write_secret", "Create, change and delete your secret boards"],
  ["pins:read", "See your public pins"],
  ["pins:write", "Create, change and delete your public pins"],
  ["pins:read_secret", "See your secret pins"],
  ["pins:write_secret", "Create, change and delete your secret pins"],
]);

/** Splits a `scope` parameter, which may use commas, spaces or both. */
export function splitScopes(text: string): string[] {
  return [...new Set(text.split(/[ ,]+/).filter(Boolean))];
}

/** What a scope allows; undefined for one that Pinterest does not have. */
export function scopeWords(scope: string): string | undefined {
  return SCOPE_WORDS.get(scope);
}
