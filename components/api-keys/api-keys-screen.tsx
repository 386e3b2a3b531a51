"use client";

import { useRouter } from "next/navigation";
import { useRef, useState } from "react";
import { ConfirmIdentity, useConfirmedAction } from "#components/identity/confirm-identity.tsx";
import { CopyButton } from "#components/shared/copy-button.tsx";
import { EmptyState } from "#components/shared/empty-state.tsx";
import { PageHeader } from "#components/shared/page-header.tsx";
import { useTimeZone } from "#components/shared/time-zone.tsx";
import { Button } from "#components/ui/button.tsx";
import { ConfirmDialog } from "#components/ui/confirm-dialog.tsx";
import { Dialog, DialogActions } from "#components/ui/dialog.tsx";
import { LinkButton } from "#components/ui/link-button.tsx";
import { showToast } from "#components/ui/toaster.tsx";
import { type FormOutcome, outcomeOfAction } from "#lib/client/form-outcome.ts";
import { createApiKeyAction, revokeApiKeyAction, rotateApiKeyAction } from "#lib/features/api-keys/actions.ts";
import type { ApiKeyView, CreateKeyInput, KeyUseView } from "#lib/features/api-keys/schema.ts";
import type { ConfirmationMethod } from "#lib/features/sign-in/constants.ts";
import { KeyList } from "./key-list.tsx";
import { KeyUses } from "./key-uses.tsx";
import { KEY_FIELDS, type KeyField, NewKeyForm } from "./new-key-form.tsx";

type SecretProps = { secret: string; onDone: () => void };

function Secret({ secret, onDone }: SecretProps) {
  return (
    <>
      <p className="mt-5 rounded-control border border-line bg-well px-4 py-3.5 font-mono text-sm break-all">
        {secret}
      </p>
      <div className="mt-3">
        <CopyButton text={secret}>Copy</CopyButton>
      </div>
      <DialogActions>
        <Button variant="primary" onClick={onDone}>
          I've saved it
        </Button>
      </DialogActions>
    </>
  );
}

type Question = { kind: "rotate" | "revoke" | "disconnect"; key: ApiKeyView };
type Opened = { kind: "create" } | { kind: "secret"; secret: string } | Question;

const QUESTIONS = {
  rotate: {
    title: (name: string) => `Replace the secret for ${name}?`,
    text: "The old secret stops working right away. Update every program that uses it.",
    confirm: "Replace secret",
  },
  revoke: {
    title: (name: string) => `Revoke ${name}?`,
    text: "It stops working right away. You can't undo this.",
    confirm: "Revoke",
  },
  disconnect: {
    title: (name: string) => `Disconnect ${name}?`,
    text: "It loses access right away. Drafts it created stay in your account.",
    confirm: "Disconnect",
  },
} as const;

const questionOf = (opened: Opened | null): Question | null => (opened && "key" in opened ? opened : null);

type KeysProps = { keys: readonly ApiKeyView[]; timeZone: string };

function Keys({ keys, timeZone }: KeysProps) {
  const router = useRouter();
  const run = useConfirmedAction();
  const [opened, setOpened] = useState<Opened | null>(null);
  const [isBusy, setBusy] = useState(false);
  const add = useRef<HTMLButtonElement>(null);
  const ownKeys = keys.filter(({ isApp }) => !isApp);
  const apps = keys.filter(({ isApp }) => isApp);
  const pending = questionOf(opened);
  const question = pending && QUESTIONS[pending.kind];

  function close(): void {
    setOpened(null);
    router.refresh();
  }

  async function create(input: CreateKeyInput): Promise<FormOutcome<KeyField>> {
    const result = await run(() => createApiKeyAction(input));
    if (result.ok) setOpened({ kind: "secret", secret: result.value.secret });
    return outcomeOfAction(result, KEY_FIELDS);
  }

  async function confirm({ kind, key }: Question): Promise<void> {
    setBusy(true);
    const input = { keyId: key.id };
    const rotated = kind === "rotate" ? await run(() => rotateApiKeyAction(input)) : null;
    const result = rotated ?? (await run(() => revokeApiKeyAction(input)));
    setBusy(false);
    if (rotated?.ok) return setOpened({ kind: "secret", secret: rotated.value.secret });
    close();
    if (result.ok) showToast(kind === "disconnect" ? "App disconnected" : "Key revoked", { hasCheck: true });
    else showToast(result.text);
  }

  return (
    <>
      {ownKeys.length > 0 ? (
        <KeyList
          label="API keys"
          keys={ownKeys}
          timeZone={timeZone}
          onRotate={(key) => setOpened({ kind: "rotate", key })}
          onRevoke={(key) => setOpened({ kind: "revoke", key })}
        />
      ) : (
        <EmptyState title="No API keys yet">
          Create one to let your own programs create, schedule, and publish pins.
        </EmptyState>
      )}
      <Button ref={add} variant="primary" className="mt-5" onClick={() => setOpened({ kind: "create" })}>
        Create an API key
      </Button>
      {apps.length > 0 && (
        <section className="mt-10">
          <h2 className="title-3 mb-4">Connected apps</h2>
          <KeyList
            label="Connected apps"
            keys={apps}
            timeZone={timeZone}
            onRevoke={(key) => setOpened({ kind: "disconnect", key })}
          />
        </section>
      )}
      <Dialog isOpen={opened?.kind === "create"} onClose={close} title="Create an API key">
        <NewKeyForm send={create} onCancel={close} />
      </Dialog>
      <Dialog
        isOpen={opened?.kind === "secret"}
        // Escape must not lose the secret.
        onClose={() => undefined}
        title="Save this key"
        description="We can't show it again. Store it like a password."
      >
        {opened?.kind === "secret" && <Secret secret={opened.secret} onDone={close} />}
      </Dialog>
      <ConfirmDialog
        isOpen={pending !== null}
        question={question?.title(pending?.key.name ?? "") ?? ""}
        declineLabel="Cancel"
        confirmLabel={question?.confirm ?? ""}
        isDangerous
        isBusy={isBusy}
        focusAfter={() => add.current}
        onDecline={() => setOpened(null)}
        onConfirm={() => pending && confirm(pending)}
      >
        {question?.text}
      </ConfirmDialog>
    </>
  );
}

type ApiKeysScreenProps = {
  keys: readonly ApiKeyView[];
  uses: readonly KeyUseView[];
  confirmationMethods: readonly ConfirmationMethod[];
  timeZone: string;
};

/** The user's API keys, and what was done with them. */
export function ApiKeysScreen({ keys, uses, confirmationMethods, timeZone: painted }: ApiKeysScreenProps) {
  const timeZone = useTimeZone(painted);
  return (
    <ConfirmIdentity methods={confirmationMethods}>
      <PageHeader title="API Keys" action={<LinkButton href="/developers">API reference</LinkButton>}>
        Use your own programs to create, schedule, and publish pins. A key can't reach payments, your password, or other
        keys.
      </PageHeader>
      <div className="grid max-w-[860px] grid-cols-[minmax(0,1fr)] gap-10">
        <section aria-label="Keys">
          <Keys keys={keys} timeZone={timeZone} />
        </section>
        <section aria-labelledby="activity-title">
          <h2 id="activity-title" className="title-3">
            Activity
          </h2>
          <p className="mt-1.5 text-sm text-pretty text-ink-3">
            Recent calls made with your keys and apps, grouped by hour. If something here wasn't you, revoke the key or
            disconnect the app.
          </p>
          <KeyUses uses={uses} timeZone={timeZone} />
        </section>
      </div>
    </ConfirmIdentity>
  );
}
