"use client";

import { useState } from "react";
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
  /** The start of every path, on this origin. */
  server: string;
  parameters: readonly { name: string; place: string; isRequired: boolean }[];
  /** A body to start from; empty when the call takes none. */
  body: string;
};

type Result = { status: number; text: string };

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
    const value = readValue(name);
    if (place === "path") filled = filled.replace(`{${name}}`, encodeURIComponent(value));
    else if (value) query.set(name, value);
  }
  return `${server}${filled}${query.size > 0 ? `?${query}` : ""}`;
};

/** Sends a call from the page with the reader's key, which stays in this page. */
export function TryIt(props: TryItProps) {
  const { method, parameters, body } = props;
  const [result, setResult] = useState<Result | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [missing, setMissing] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);

  async function send(form: HTMLFormElement): Promise<void> {
    const data = new FormData(form);
    const read = (name: string) => String(data.get(name) ?? "").trim();
    const required = ["key", ...parameters.filter(({ isRequired }) => isRequired).map(({ name }) => name)];
    const empty = required.find((name) => !read(name)) ?? null;
    setMissing(empty);
    setProblem(null);
    if (empty !== null) {
      const field = form.elements.namedItem(empty);
      if (field instanceof HTMLElement) field.focus();
      return;
    }
    setBusy(true);
    try {
      const response = await fetch(urlOf(props, read), {
        method,
        credentials: "omit",
        headers: {
          authorization: `Bearer ${read("key")}`,
          ...(body && { "content-type": "application/json" }),
          ...(method !== "GET" && { "idempotency-key": crypto.randomUUID() }),
        },
        ...(body && { body: read("body") }),
      });
      setResult({ status: response.status, text: readable(await response.text()) });
    } catch (error) {
      console.warn("The call could not be sent", error);
      setProblem("The call couldn't be sent. Check your connection and try again.");
    }
    setBusy(false);
  }

  return (
    <form
      aria-label={`Try ${method} ${props.path}`}
      className="grid gap-4"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void send(event.currentTarget);
      }}
    >
      <p className="text-sm text-ink-3">
        {method === "GET" ? "This reads your own data." : "This is a real call: it changes your own data."} The key
        stays in this page.
      </p>
      <PasswordField
        label="API key"
        name="key"
        autoComplete="off"
        {...(missing === "key" && { error: "Enter an API key." })}
      />
      {parameters.map(({ name, isRequired }) => (
        <TextField
          key={name}
          label={name}
          name={name}
          autoComplete="off"
          spellCheck={false}
          {...(!isRequired && { hint: "Optional" })}
          {...(missing === name && { error: `Enter ${name}.` })}
        />
      ))}
      {body && <TextAreaField label="Body" name="body" isCode rows={8} defaultValue={body} spellCheck={false} />}
      {problem && <Banner tone="failed">{problem}</Banner>}
      <div>
        <Button type="submit" isBusy={isBusy}>
          Send
        </Button>
      </div>
      <div role="status">
        {result && (
          <>
            <p className="mb-2 text-sm font-medium">Response: {result.status}</p>
            {result.text && <CodeBlock label="Response">{result.text}</CodeBlock>}
          </>
        )}
      </div>
    </form>
  );
}
