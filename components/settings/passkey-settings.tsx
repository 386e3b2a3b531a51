"use client";

import KeyRound from "lucide-react/icons/key-round";
import { useRouter } from "next/navigation";
import { useRef, useState } from "react";
import { useConfirmedAction } from "#components/identity/confirm-identity.tsx";
import { useTimeZone } from "#components/shared/time-zone.tsx";
import { Button } from "#components/ui/button.tsx";
import { ConfirmDialog } from "#components/ui/confirm-dialog.tsx";
import { Dialog, DialogActions } from "#components/ui/dialog.tsx";
import { FormSummary } from "#components/ui/form-summary.tsx";
import { TextField } from "#components/ui/text-field.tsx";
import { showToast } from "#components/ui/toaster.tsx";
import { useForm } from "#components/ui/use-form.ts";
import { callAction } from "#lib/client/api.ts";
import { type FormOutcome, outcomeOfAction } from "#lib/client/form-outcome.ts";
import { formatDateTime } from "#lib/core/time.ts";
import { removePasskeyAction, renamePasskeyAction } from "#lib/features/sign-in/actions.ts";
import { PASSKEY_NAME_MAX, PASSKEYS_MAX } from "#lib/features/sign-in/constants.ts";

export type PasskeyView = {
  id: string;
  name: string;
  /** ISO 8601 */
  createdAt: string;
  lastUsedAt: string | null;
};

const LABELS = { name: "Name" } as const;
const FIELDS = ["name"] as const;

type NameFormProps = {
  label: string;
  initial: string;
  submitLabel: string;
  send: (name: string) => Promise<FormOutcome<"name">>;
  onClose: () => void;
  onDone: () => void;
};

function NameForm({ label, initial, submitLabel, send, onClose, onDone }: NameFormProps) {
  const form = useForm<"name">({
    fields: FIELDS,
    check: ({ name }) => (name.trim() ? {} : { name: "Enter a name" }),
    notLoaded: "We couldn't load this. Please try again.",
    send: async ({ name }) => {
      const outcome = await send(name.trim());
      if (outcome.kind === "done") onDone();
      return outcome;
    },
  });
  return (
    <form className="mt-5 grid gap-[18px]" aria-label={label} {...form.bind}>
      <FormSummary problem={form.problem} errors={form.errors} labels={LABELS} />
      <fieldset disabled={form.isSending}>
        <TextField
          label={LABELS.name}
          name="name"
          autoComplete="off"
          defaultValue={initial}
          maxLength={PASSKEY_NAME_MAX}
          hint="Helps you recognize it later."
          error={form.errors.name}
          required
        />
      </fieldset>
      <DialogActions>
        <Button variant="quiet" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" variant="primary" isBusy={form.isSending}>
          {submitLabel}
        </Button>
      </DialogActions>
    </form>
  );
}

type PasskeyRowProps = { passkey: PasskeyView; timeZone: string; onRename: () => void; onRemove: () => void };

function PasskeyRow({ passkey, timeZone, onRename, onRemove }: PasskeyRowProps) {
  const { name, createdAt, lastUsedAt } = passkey;
  return (
    <li className="flex flex-wrap items-start gap-x-3.5 gap-y-3 border-t border-line py-3.5 text-ui first:border-t-0 first:pt-0">
      <KeyRound aria-hidden="true" size={19} strokeWidth={1.7} className="mt-0.5 flex-none text-ink-3" />
      <div className="min-w-0 flex-[1_1_12rem]">
        <p className="font-medium wrap-anywhere">{name}</p>
        <p className="num text-sm text-ink-3">
          Added <time dateTime={createdAt}>{formatDateTime(createdAt, timeZone)}</time>,{" "}
          {lastUsedAt ? (
            <>
              last used <time dateTime={lastUsedAt}>{formatDateTime(lastUsedAt, timeZone)}</time>
            </>
          ) : (
            "not used yet"
          )}
        </p>
      </div>
      <div className="flex gap-2.5">
        <Button size="sm" onClick={onRename}>
          Rename<span className="sr-only"> {name}</span>
        </Button>
        <Button size="sm" variant="danger-quiet" onClick={onRemove}>
          Remove<span className="sr-only"> {name}</span>
        </Button>
      </div>
    </li>
  );
}

