"use client";

import { type FormEvent, useState } from "react";
import { Banner } from "#components/ui/banner.tsx";
import { Button } from "#components/ui/button.tsx";
import { TextAreaField } from "#components/ui/text-area-field.tsx";
import { INPUT_MAX, TEXTS } from "#lib/features/sites/constants.ts";

type AddressFormProps = { isBusy: boolean; problem: string | null; onFind: (text: string) => void };

/** Asks for a site, a feed, a sitemap, or a list of URLs. */
export function AddressForm({ isBusy, problem, onFind }: AddressFormProps) {
  const [text, setText] = useState("");
  const [isMissing, setMissing] = useState(false);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setMissing(text.trim() === "");
    if (text.trim() !== "" && !isBusy) onFind(text);
  };
  return (
    <form
      aria-label="Find pages"
      className="mb-6 grid gap-4 rounded-card bg-surface p-[clamp(20px,3vw,28px)] shadow-card"
      onSubmit={submit}
    >
      <TextAreaField
        label="Your site"
        hint="The URL of a WordPress site, shop, feed, or sitemap, or a list of page URLs, one per line. Finding pages is free."
        rows={3}
        maxLength={INPUT_MAX}
        placeholder="https://"
        spellCheck={false}
        autoCapitalize="off"
        value={text}
        {...(isMissing && text.trim() === "" && { error: TEXTS.noAddress })}
        onChange={({ target }) => setText(target.value)}
      />
      {problem && (
        <Banner tone="failed" isAnnounced>
          {problem}
        </Banner>
      )}
      <div>
        <Button type="submit" variant="primary" isBusy={isBusy} busyLabel="Looking for pages…">
          Find pages
        </Button>
      </div>
    </form>
  );
}
