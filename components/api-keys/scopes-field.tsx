"use client";

import { useId, useRef, useState } from "react";
import { Checkbox } from "#components/ui/checkbox.tsx";
import { type Audience, type Scope, scopeText } from "#lib/features/api-keys/constants.ts";

type ScopesFieldProps = {
  scopes: readonly Scope[];
  /** Checked at first. */
  initial?: readonly Scope[];
  audience?: Audience;
  error: string | undefined;
};

/** Permissions, as one field of a form: `scopes`, separated by spaces. */
export function ScopesField({ scopes, initial = [], audience = "api", error }: ScopesFieldProps) {
  const [chosen, setChosen] = useState<readonly Scope[]>(initial);
  const errorId = useId();
  const first = useRef<HTMLInputElement>(null);
  return (
    <fieldset aria-describedby={error ? errorId : undefined}>
      <legend className="mb-2 text-sm font-medium">Permissions</legend>
      <input
        className="sr-only"
        name="scopes"
        value={chosen.join(" ")}
        readOnly
        tabIndex={-1}
        aria-hidden="true"
        // The form focuses a field with an error by its name.
        onFocus={() => first.current?.focus()}
      />
      <div className="grid gap-2">
        {scopes.map((scope, at) => (
          <Checkbox
            key={scope}
            ref={at === 0 ? first : undefined}
            isTopAligned
            checked={chosen.includes(scope)}
            onChange={({ target }) =>
              setChosen((before) => (target.checked ? [...before, scope] : before.filter((one) => one !== scope)))
            }
            label={
              <span>
                <span className="block font-mono text-ink">{scope}</span>
                {scopeText(scope, audience)}
              </span>
            }
          />
        ))}
      </div>
      {error && (
        <p id={errorId} className="mt-1.5 text-sm text-failed-ink">
          {error}
        </p>
      )}
    </fieldset>
  );
}