async function rename(passkeyId: string, name: string): Promise<FormOutcome<"name">> {
  return outcomeOfAction(await callAction(renamePasskeyAction({ passkeyId, name })), FIELDS);
}

type Opened = { kind: "add" } | { kind: "rename" | "remove"; passkey: PasskeyView };

type PasskeysSettingProps = {
  passkeys: readonly PasskeyView[];
  /** This device, as the suggested name of a new passkey. */
  device: string;
  timeZone: string;
};

/** The user's passkeys: add, rename, and remove them. */
export function PasskeysSetting({ passkeys, device, timeZone: painted }: PasskeysSettingProps) {
  const timeZone = useTimeZone(painted);
  const router = useRouter();
  const [opened, setOpened] = useState<Opened | null>(null);
  const [isBusy, setBusy] = useState(false);
  const add = useRef<HTMLButtonElement>(null);
  const run = useConfirmedAction();
  const close = () => setOpened(null);
  const removed = opened?.kind === "remove" ? opened.passkey : null;

  async function create(name: string): Promise<FormOutcome<"name">> {
    const { createPasskey } = await import("./passkey-calls.ts");
    return createPasskey(name, run);
  }

  function finish(text: string): void {
    close();
    showToast(text, { hasCheck: true });
    router.refresh();
  }

  async function remove({ id }: PasskeyView): Promise<void> {
    setBusy(true);
    const result = await run(() => removePasskeyAction({ passkeyId: id }));
    setBusy(false);
    if (result.ok) return finish("Passkey removed");
    close();
    showToast(result.text);
  }

  return (
    <>
      {passkeys.length > 0 && (
        <ul aria-label="Passkeys" className="mb-4">
          {passkeys.map((passkey) => (
            <PasskeyRow
              key={passkey.id}
              passkey={passkey}
              timeZone={timeZone}
              onRename={() => setOpened({ kind: "rename", passkey })}
              onRemove={() => setOpened({ kind: "remove", passkey })}
            />
          ))}
        </ul>
      )}
      {passkeys.length < PASSKEYS_MAX ? (
        <Button ref={add} onClick={() => setOpened({ kind: "add" })}>
          Add a passkey
        </Button>
      ) : (
        <p className="text-sm text-ink-3">You have {PASSKEYS_MAX} passkeys. Remove one to add another.</p>
      )}
      <Dialog
        isOpen={opened?.kind === "add"}
        onClose={close}
        title="Add a passkey"
        description="Your browser will ask you to confirm with your fingerprint, face, or device PIN."
      >
        <NameForm
          label="Add a passkey"
          initial={device}
          submitLabel="Create passkey"
          send={create}
          onClose={close}
          onDone={() => finish("Passkey added")}
        />
      </Dialog>
      <Dialog isOpen={opened?.kind === "rename"} onClose={close} title="Rename this passkey">
        {opened?.kind === "rename" && (
          <NameForm
            label="Rename this passkey"
            initial={opened.passkey.name}
            submitLabel="Rename"
            send={(name) => rename(opened.passkey.id, name)}
            onClose={close}
            onDone={() => finish("Passkey renamed")}
          />
        )}
      </Dialog>
      <ConfirmDialog
        isOpen={removed !== null}
        question={`Remove ${removed?.name ?? "this passkey"}?`}
        declineLabel="Cancel"
        confirmLabel="Remove"
        isDangerous
        isBusy={isBusy}
        focusAfter={() => add.current}
        onDecline={close}
        onConfirm={() => removed && remove(removed)}
      >
        You won't be able to sign in with it anymore. Delete it from your device too.
      </ConfirmDialog>
    </>
  );
}
