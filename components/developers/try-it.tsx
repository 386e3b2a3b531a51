"use client";

import { useId, useRef, useState } from "react";
import { Banner } from "#components/ui/banner.tsx";
import { Button } from "#components/ui/button.tsx";
import { PasswordField } from "#components/ui/password-field.tsx";
import { TextAreaField } from "#components/ui/text-area-field.tsx";
import { TextField } from "#components/ui/text-field.tsx";
import { CodeBlock } from "./code-block.tsx";

type TryItProps = {
  method: string;
  /** Below the server, with `{names}`. */
  path: string;
  server: string;
  parameters: readonly { name: string; place: string; isRequired: boolean }[];
  /** A body to start from; empty when the call takes none. */
  body: string;
};

type Answer = { status: number; text: string };

const readable = (text: string): string => {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch (error) {
    if (error instanceof SyntaxError) return text;
    throw error;
  }
};

const urlOf = ({ server, path, parameters }: TryItProps, readValue: (name: string) => string): string => {
  const query = new URLSearchParams();
  let filled = path;
  for (const { name, place } of parameters) {
    const value = readValue(name).trim();
    if (place === "path") filled = filled.replace(`{${name}}`, encodeURIComponent(value));
    else if (value) query.set(name, value);
  }
  return `${server}${filled}${query.size > 0 ? `?${query}` : ""}`;
};

/** Sends a call from the page with the reader's key, which stays in this page. */
export function TryIt(props: TryItProps) {
  const { method, parameters, body } = props;
  const [answer, setAnswer] = useState<Answer | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const id = useId();

  async function send(data: FormData): Promise<void> {
    const readValue = (name: string) => String(data.get(name) ?? "");
    const missing = parameters.find(({ name, isRequired }) => isRequired && !readValue(name).trim());
    if (!readValue("key").trim()) return setProblem("Enter an API key.");
    if (missing) return setProblem(`Enter ${missing.name}.`);
    setProblem(null);
    setBusy(true);
    try {
      const response = await fetch(urlOf(props, readValue), {
        method,
        credentials: "omit",
        headers: {
          authorization: `Bearer ${readValue("key").trim()}`,
          ...(body && { "content-type": "application/json", "idempotency-key": crypto.randomUUID() }),
        },
        ...(body && { body: readValue("body") }),
      });
      setAnswer({ status: response.status, text: readable(await response.text()) });
    } catch (error) {
      console.warn("The call could not be sent", error);
      setProblem("The call couldn’t be sent. Check your connection and try again.");
    }
    setBusy(false);
  }

  return (
    <form
      ref={form}
      aria-label={`Try ${method} ${props.path}`}
      className="grid gap-4"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void send(new FormData(event.currentTarget));
      }}
    >
      <p className="text-sm text-ink-3">
        {method === "GET" ? "This reads your own data." : "This is a real call: it changes your own data."} The key
        stays in this page.
      </p>
      <PasswordField label="API key" name="key" autoComplete="off" />
      {parameters.map(({ name, isRequired }) => (
        <TextField
          key={name}
          label={name}
          name={name}
          autoComplete="off"
          spellCheck={false}
          {...(!isRequired && { hint: "Optional" })}
        />
      ))}
      {body && <TextAreaField label="Body" name="body" isCode rows={8} defaultValue={body} spellCheck={false} />}
      {problem && <Banner tone="failed">{problem}</Banner>}
      <div>
        <Button type="submit" isBusy={isBusy}>
          Send
        </Button>
      </div>
      <div role="status" aria-labelledby={`${id}-answer`}>
        {answer && (
          <>
            <p id={`${id}-answer`} className="mb-2 text-sm font-medium">
              Answer: {answer.status}
            </p>
            {answer.text && <CodeBlock label="Answer">{answer.text}</CodeBlock>}
          </>
        )}
      </div>
    </form>
  );
}
